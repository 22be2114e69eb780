/** Days of watches in FIT's messages: heart rates, and what has been done since midnight. */
import type { Sink } from '../../record.js'
import type { FitMessage } from './messages.js'
import { doings } from './names.js'
import { leaveOthers, numberIn, scale, timeIn } from './values.js'

const kind = 'monitoring'
/** Running and walking: their cycles are counted as steps. */
const onFoot = new Set([1, 6])
/** Sums since midnight, of each doing by itself. */
const totals = [
  { field: 1, name: 'calories', type: 'energy/kcal', stream: 'Energy of the day so far', by: 1 },
  { field: 2, name: 'distance', type: 'length/m', stream: 'Distance of the day so far', by: 100 },
  { field: 3, name: 'steps', type: 'count/steps', stream: 'Steps of the day so far', by: 1 },
  { field: 4, name: 'active time', type: 'time/s', stream: 'Active time of the day so far', by: 1000 },
  {
    field: 19,
    name: 'active calories',
    type: 'energy/kcal',
    stream: 'Active energy of the day so far',
    by: 1
  }
] as const
const known = new Set([0, 5, 11, 12, 24, 26, 27, ...totals.map(({ field }) => field)])

export class Monitoring {
  /** Times of days are sent in parts: the lower half of one, which goes on from the whole one before. */
  #clock = 0
  #isFirst = true

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  read(message: FitMessage): void {
    const { fields, timestamp } = message
    if (timestamp !== undefined) this.#clock = timestamp
    const half = numberIn(fields, 26)
    if (half !== undefined) this.#clock += (half - (this.#clock & 0xffff) + 0x1_0000) & 0xffff
    const time = timeIn(this.#clock)
    this.#isFirst = true
    const heartRate = numberIn(fields, 27)
    if (heartRate === 0)
      this.sink.leftOut(this.#kind('heart rate'), 'zero, which means that nothing was measured')
    else this.#give('heart rate', time, 'frequency/bpm', 'Heart rate', heartRate)
    this.#give('temperature', time, 'temperature/c', 'Temperature', scale(numberIn(fields, 12), 100))
    this.#totals(fields, time)
    if (this.#isFirst) this.sink.leftOut(kind, 'without a number')
    leaveOthers(message, known, this.sink)
  }

  #totals(fields: FitMessage['fields'], time: number): void {
    const intensity = numberIn(fields, 24)
    const doing = numberIn(fields, 5) ?? (intensity === undefined ? undefined : intensity & 31)
    // Walking and running have sums of their own, which are not to be mixed.
    const suffix = doing === undefined ? '' : `, ${doings[doing] ?? doing}`
    for (const { by, field, name, stream, type } of totals) {
      const value = numberIn(fields, field)
      if (value === undefined) continue
      if (field === 3 && !onFoot.has(doing ?? NaN))
        this.sink.leftOut(this.#kind('cycles'), 'of a kind without a type here')
      else this.#give(name, time, type, `${stream}${suffix}`, scale(value, by))
    }
  }

  #give(name: string, time: number, type: string, stream: string, content: number | undefined): void {
    if (content === undefined) return
    const own = this.#kind(name)
    if (Number.isNaN(time)) this.sink.leftOut(own, 'without a time')
    else this.sink.datum({ kind: own, source: this.source, type, stream, time, content })
  }

  /** The first value of a message is its record, the others are records of their own. */
  #kind(name: string): string {
    const own = this.#isFirst ? kind : `${kind} ${name}`
    this.#isFirst = false
    return own
  }
}
