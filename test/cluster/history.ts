/**
 * What clients did to one account and were told, and whether all of it can have happened one after the other, each call at some
 * moment between its beginning and its end: whether it was linearizable.
 */

/** A call, by `performance.now`. One whose outcome is unknown never ends. */
interface Call {
  readonly fromMs: number
  readonly untilMs: number
  /** Who answered it. */
  readonly by?: string
}

/** A write, and the reads of what it wrote, as two moments: when the first of them had ended, and when the last one began. */
interface Zone {
  readonly value: number
  readonly firstEndMs: number
  readonly lastStartMs: number
}

/** Time after which a write that its client has given up on takes no effect any more, in milliseconds. */
const latestEffectMs = 15_000

/** A register: every value is written once. */
export class RegisterHistory {
  readonly #writes = new Map<number, Call>()
  readonly #reads = new Map<number, Call[]>()

  constructor(
    initial: number,
    private readonly lateMs = latestEffectMs
  ) {
    this.#writes.set(initial, { fromMs: -Infinity, untilMs: -Infinity })
  }

  /** A value is about to be written. Returns what is to be called when that is acknowledged, with who has done so. */
  write(value: number): (by?: string) => void {
    const fromMs = performance.now()
    this.#writes.set(value, { fromMs, untilMs: Infinity })
    return by => void this.#writes.set(value, called(fromMs, by))
  }

  /** A value has been read by a call that began then and ends now. */
  read(value: number, fromMs: number, by?: string): void {
    const reads = this.#reads.get(value) ?? []
    reads.push(called(fromMs, by))
    this.#reads.set(value, reads)
  }

  /**
   * What cannot have happened in any order. Since each value is written once, it is enough to look at pairs of values (Gibbons
   * and Korach, "Testing shared memories", 1997): whatever lies between the end of a call on one value and the beginning of
   * another one on the same value belongs to that value alone.
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
      // What was not acknowledged and never seen may not have happened.
      if (write.untilMs === Infinity && reads.length === 0) continue
      const calls = [{ ...write, untilMs: Math.min(write.untilMs, write.fromMs + this.lateMs) }, ...reads]
      const firstEndMs = calls.reduce((least, { untilMs }) => Math.min(least, untilMs), Infinity)
      const lastStartMs = calls.reduce((most, { fromMs }) => Math.max(most, fromMs), -Infinity)
      zones.push({ value, firstEndMs, lastStartMs })
    }
    // The values that the register certainly had for a time, in the order in which they were seen.
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

  /** All calls on some values, for whoever has to find out how a fault came about. */
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

/** A call that ends now. */
function called(fromMs: number, by?: string): Call {
  return { fromMs, untilMs: performance.now(), ...(by !== undefined && { by }) }
}

/** When a call was made, in milliseconds, and who answered it. */
function inWords({ by, fromMs, untilMs }: Call): string {
  const end = untilMs === Infinity ? 'unknown' : untilMs.toFixed(1)
  return `${fromMs.toFixed(1)}–${end}${by === undefined ? '' : ` at ${by}`}`
}

/** The index of the last span that began before a moment; -1 if none did. */
function latestBefore(spans: readonly Zone[], momentMs: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle]!.firstEndMs < momentMs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** What one read of a set lacked, of all that had been begun to be added when it ended. */
interface Seen extends Call {
  readonly begun: number
  readonly missing: ReadonlySet<number>
}

/** A set that only grows: every element is added once. */
export class SetHistory {
  readonly #indices = new Map<string, number>()
  readonly #adds: Call[] = []
  readonly #reads: Seen[] = []
  readonly #faults: string[] = []

  /** Number of elements whose adding was acknowledged. */
  acknowledged = 0

  /** An element is about to be added. Returns what is to be called when that is acknowledged. */
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

  /** The set has been read by a call that began then and ends now. What was never added here is ignored. */
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

  /** What cannot have happened in any order. */
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

/** Whether all that one read saw was seen by the other, too. */
function isWithin(read: Seen, other: Seen): boolean {
  const lacks = (index: number): boolean => index >= read.begun || read.missing.has(index)
  for (let index = other.begun; index < read.begun; index++) if (!lacks(index)) return false
  return Array.from(other.missing).every(lacks)
}
