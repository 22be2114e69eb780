/**
 * Joins blood pressures that are written as two records, systolic and diastolic, whether or not the file groups them in
 * a correlation.
 */
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
  /** Other values of the same time. */
  readonly others: Half[]
}

/** Maximum number of records that wait for their counterpart. */
const maxWaiting = 100_000
const joinedReason = 'part of a measurement that is brought in as one'

/** Collects systolic and diastolic records and emits each pair as one measurement. */
export class PressurePairs {
  readonly #waiting = new Map<string, Pair>()
  #size = 0

  constructor(private readonly sink: Sink) {}

  /**
   * Adds a record at the top level of the file. Its correlation may follow later, or not exist. A record that
   * repeats another, or is beyond the maximum, is skipped.
   */
  add(half: Half): void {
    const key = `${half.source}\n${half.time}`
    const side = half.isSystolic ? 'systolic' : 'diastolic'
    const pair: Pair = this.#waiting.get(key) ?? { others: [] }
    const previous = pair[side]
    if (previous?.value === half.value) this.sink.skip(half.kind, 'in the file more than once')
    else if (this.#size >= maxWaiting) this.sink.skip(half.kind, joinedReason)
    else {
      this.#size++
      if (previous) pair.others.push(half)
      else pair[side] = half
      this.#waiting.set(key, pair)
    }
  }

  /** Emits a correlation as one record, and drops the single records of which it consists. `time` in seconds. */
  correlation(correlation: {
    readonly kind: string
    readonly source: string
    readonly time: number
    readonly systolic: number
    readonly diastolic: number
  }): void {
    const { diastolic, kind, source, systolic, time } = correlation
    const key = `${source}\n${time}`
    const pair = this.#waiting.get(key)
    if (pair) {
      this.#waiting.delete(key)
      for (const { kind: part } of listHalves(pair)) {
        this.#size--
        this.sink.skip(part, joinedReason)
      }
    }
    this.#emit(kind, source, time, systolic, diastolic)
  }

  /**
   * Emits pairs without a correlation; skips single records. Skips all records of a time that has several of
   * one kind.
   */
  end(): void {
    for (const pair of this.#waiting.values()) {
      const { diastolic, others, systolic } = pair
      if (others.length > 0)
        for (const { kind } of listHalves(pair)) this.sink.skip(kind, 'one of several of the same time')
      else if (systolic && diastolic) {
        this.#emit(systolic.kind, systolic.source, systolic.time, systolic.value, diastolic.value)
        this.sink.skip(diastolic.kind, joinedReason)
      } else
        this.sink.skip((systolic ?? diastolic)!.kind, 'half of a measurement whose other half is missing')
    }
    this.#waiting.clear()
    this.#size = 0
  }

  #emit(kind: string, source: string, time: number, systolic: number, diastolic: number): void {
    const content = { systolic, diastolic }
    this.sink.addRecord({
      kind,
      source,
      time,
      type: 'blood-pressure/mmhg-bpm',
      stream: 'Blood pressure',
      content
    })
  }
}

function listHalves({ diastolic, others, systolic }: Pair): Half[] {
  return [systolic, diastolic, ...others].filter(each => each !== undefined)
}
