/** Reads daily monitoring from FIT messages: heart rates, and totals since midnight. */
import type { Sink } from '../../record.js'
import type { FitMessage } from './messages.js'
import { monitoringActivities } from './names.js'
import { monitoringFields } from './profile.js'
import { skipOtherFields, getNumber, scaleValue, toTime } from './values.js'

const kind = 'monitoring'
/** Running and walking, whose cycles are steps. */
const footActivities = new Set([1, 6])
/** Totals since midnight, separate for each activity. */
const totals = [
  {
    field: monitoringFields.calories,
    name: 'calories',
    type: 'energy/kcal',
    stream: 'Energy of the day so far',
    by: 1
  },
  {
    field: monitoringFields.distance,
    name: 'distance',
    type: 'length/m',
    stream: 'Distance of the day so far',
    by: 100
  },
  {
    field: monitoringFields.cycles,
    name: 'steps',
    type: 'count/steps',
    stream: 'Steps of the day so far',
    by: 1
  },
  {
    field: monitoringFields.activeTime,
    name: 'active time',
    type: 'time/s',
    stream: 'Active time of the day so far',
    by: 1000
  },
  {
    field: monitoringFields.activeCalories,
    name: 'active calories',
    type: 'energy/kcal',
    stream: 'Active energy of the day so far',
    by: 1
  }
] as const
const readFields: ReadonlySet<number> = new Set(Object.values(monitoringFields))
/** Bits of `typeAndIntensity` that contain the type of the activity. */
const typeBits = 31

/** Adds the monitoring messages of one file to the sink. */
export class MonitoringReader {
  /** Current time in FIT seconds. Most messages contain only its lower 16 bits, relative to the last complete time. */
  #clock = 0
  #isFirst = true

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /** Reads one monitoring message: heart rate, temperature and totals. */
  read(message: FitMessage): void {
    const { fields, timestamp } = message
    if (timestamp !== undefined) this.#clock = timestamp
    const lowBits = getNumber(fields, monitoringFields.lowTimeBits)
    if (lowBits !== undefined) this.#clock += (lowBits - (this.#clock & 0xffff) + 0x1_0000) & 0xffff
    const time = toTime(this.#clock)
    this.#isFirst = true
    const heartRate = getNumber(fields, monitoringFields.heartRate)
    if (heartRate === 0)
      this.sink.skip(this.#nextKind('heart rate'), 'zero, which means that nothing was measured')
    else this.#addValue('heart rate', time, 'frequency/bpm', 'Heart rate', heartRate)
    this.#addValue(
      'temperature',
      time,
      'temperature/c',
      'Temperature',
      scaleValue(getNumber(fields, monitoringFields.temperature), 100)
    )
    this.#addTotals(fields, time)
    if (this.#isFirst) this.sink.skip(kind, 'without a number')
    skipOtherFields(message, readFields, this.sink)
  }

  /** Adds the totals since midnight, each in a stream of its own for the activity. Cycles are steps only on foot. */
  #addTotals(fields: FitMessage['fields'], time: number): void {
    const intensity = getNumber(fields, monitoringFields.typeAndIntensity)
    const activity =
      getNumber(fields, monitoringFields.activityType) ??
      (intensity === undefined ? undefined : intensity & typeBits)
    // Walking and running have separate totals, which must not be mixed.
    const suffix = activity === undefined ? '' : `, ${monitoringActivities[activity] ?? activity}`
    for (const { by, field, name, stream, type } of totals) {
      const value = getNumber(fields, field)
      if (value === undefined) continue
      if (field === monitoringFields.cycles && !footActivities.has(activity ?? NaN))
        this.sink.skip(this.#nextKind('cycles'), 'of a kind without a type here')
      else this.#addValue(name, time, type, `${stream}${suffix}`, scaleValue(value, by))
    }
  }

  #addValue(name: string, time: number, type: string, stream: string, content: number | undefined): void {
    if (content === undefined) return
    const ownKind = this.#nextKind(name)
    if (Number.isNaN(time)) this.sink.skip(ownKind, 'without a time')
    else this.sink.addRecord({ kind: ownKind, source: this.source, type, stream, time, content })
  }

  /** Returns the kind of the next value. The first value of a message counts as its record, the others as additional ones. */
  #nextKind(name: string): string {
    const own = this.#isFirst ? kind : `${kind} ${name}`
    this.#isFirst = false
    return own
  }
}
