/** Fitbit's own export: JSON files by kind and day. */
import type { Format, Head, Sink } from '../../record.js'
import { isoTime, laterReading, timeOf } from '../../text/times.js'
import {
  at,
  eachObject,
  isJson,
  leaveMembers,
  listAt,
  numberAt,
  numbersAt,
  outermost,
  textAt,
  type Json
} from '../json-files.js'
import { nightDatum } from '../sleep.js'

type Kind =
  | 'heart_rate'
  | 'resting_heart_rate'
  | 'weight'
  | 'sleep'
  | 'steps'
  | 'distance'
  | 'calories'
  | 'altitude'

export const fitbit: Format = {
  id: 'fitbit',
  name: 'Fitbit',
  recognises: head => isJson(head) && kindOf(head) !== undefined,
  async read(source, head, sink, { options }) {
    const kind = kindOf(head)!
    const reader = new Reader(kind, options.zone, sink)
    if (kind === 'weight') sink.warn('Weights of Fitbit name no unit: they are taken for pounds')
    await eachObject(source, head, sink, outermost, object => reader.read(object))
  }
}

/** What a file holds: its objects tell some kinds, its name the others. */
function kindOf({ name, text }: Head): Kind | undefined {
  const start = text.slice(0, 4000)
  if (/^\s*\[\s*\{\s*"logId"/.test(start)) {
    if (/"weight"\s*:/.test(start)) return 'weight'
    return /"dateOfSleep"\s*:/.test(start) ? 'sleep' : undefined
  }
  if (!/^\s*\[\s*\{\s*"dateTime"\s*:\s*"\d\d\/\d\d\/\d\d /.test(start)) return undefined
  if (/"bpm"\s*:/.test(start)) return 'heart_rate'
  const named = /(?:^|\/)(resting_heart_rate|steps|distance|calories|altitude)-/.exec(name)?.[1]
  return named as Kind | undefined
}

const plain: Readonly<Partial<Record<Kind, { type: string; stream: string; factor?: number }>>> = {
  steps: { type: 'count/steps', stream: 'Steps' },
  // Centimetres.
  distance: { type: 'length/cm', stream: 'Distance' },
  calories: { type: 'energy/kcal', stream: 'Energy' }
}

/** What somebody did, by the levels of nights; older nights have three of them. */
const stages: Readonly<Record<string, 'asleep' | 'awake'>> = {
  deep: 'asleep',
  light: 'asleep',
  rem: 'asleep',
  asleep: 'asleep',
  restless: 'awake',
  awake: 'awake',
  wake: 'awake'
}
/** What is told of a night as a whole. */
const nightNumbers = [
  'efficiency',
  'minutesAsleep',
  'minutesAwake',
  'minutesToFallAsleep',
  'minutesAfterWakeup',
  'timeInBed'
]
const ofNight: ReadonlySet<string> = new Set([
  'logId',
  'dateOfSleep',
  'startTime',
  'endTime',
  'duration',
  'levels',
  ...nightNumbers
])

class Reader {
  constructor(
    private readonly kind: Kind,
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    if (this.kind === 'weight') this.#weight(object)
    else if (this.kind === 'sleep') this.#sleep(object)
    else this.#value(object)
  }

  #value(object: Json): void {
    const { kind, sink } = this
    // In UTC, other than times of sleep.
    const time = americanTime(textAt(object, 'dateTime'), undefined)
    const source = ''
    if (kind === 'heart_rate') {
      const value = numberAt(object, 'value', 'bpm')
      if (!value) sink.leftOut(kind, 'zero, which means that nothing was measured')
      else sink.datum({ kind, source, type: 'frequency/bpm', stream: 'Heart rate', time, content: value })
      return
    }
    if (kind === 'resting_heart_rate') {
      const value = numberAt(object, 'value', 'value')
      if (!value) sink.leftOut(kind, 'zero, which means that nothing was measured')
      else
        sink.datum({
          kind,
          source,
          type: 'frequency/bpm',
          stream: 'Resting heart rate',
          time,
          content: value
        })
      return
    }
    const mapped = plain[kind]
    const value = numberAt(object, 'value')
    if (!mapped) sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) sink.leftOut(kind, 'without a number')
    else if (value === 0) sink.leftOut(kind, 'zero, which means that nothing was measured')
    else sink.datum({ kind, source, time, duration: 60, content: value, ...mapped })
  }

  #weight(object: Json): void {
    const kind = 'weight'
    const weight = numberAt(object, 'weight')
    const id = numberAt(object, 'logId')
    const time =
      id !== undefined && id > 1e11
        ? id / 1000
        : americanTime(`${textAt(object, 'date')} ${textAt(object, 'time')}`, this.zone)
    const source = textAt(object, 'source') ?? ''
    if (!weight) {
      this.sink.leftOut(kind, 'without a number')
      return
    }
    this.sink.datum({ kind, source, type: 'mass/lb', stream: 'Weight', time, content: weight })
    const fat = numberAt(object, 'fat')
    if (fat)
      this.sink.datum({
        kind: 'weight, body fat',
        source,
        type: 'ratio/percent',
        stream: 'Body fat',
        time,
        content: fat
      })
  }

  #sleep(object: Json): void {
    const time = isoTime(textAt(object, 'startTime') ?? '', this.zone)
    const end = isoTime(textAt(object, 'endTime') ?? '', this.zone)
    const duration = end > time ? end - time : (numberAt(object, 'duration') ?? 0) / 1000
    const minutes = numberAt(object, 'minutesAsleep')
    const night = nightDatum({
      kind: 'sleep',
      time,
      duration,
      asleep: minutes === undefined ? undefined : minutes * 60,
      identity: String(numberAt(object, 'logId') ?? ''),
      clientData: {
        'fitbit:sleep': {
          ...numbersAt(object, nightNumbers),
          summary: at(object, 'levels', 'summary')
        }
      }
    })
    this.sink.datum(night)
    this.#stages(listAt(object, 'levels', 'data'))
    const short = listAt(object, 'levels', 'shortData').length
    if (short > 0)
      this.sink.leftOut('sleep shortData', 'part of a measurement that is brought in as one', short)
    leaveMembers(this.sink, 'sleep', object, member => ofNight.has(member))
  }

  /** One after the other. */
  #stages(data: readonly unknown[]): void {
    const kind = 'sleep stage'
    let last = -Infinity
    for (const each of data) {
      const [stage = '', seconds] = [textAt(each, 'level'), numberAt(each, 'seconds') ?? 0]
      const first = isoTime(textAt(each, 'dateTime') ?? '', this.zone)
      const time = first < last && this.zone !== undefined ? (laterReading(first, this.zone) ?? first) : first
      if (!Object.hasOwn(stages, stage)) this.sink.leftOut(kind, 'of a kind without a type here')
      else if (!(seconds > 0)) this.sink.leftOut(kind, 'of an end that cannot be read')
      else {
        last = time + seconds
        this.sink.datum({
          kind,
          source: '',
          type: 'sleep/analysis',
          stream: 'Sleep',
          time,
          duration: seconds,
          identity: stage,
          content: { analysis: stages[stage] },
          clientData: { 'fitbit:stage': stage }
        })
      }
    }
  }
}

/** `10/27/24 00:00:05`, in seconds. */
function americanTime(text: string | undefined, zone: string | undefined): number {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text ?? '')
  if (!parts) return NaN
  const [month, day, year, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  return timeOf([2000 + year, month, day, hour, minute, second], 0, undefined, zone)
}
