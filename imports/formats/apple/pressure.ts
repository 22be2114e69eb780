/** Blood pressure as two records, systolic and diastolic, and perhaps a correlation of them, which are one measurement. */
import type { Sink } from '../../record.js'

interface Half {
  readonly kind: string
  readonly isSystolic: boolean
  readonly source: string
  /** Seconds. */
  readonly time: number
  readonly value: number
}

interface Pair {
  systolic?: Half
  diastolic?: Half
  /** Different ones of the same time. */
  readonly others: Half[]
}

/** Halves that wait for what belongs to them. */
const mostWaiting = 100_000
const joined = 'part of a measurement that is brought in as one'

export class PressurePairs {
  readonly #waiting = new Map<string, Pair>()
  #size = 0

  constructor(private readonly sink: Sink) {}

  /** A half at the top of the file: the correlation may come later, or not at all. */
  add(half: Half): void {
    const key = `${half.source}\n${half.time}`
    const side = half.isSystolic ? 'systolic' : 'diastolic'
    const pair: Pair = this.#waiting.get(key) ?? { others: [] }
    const known = pair[side]
    if (known?.value === half.value) this.sink.leftOut(half.kind, 'in the file more than once')
    else if (this.#size >= mostWaiting) this.sink.leftOut(half.kind, joined)
    else {
      this.#size++
      if (known) pair.others.push(half)
      else pair[side] = half
      this.#waiting.set(key, pair)
    }
  }

  correlation(whole: {
    readonly kind: string
    readonly source: string
    readonly time: number
    readonly systolic: number
    readonly diastolic: number
  }): void {
    const { diastolic, kind, source, systolic, time } = whole
    const key = `${source}\n${time}`
    const pair = this.#waiting.get(key)
    if (pair) {
      this.#waiting.delete(key)
      for (const { kind: part } of halvesOf(pair)) {
        this.#size--
        this.sink.leftOut(part, joined)
      }
    }
    this.#give(kind, source, time, systolic, diastolic)
  }

  /** Halves without a correlation are measurements, too, if both are there. */
  end(): void {
    for (const pair of this.#waiting.values()) {
      const { diastolic, others, systolic } = pair
      if (others.length > 0)
        for (const { kind } of halvesOf(pair)) this.sink.leftOut(kind, 'one of several of the same time')
      else if (systolic && diastolic) {
        this.#give(systolic.kind, systolic.source, systolic.time, systolic.value, diastolic.value)
        this.sink.leftOut(diastolic.kind, joined)
      } else
        this.sink.leftOut((systolic ?? diastolic)!.kind, 'half of a measurement whose other half is missing')
    }
    this.#waiting.clear()
    this.#size = 0
  }

  #give(kind: string, source: string, time: number, systolic: number, diastolic: number): void {
    const content = { systolic, diastolic }
    this.sink.datum({
      kind,
      source,
      time,
      type: 'blood-pressure/mmhg-bpm',
      stream: 'Blood pressure',
      content
    })
  }
}

function halvesOf({ diastolic, others, systolic }: Pair): Half[] {
  return [systolic, diastolic, ...others].filter(each => each !== undefined)
}
