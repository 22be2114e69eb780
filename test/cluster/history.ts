/**
 * Records the calls of clients on one account and their results, and checks whether they are linearizable: whether
 * all can have happened one after the other, each at some time between its start and its end.
 */

/** A call, with times of `performance.now`. A call of unknown outcome never ends. */
interface Call {
  readonly fromMs: number
  readonly untilMs: number
  /** The node that handled it. */
  readonly by?: string
}

/** A write and the reads of its value, as two times: when the first call had ended, and when the last one started. */
interface Zone {
  readonly value: number
  readonly firstEndMs: number
  readonly lastStartMs: number
}

/** Time after which a write that its client has abandoned no longer takes effect, in milliseconds. */
const latestEffectMs = 15_000

/** A register in which every value is written once. */
export class RegisterHistory {
  readonly #writes = new Map<number, Call>()
  readonly #reads = new Map<number, Call[]>()

  constructor(
    initial: number,
    private readonly lateMs = latestEffectMs
  ) {
    this.#writes.set(initial, { fromMs: -Infinity, untilMs: -Infinity })
  }

  /** Records the start of a write. Returns a function to call with the node that acknowledges it. */
  write(value: number): (by?: string) => void {
    const fromMs = performance.now()
    this.#writes.set(value, { fromMs, untilMs: Infinity })
    return by => void this.#writes.set(value, called(fromMs, by))
  }

  /** Records a read of a value that started at `fromMs` and ends now. */
  read(value: number, fromMs: number, by?: string): void {
    const reads = this.#reads.get(value) ?? []
    reads.push(called(fromMs, by))
    this.#reads.set(value, reads)
  }

  /**
   * Returns what cannot have happened in any order. Since each value is written once, comparing pairs of values
   * suffices (Gibbons and Korach, "Testing shared memories", 1997): the time between the end of a call on one value
   * and the start of another call on the same value belongs to that value alone.
   */
  faults(): string[] {
    const faults: string[] = []
    const zones: Zone[] = []
    for (const [value, reads] of this.#reads) {
      const write = this.#writes.get(value)
      if (!write || reads.some(({ untilMs }) => untilMs < write.fromMs))
        faults.push(`read ${value}, which nobody had written${this.#calls(value)}`)
    }
    for (const [value, write] of this.#writes) {
      const reads = this.#reads.get(value) ?? []
      // A write that was neither acknowledged nor seen may not have happened.
      if (write.untilMs === Infinity && reads.length === 0) continue
      const calls = [{ ...write, untilMs: Math.min(write.untilMs, write.fromMs + this.lateMs) }, ...reads]
      const firstEndMs = calls.reduce((least, { untilMs }) => Math.min(least, untilMs), Infinity)
      const lastStartMs = calls.reduce((most, { fromMs }) => Math.max(most, fromMs), -Infinity)
      zones.push({ value, firstEndMs, lastStartMs })
    }
    // Times for which the register certainly had a value, in order.
    const spans = zones
      .filter(({ firstEndMs, lastStartMs }) => firstEndMs < lastStartMs)
      .toSorted((a, b) => a.firstEndMs - b.firstEndMs)
    for (const [index, span] of spans.entries()) {
      const before = spans[index - 1]
      if (before && span.firstEndMs < before.lastStartMs)
        faults.push(
          `${before.value} was seen before and after ${span.value}${this.#calls(before.value, span.value)}`
        )
    }
    for (const { firstEndMs, lastStartMs, value } of zones) {
      if (firstEndMs < lastStartMs) continue
      const around = spans[latestBefore(spans, lastStartMs)]
      if (around && firstEndMs < around.lastStartMs)
        faults.push(
          `${around.value} was seen before and after ${value}, which was seen in between${this.#calls(around.value, value)}`
        )
    }
    return faults
  }

  /** Formats all calls on some values, to show how a fault came about. */
  #calls(...values: readonly number[]): string {
    return values
      .map(value => {
        const write = this.#writes.get(value)
        const reads = this.#reads.get(value) ?? []
        return `\n  ${value} written ${write ? inWords(write) : 'by nobody'}; read ${reads.map(inWords).join(', ')}`
      })
      .join('')
  }
}

/** Returns a call that ends now. */
function called(fromMs: number, by?: string): Call {
  return { fromMs, untilMs: performance.now(), ...(by !== undefined && { by }) }
}

/** Formats the times of a call in milliseconds, and the node that handled it. */
function inWords({ by, fromMs, untilMs }: Call): string {
  const end = untilMs === Infinity ? 'unknown' : untilMs.toFixed(1)
  return `${fromMs.toFixed(1)}–${end}${by === undefined ? '' : ` at ${by}`}`
}

/** Returns the index of the last span that starts before a time; -1 if none does. */
function latestBefore(spans: readonly Zone[], momentMs: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle]!.firstEndMs < momentMs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A read of a set, with the elements that it lacks of those whose adding had started when it ended. */
interface Seen extends Call {
  readonly begun: number
  readonly missing: ReadonlySet<number>
}

/** A set that only grows, to which every element is added once. */
export class SetHistory {
  readonly #indices = new Map<string, number>()
  readonly #adds: Call[] = []
  readonly #reads: Seen[] = []
  readonly #faults: string[] = []

  /** Number of acknowledged elements. */
  acknowledged = 0

  /** Records the start of adding an element. Returns a function to call when that is acknowledged. */
  add(element: string): (by?: string) => void {
    const index = this.#adds.length
    const fromMs = performance.now()
    this.#indices.set(element, index)
    this.#adds.push({ fromMs, untilMs: Infinity })
    return by => {
      this.acknowledged++
      this.#adds[index] = called(fromMs, by)
    }
  }

  /** Records a read of the set that started at `fromMs` and ends now. Elements never added here are ignored. */
  read(elements: Iterable<string>, fromMs: number, by?: string): void {
    const begun = this.#adds.length
    const missing = new Set(this.#adds.keys())
    let newestMs = -Infinity
    for (const element of elements) {
      const index = this.#indices.get(element)
      if (index === undefined) continue
      if (!missing.delete(index)) this.#faults.push(`"${element}" is there twice`)
      newestMs = Math.max(newestMs, this.#adds[index]!.fromMs)
    }
    const lost = Array.from(missing).filter(index => this.#adds[index]!.untilMs < Math.max(fromMs, newestMs))
    if (lost.length > 0) {
      const [element] = Array.from(this.#indices.keys()).slice(lost[0], lost[0]! + 1)
      const added = this.#adds[lost[0]!]!
      this.#faults.push(
        `${lost.length} of ${this.acknowledged} are lost, such as "${element}", added ${inWords(added)}; read ${inWords(called(fromMs, by))}`
      )
    }
    this.#reads.push({ begun, missing, ...called(fromMs, by) })
  }

  /** Returns what cannot have happened in any order. */
  faults(): string[] {
    const faults = [...this.#faults]
    const reads = this.#reads.toSorted((a, b) => sizeOf(a) - sizeOf(b))
    for (const [index, read] of reads.entries()) {
      const larger = reads[index + 1]
      if (larger && !isWithin(read, larger))
        faults.push(`two reads have each what the other one lacks: ${inWords(read)}, and ${inWords(larger)}`)
    }
    let [size, endMs, largerEndMs] = [Infinity, Infinity, Infinity]
    for (const read of reads.toReversed()) {
      if (sizeOf(read) < size) largerEndMs = endMs
      size = sizeOf(read)
      endMs = Math.min(endMs, read.untilMs)
      if (largerEndMs < read.fromMs)
        faults.push(`what was there once was missing later: read ${inWords(read)}, all before ${largerEndMs}`)
    }
    return faults
  }
}

function sizeOf({ begun, missing }: Seen): number {
  return begun - missing.size
}

/** Returns whether everything that one read saw was also seen by the other. */
function isWithin(read: Seen, other: Seen): boolean {
  const lacks = (index: number): boolean => index >= read.begun || read.missing.has(index)
  for (let index = other.begun; index < read.begun; index++) if (!lacks(index)) return false
  return Array.from(other.missing).every(lacks)
}
