/** Garmin Connect's export of an account: summaries of days, nights, activities and weights as JSON, beside its FIT files. */
import type { Format, Sink } from '../../record.js'
import { dayLength, isoTime } from '../../text/times.js'
import {
  at,
  eachObject,
  isJson,
  isObject,
  leaveMembers,
  listAt,
  numberAt,
  textAt,
  type Json
} from '../json-files.js'
import { nightDatum } from '../sleep.js'
import { scaled } from '../../text/units.js'

/** Members that nobody else's files have at their beginning. */
const members =
  /"(?:summarizedActivitiesExport|wellnessStartTimeGmt|sleepStartTimestampGMT|sleepWindowConfirmationType|userProfilePK|userProfilePk)"/

export const garminConnect: Format = {
  id: 'garmin-connect',
  name: 'Garmin Connect',
  recognises: head => isJson(head) && members.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new Reader(options.zone, sink)
    const hasActivities = /"summarizedActivitiesExport"/.test(head.text.slice(0, 4000))
    await eachObject(
      source,
      head,
      sink,
      path => (hasActivities ? path.at(-1) === 'summarizedActivitiesExport' : path.length === 0),
      object => reader.read(object, hasActivities)
    )
  }
}

/** Members that say whose record it is, which one, and when it was. */
const ofRecord =
  /(?:P[Kk]|I[Dd]|^uuid|^version|^source|[Tt]imestamp(?:GMT|Local)?|TimeGmt|TimeLocal|Date|^retro|^includes\w+|durationInMilliseconds|^sleepWindowConfirmationType|^metaData)$/

class Reader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json, isActivity: boolean): void {
    if (isActivity) this.#activity(object)
    else if ('sleepStartTimestampGMT' in object) this.#sleep(object)
    else if ('wellnessStartTimeGmt' in object || 'totalSteps' in object) this.#day(object)
    else if (isObject(object['weight']) || 'vo2Max' in object || 'vo2MaxRunning' in object)
      this.#biometrics(object)
    else if ('vo2MaxValue' in object) this.#maximum(object)
    else if (Array.isArray(object['metrics']) && 'calendarDate' in object) this.#health(object)
    else if ('valueInML' in object) this.#drink(object)
    else this.sink.leftOut('object', 'of a kind without a type here')
  }

  /** Lengths in milliseconds, distances and heights in centimetres, speeds in tenths of metres a second. */
  #activity(object: Json): void {
    const kind = 'activity'
    const start = numberAt(object, 'startTimeGmt') ?? numberAt(object, 'beginTimestamp')
    const length = numberAt(object, 'duration')
    const name = textAt(object, 'activityType', 'typeKey') ?? textAt(object, 'activityType') ?? ''
    const numbers: readonly (readonly [string, string, number])[] = [
      ['metres', 'distance', 0.01],
      ['metresUp', 'elevationGain', 0.01],
      ['metresDown', 'elevationLoss', 0.01],
      ['averageMetresPerSecond', 'avgSpeed', 10],
      ['maximalMetresPerSecond', 'maxSpeed', 10],
      ['movingSeconds', 'movingDuration', 0.001],
      ['averageHeartRate', 'avgHr', 1],
      ['maximalHeartRate', 'maxHr', 1],
      ['steps', 'steps', 1]
    ]
    const told = numbers.flatMap(([own, theirs, factor]) => {
      const value = numberAt(object, theirs)
      return value === undefined ? [] : [[own, scaled(value, factor)] as const]
    })
    this.sink.datum({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time: (start ?? NaN) / 1000,
      duration: length === undefined || length <= 0 ? undefined : scaled(length, 0.001),
      identity: String(numberAt(object, 'activityId') ?? name),
      description: textAt(object, 'name') ?? (name === '' ? undefined : name),
      clientData: { 'garmin:activity': { type: name, ...Object.fromEntries(told) } }
    })
    this.#rest(kind, object, [...numbers.map(([, theirs]) => theirs), 'duration', 'activityType', 'name'])
  }

  #sleep(object: Json): void {
    const kind = 'sleep'
    const time = momentOf(object['sleepStartTimestampGMT'])
    const end = momentOf(object['sleepEndTimestampGMT'])
    const numbers = ['deep', 'light', 'rem', 'awake'].flatMap(stage => {
      const value = numberAt(object, `${stage}SleepSeconds`)
      return value === undefined ? [] : [[`${stage}Seconds`, value] as const]
    })
    if (!(end > time)) {
      // Nights without a watch have a date alone.
      this.sink.leftOut(kind, 'without a time')
      return
    }
    const asleep = ['deep', 'light', 'rem'].reduce(
      (sum, stage) => sum + (numberAt(object, `${stage}SleepSeconds`) ?? 0),
      0
    )
    const night = nightDatum({
      kind,
      time,
      duration: end - time,
      asleep,
      identity: `${end}`,
      clientData: { 'garmin:sleep': Object.fromEntries(numbers) }
    })
    this.sink.datum(night)
    this.#single(
      `${kind} respiration`,
      time,
      'frequency/brpm',
      'Respiratory rate',
      at(object, 'averageRespiration')
    )
    this.#single(
      `${kind} oxygen`,
      time,
      'ratio/percent',
      'Oxygen saturation',
      at(object, 'spo2SleepSummary', 'averageSPO2')
    )
    const stages = ['deep', 'light', 'rem', 'awake'].map(stage => `${stage}SleepSeconds`)
    this.#rest(kind, object, [...stages, 'averageRespiration', 'spo2SleepSummary'])
    this.#rest(`${kind} oxygen`, object['spo2SleepSummary'], ['averageSPO2'])
  }

  /** Names the members that are not read. */
  #rest(kind: string, object: unknown, used: readonly string[]): void {
    leaveMembers(this.sink, kind, object, member => ofRecord.test(member) || used.includes(member))
  }

  #single(kind: string, time: number, type: string, stream: string, value: unknown): void {
    if (typeof value !== 'number') return
    if (value > 0) this.sink.datum({ kind, source: '', type, stream, time, content: value })
    else
      this.sink.leftOut(
        kind,
        value === 0 ? 'zero, which means that nothing was measured' : 'not measured, as the file itself says'
      )
  }

  #day(object: Json): void {
    const kind = 'day'
    const date = (textAt(object, 'calendarDate') ?? '').slice(0, 10)
    const start = momentOf(object['wellnessStartTimeGmt'])
    const time = Number.isNaN(start) ? isoTime(date, this.zone) : start
    const end = momentOf(object['wellnessEndTimeGmt'])
    const duration = end > time ? end - time : dayLength(date, this.zone)
    const sums = [
      ['count/steps', 'Steps of days', 'totalSteps', true],
      ['length/m', 'Distance of days', 'totalDistanceMeters', true],
      ['energy/kcal', 'Energy of days', 'totalKilocalories', true],
      ['energy/kcal', 'Active energy of days', 'activeKilocalories', true],
      ['length/m', 'Height climbed', 'floorsAscendedInMeters', true],
      ['frequency/bpm', 'Resting heart rate', 'restingHeartRate', false],
      ['frequency/bpm', 'Lowest heart rate', 'minHeartRate', false],
      ['frequency/bpm', 'Highest heart rate', 'maxHeartRate', false]
    ] as const
    let isFirst = true
    for (const [type, stream, member, isSum] of sums) {
      const value = numberAt(object, member)
      if (value === undefined) continue
      if (!isSum && value <= 0) {
        this.sink.leftOut(
          `${kind}, ${member}`,
          value === 0
            ? 'zero, which means that nothing was measured'
            : 'not measured, as the file itself says'
        )
        continue
      }
      this.sink.datum({
        kind: isFirst ? kind : `${kind}, ${member}`,
        source: '',
        type,
        stream,
        time,
        duration,
        content: value
      })
      isFirst = false
    }
    if (isFirst) this.sink.leftOut(kind, 'without a number')
    this.#rest(
      `${kind},`,
      object,
      sums.map(([, , member]) => member)
    )
  }

  /** Weights and masses in grams; a scale that could not measure one writes zero. */
  #biometrics(object: Json): void {
    const kind = 'biometrics'
    const weight = object['weight']
    const date = textAt(object, 'metaData', 'calendarDate') ?? textAt(object, 'calendarDate') ?? ''
    const stamp = momentOf(at(weight, 'timestampGMT'))
    const time = Number.isNaN(stamp) ? isoTime(date.replace(/\.\d$/, ''), this.zone) : stamp
    const parts = [
      ['mass/kg', 'Weight', numberAt(weight, 'weight'), 0.001],
      ['ratio/percent', 'Body fat', numberAt(weight, 'bodyFat'), 1],
      ['ratio/percent', 'Body water', numberAt(weight, 'bodyWater'), 1],
      ['mass/kg', 'Muscle mass', numberAt(weight, 'muscleMass'), 0.001],
      ['mass/kg', 'Bone mass', numberAt(weight, 'boneMass'), 0.001],
      ['gas-consumption/mlpkgmin', 'VO2 max', numberAt(object, 'vo2Max'), 1],
      ['gas-consumption/mlpkgmin', 'VO2 max, running', numberAt(object, 'vo2MaxRunning'), 1]
    ] as const
    let isFirst = true
    for (const [type, stream, value, factor] of parts) {
      if (!value) continue
      const own = isFirst ? kind : `${kind}, ${stream.toLowerCase()}`
      this.sink.datum({ kind: own, source: '', type, stream, time, content: scaled(value, factor) })
      isFirst = false
    }
    if (isFirst) this.sink.leftOut(kind, 'without a number')
    this.#rest(`${kind},`, object, ['weight', 'vo2Max', 'vo2MaxRunning'])
    this.#rest(`${kind},`, weight, ['weight', 'bodyFat', 'bodyWater', 'muscleMass', 'boneMass'])
  }

  #maximum(object: Json): void {
    const kind = 'VO2 max'
    const stamp = momentOf(object['updateTimestamp'])
    const time = Number.isNaN(stamp) ? isoTime(textAt(object, 'calendarDate') ?? '', this.zone) : stamp
    const value = numberAt(object, 'vo2MaxValue')
    if (!value) this.sink.leftOut(kind, 'without a number')
    else
      this.sink.datum({
        kind,
        source: textAt(object, 'sport')?.toLowerCase() ?? '',
        type: 'gas-consumption/mlpkgmin',
        stream: 'VO2 max',
        time,
        content: value
      })
  }

  /** Measures of a night, each with the name of what it is. */
  #health(object: Json): void {
    const time = isoTime(textAt(object, 'calendarDate') ?? '', this.zone)
    for (const metric of listAt(object, 'metrics')) {
      const name = textAt(metric, 'type') ?? 'metric'
      const value = numberAt(metric, 'value')
      const known = Object.hasOwn(metrics, name) ? metrics[name] : undefined
      if (!known) this.sink.leftOut(name, 'of a kind without a type here')
      else if (!value) this.sink.leftOut(name, 'without a number')
      else this.sink.datum({ kind: name, source: '', ...known, time, content: value })
    }
  }

  #drink(object: Json): void {
    const kind = 'hydration'
    const value = numberAt(object, 'valueInML')
    const time = isoTime(textAt(object, 'timestampLocal') ?? textAt(object, 'calendarDate') ?? '', this.zone)
    if (!value) this.sink.leftOut(kind, 'without a number')
    else this.sink.datum({ kind, source: '', type: 'volume/ml', stream: 'Drinks', time, content: value })
  }
}

const metrics: Readonly<Record<string, { type: string; stream: string }>> = {
  HRV: { type: 'time/ms', stream: 'Heart rate variability' },
  HR: { type: 'frequency/bpm', stream: 'Heart rate of nights' },
  SPO2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  RESPIRATION: { type: 'frequency/brpm', stream: 'Respiratory rate' }
}

/** A time in UTC: milliseconds, a text, or a text within an object. */
function momentOf(value: unknown): number {
  const inner = isObject(value) ? value['date'] : value
  if (typeof inner === 'number') return inner / 1000
  return typeof inner === 'string' ? isoTime(inner) : NaN
}
