/** Reads Garmin Connect's account export: daily summaries, nights, activities and weights as JSON, beside FIT files. */
import { type Format, type Sink, markLength } from '../../record.js'
import { getDayLength, parseIsoTime } from '../../text/times.js'
import {
  getId,
  getMember,
  readObjects,
  isJson,
  isObject,
  skipUnread,
  getList,
  getNumber,
  getText,
  type Json
} from '../json-files.js'
import { buildNightRecord } from '../../night-record.js'
import { scaleValue } from '../../text/units.js'

/** Members that only these files have at their beginning. */
const distinctiveMembers =
  /"(?:summarizedActivitiesExport|wellnessStartTimeGmt|sleepStartTimestampGMT|sleepWindowConfirmationType|userProfilePK|userProfilePk)"/

export const garminConnect: Format = {
  id: 'garmin-connect',
  name: 'Garmin Connect',
  recognises: head => isJson(head) && distinctiveMembers.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new GarminReader(options.zone, sink)
    const hasActivities = /"summarizedActivitiesExport"/.test(head.text.slice(0, markLength))
    await readObjects(
      source,
      head,
      sink,
      path => (hasActivities ? path.at(-1) === 'summarizedActivitiesExport' : path.length === 0),
      object => reader.read(object, hasActivities)
    )
  }
}

/** Members that identify a record, its user and its time. */
const contextMembers =
  /(?:P[Kk]|I[Dd]|^uuid|^version|^source|[Tt]imestamp(?:GMT|Local)?|TimeGmt|TimeLocal|Date|^retro|^includes\w+|durationInMilliseconds|^sleepWindowConfirmationType|^metaData)$/

class GarminReader {
  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json, isActivity: boolean): void {
    if (isActivity) this.#addActivity(object)
    else if ('sleepStartTimestampGMT' in object) this.#addNight(object)
    else if ('wellnessStartTimeGmt' in object || 'totalSteps' in object) this.#addDay(object)
    else if (isObject(object['weight']) || 'vo2Max' in object || 'vo2MaxRunning' in object)
      this.#addBiometrics(object)
    else if ('vo2MaxValue' in object) this.#addVo2Max(object)
    else if (Array.isArray(object['metrics']) && 'calendarDate' in object) this.#addMetrics(object)
    else if ('valueInML' in object) this.#addDrink(object)
    else this.sink.skip('object', 'of a kind without a type here')
  }

  /** Adds an activity. Durations are in milliseconds, distances and heights in centimetres, speeds in units of 10 m/s. */
  #addActivity(object: Json): void {
    const kind = 'activity'
    const start = getNumber(object, 'startTimeGmt') ?? getNumber(object, 'beginTimestamp')
    const milliseconds = getNumber(object, 'duration')
    const name = getText(object, 'activityType', 'typeKey') ?? getText(object, 'activityType') ?? ''
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
    const details = numbers.flatMap(([ownName, member, factor]) => {
      const value = getNumber(object, member)
      return value === undefined ? [] : [[ownName, scaleValue(value, factor)] as const]
    })
    this.sink.addRecord({
      kind,
      source: '',
      type: 'activity/plain',
      stream: 'Activities',
      time: (start ?? NaN) / 1000,
      duration: milliseconds === undefined || milliseconds <= 0 ? undefined : scaleValue(milliseconds, 0.001),
      identity: getId(object, 'activityId') ?? name,
      description: getText(object, 'name') ?? (name === '' ? undefined : name),
      clientData: { 'garmin:activity': { type: name, ...Object.fromEntries(details) } }
    })
    this.#skipOthers(kind, object, [
      ...numbers.map(([, member]) => member),
      'duration',
      'activityType',
      'name'
    ])
  }

  #addNight(object: Json): void {
    const kind = 'sleep'
    const time = parseMoment(object['sleepStartTimestampGMT'])
    const end = parseMoment(object['sleepEndTimestampGMT'])
    const numbers = ['deep', 'light', 'rem', 'awake'].flatMap(stage => {
      const value = getNumber(object, `${stage}SleepSeconds`)
      return value === undefined ? [] : [[`${stage}Seconds`, value] as const]
    })
    if (!(end > time)) {
      // Nights without a watch only have a date.
      this.sink.skip(kind, 'without a time')
      return
    }
    const asleep = ['deep', 'light', 'rem'].reduce(
      (sum, stage) => sum + (getNumber(object, `${stage}SleepSeconds`) ?? 0),
      0
    )
    const night = buildNightRecord({
      kind,
      time,
      duration: end - time,
      asleep,
      identity: `${end}`,
      clientData: { 'garmin:sleep': Object.fromEntries(numbers) }
    })
    this.sink.addRecord(night)
    this.#addSingle(
      `${kind} respiration`,
      time,
      'frequency/brpm',
      'Respiratory rate',
      getMember(object, 'averageRespiration')
    )
    this.#addSingle(
      `${kind} oxygen`,
      time,
      'ratio/percent',
      'Oxygen saturation',
      getMember(object, 'spo2SleepSummary', 'averageSPO2')
    )
    const stages = ['deep', 'light', 'rem', 'awake'].map(stage => `${stage}SleepSeconds`)
    this.#skipOthers(kind, object, [...stages, 'averageRespiration', 'spo2SleepSummary'])
    this.#skipOthers(`${kind} oxygen`, object['spo2SleepSummary'], ['averageSPO2'])
  }

  /** Counts as skipped the members that are not in `used`. */
  #skipOthers(kind: string, object: unknown, used: readonly string[]): void {
    skipUnread(this.sink, kind, object, member => contextMembers.test(member) || used.includes(member))
  }

  #addSingle(kind: string, time: number, type: string, stream: string, value: unknown): void {
    if (typeof value !== 'number') return
    if (value > 0) this.sink.addRecord({ kind, source: '', type, stream, time, content: value })
    else
      this.sink.skip(
        kind,
        value === 0 ? 'zero, which means that nothing was measured' : 'not measured, as the file itself says'
      )
  }

  #addDay(object: Json): void {
    const kind = 'day'
    const date = (getText(object, 'calendarDate') ?? '').slice(0, 10)
    const start = parseMoment(object['wellnessStartTimeGmt'])
    const time = Number.isNaN(start) ? parseIsoTime(date, this.zone) : start
    const end = parseMoment(object['wellnessEndTimeGmt'])
    const duration = end > time ? end - time : getDayLength(date, this.zone)
    const dailyValues = [
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
    for (const [type, stream, member, isTotal] of dailyValues) {
      const value = getNumber(object, member)
      if (value === undefined) continue
      if (!isTotal && value <= 0) {
        this.sink.skip(
          `${kind}, ${member}`,
          value === 0
            ? 'zero, which means that nothing was measured'
            : 'not measured, as the file itself says'
        )
        continue
      }
      this.sink.addRecord({
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
    if (isFirst) this.sink.skip(kind, 'without a number')
    this.#skipOthers(
      `${kind},`,
      object,
      dailyValues.map(([, , member]) => member)
    )
  }

  /** Adds weight, body composition (masses in grams) and VO2 max. Scales write zero for what they did not measure. */
  #addBiometrics(object: Json): void {
    const kind = 'biometrics'
    const weight = object['weight']
    const date = getText(object, 'metaData', 'calendarDate') ?? getText(object, 'calendarDate') ?? ''
    const stamp = parseMoment(getMember(weight, 'timestampGMT'))
    const time = Number.isNaN(stamp) ? parseIsoTime(date.replace(/\.\d$/, ''), this.zone) : stamp
    const measurements = [
      ['mass/kg', 'Weight', getNumber(weight, 'weight'), 0.001],
      ['ratio/percent', 'Body fat', getNumber(weight, 'bodyFat'), 1],
      ['ratio/percent', 'Body water', getNumber(weight, 'bodyWater'), 1],
      ['mass/kg', 'Muscle mass', getNumber(weight, 'muscleMass'), 0.001],
      ['mass/kg', 'Bone mass', getNumber(weight, 'boneMass'), 0.001],
      ['gas-consumption/mlpkgmin', 'VO2 max', getNumber(object, 'vo2Max'), 1],
      ['gas-consumption/mlpkgmin', 'VO2 max, running', getNumber(object, 'vo2MaxRunning'), 1]
    ] as const
    let isFirst = true
    for (const [type, stream, value, factor] of measurements) {
      if (!value) continue
      const ownKind = isFirst ? kind : `${kind}, ${stream.toLowerCase()}`
      this.sink.addRecord({
        kind: ownKind,
        source: '',
        type,
        stream,
        time,
        content: scaleValue(value, factor)
      })
      isFirst = false
    }
    if (isFirst) this.sink.skip(kind, 'without a number')
    this.#skipOthers(`${kind},`, object, ['weight', 'vo2Max', 'vo2MaxRunning'])
    this.#skipOthers(`${kind},`, weight, ['weight', 'bodyFat', 'bodyWater', 'muscleMass', 'boneMass'])
  }

  #addVo2Max(object: Json): void {
    const kind = 'VO2 max'
    const stamp = parseMoment(object['updateTimestamp'])
    const time = Number.isNaN(stamp) ? parseIsoTime(getText(object, 'calendarDate') ?? '', this.zone) : stamp
    const value = getNumber(object, 'vo2MaxValue')
    if (!value) this.sink.skip(kind, 'without a number')
    else
      this.sink.addRecord({
        kind,
        source: getText(object, 'sport')?.toLowerCase() ?? '',
        type: 'gas-consumption/mlpkgmin',
        stream: 'VO2 max',
        time,
        content: value
      })
  }

  /** Adds the metrics of a night, each with its name. */
  #addMetrics(object: Json): void {
    const time = parseIsoTime(getText(object, 'calendarDate') ?? '', this.zone)
    for (const metric of getList(object, 'metrics')) {
      const name = getText(metric, 'type') ?? 'metric'
      const value = getNumber(metric, 'value')
      const metricType = Object.hasOwn(nightMetrics, name) ? nightMetrics[name] : undefined
      if (!metricType) this.sink.skip(name, 'of a kind without a type here')
      else if (!value) this.sink.skip(name, 'without a number')
      else this.sink.addRecord({ kind: name, source: '', ...metricType, time, content: value })
    }
  }

  #addDrink(object: Json): void {
    const kind = 'hydration'
    const value = getNumber(object, 'valueInML')
    const time = parseIsoTime(
      getText(object, 'timestampLocal') ?? getText(object, 'calendarDate') ?? '',
      this.zone
    )
    if (!value) this.sink.skip(kind, 'without a number')
    else this.sink.addRecord({ kind, source: '', type: 'volume/ml', stream: 'Drinks', time, content: value })
  }
}

const nightMetrics: Readonly<Record<string, { type: string; stream: string }>> = {
  HRV: { type: 'time/ms', stream: 'Heart rate variability' },
  HR: { type: 'frequency/bpm', stream: 'Heart rate of nights' },
  SPO2: { type: 'ratio/percent', stream: 'Oxygen saturation' },
  RESPIRATION: { type: 'frequency/brpm', stream: 'Respiratory rate' }
}

/** Parses a UTC time: milliseconds, a text, or a text within an object. */
function parseMoment(value: unknown): number {
  const inner = isObject(value) ? value['date'] : value
  if (typeof inner === 'number') return inner / 1000
  return typeof inner === 'string' ? parseIsoTime(inner) : NaN
}
