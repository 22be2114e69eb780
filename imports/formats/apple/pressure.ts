/** Blood pressure in Apple's export: two records and a correlation of them, which are one measurement. */
import type { Sink } from '../../record.js'

interface Half {
  readonly kind: string
  readonly source: string
  /** Seconds. */
  readonly time: number
  readonly value: number
}

/** Halves that wait for what belongs to them. */
const mostWaiting = 100_000
const joined = 'part of a measurement that is brought in as one'

export class PressurePairs {
  readonly #waiting = new Map<string, { systolic?: Half; diastolic?: Half }>()

  constructor(private readonly sink: Sink) {}

  /** A half at the top of the file: the correlation may come later, or not at all. */
  add(half: Half): void {
    const key = `${half.source}\n${half.time}`
    const side = half.kind === 'BloodPressureSystolic' ? 'systolic' : 'diastolic'
    const pair = this.#waiting.get(key) ?? {}
    if (pair[side] || (this.#waiting.size >= mostWaiting && !this.#waiting.has(key))) {
      this.sink.leftOut(half.kind, pair[side] ? 'in the file more than once' : joined)
      return
    }
    pair[side] = half
    this.#waiting.set(key, pair)
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
      for (const half of [pair.systolic, pair.diastolic]) if (half) this.sink.leftOut(half.kind, joined)
    }
    this.#give(kind, source, time, systolic, diastolic)
  }

  /** Halves without a correlation are measurements, too, if both are there. */
  end(): void {
    for (const { diastolic, systolic } of this.#waiting.values()) {
      if (systolic && diastolic) {
        this.#give(systolic.kind, systolic.source, systolic.time, systolic.value, diastolic.value)
        this.sink.leftOut(diastolic.kind, joined)
      } else {
        const half = (systolic ?? diastolic)!
        this.sink.leftOut(half.kind, 'half of a measurement whose other half is missing')
      }
    }
    this.#waiting.clear()
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
