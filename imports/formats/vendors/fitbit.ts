/** Reads Fitbit's own export: JSON files by kind and day. */
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

type FileKind =
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
  recognises: head => isJson(head) && detectKind(head) !== undefined,
  async read(source, head, sink, { options }) {
    const kind = detectKind(head)!
    const reader = new FitbitReader(kind, options.zone, sink)
    if (kind === 'weight') sink.warn('Weights of Fitbit name no unit: they are taken for pounds')
    await eachObject(source, head, sink, outermost, object => reader.read(object))
  }
}

/** Returns the kind of a file: by its objects, or by its name. */
function detectKind({ name, text }: Head): FileKind | undefined {
  const start = text.slice(0, 4000)
  if (/^\s*\[\s*\{\s*"logId"/.test(start)) {
    if (/"weight"\s*:/.test(start)) return 'weight'
    return /"dateOfSleep"\s*:/.test(start) ? 'sleep' : undefined
  }
  if (!/^\s*\[\s*\{\s*"dateTime"\s*:\s*"\d\d\/\d\d\/\d\d /.test(start)) return undefined
  if (/"bpm"\s*:/.test(start)) return 'heart_rate'
  const named = /(?:^|\/)(resting_heart_rate|steps|distance|calories|altitude)-/.exec(name)?.[1]
  return named as FileKind | undefined
}

const simpleKinds: Readonly<Partial<Record<FileKind, { type: string; stream: string; factor?: number }>>> = {
  steps: { type: 'count/steps', stream: 'Steps' },
  // In centimetres.
  distance: { type: 'length/cm', stream: 'Distance' },
  calories: { type: 'energy/kcal', stream: 'Energy' }
}

/** Sleep or wakefulness by level; older nights have three levels. */
const analysisByLevel: Readonly<Record<string, 'asleep' | 'awake'>> = {
  deep: 'asleep',
  light: 'asleep',
  rem: 'asleep',
  asleep: 'asleep',
  restless: 'awake',
  awake: 'awake',
  wake: 'awake'
}
/** Members of a night that are kept with it. */
const nightMembers = [
  'efficiency',
  'minutesAsleep',
  'minutesAwake',
  'minutesToFallAsleep',
  'minutesAfterWakeup',
  'timeInBed'
]
const readNightMembers: ReadonlySet<string> = new Set([
  'logId',
  'dateOfSleep',
  'startTime',
  'endTime',
  'duration',
  'levels',
  ...nightMembers
])

class FitbitReader {
  constructor(
    private readonly kind: FileKind,
    private readonly zone: string | undefined,
    private readonly sink: Sink
  ) {}

  read(object: Json): void {
    if (this.kind === 'weight') this.#addWeight(object)
    else if (this.kind === 'sleep') this.#addNight(object)
    else this.#addValue(object)
  }

  #addValue(object: Json): void {
    const { kind, sink } = this
    // In UTC, unlike times of sleep.
    const time = parseAmericanTime(textAt(object, 'dateTime'), undefined)
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
    const target = simpleKinds[kind]
    const value = numberAt(object, 'value')
    if (!target) sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) sink.leftOut(kind, 'without a number')
    else if (value === 0) sink.leftOut(kind, 'zero, which means that nothing was measured')
    else sink.datum({ kind, source, time, duration: 60, content: value, ...target })
  }

  #addWeight(object: Json): void {
    const kind = 'weight'
    const weight = numberAt(object, 'weight')
    const id = numberAt(object, 'logId')
    const time =
      id !== undefined && id > 1e11
        ? id / 1000
        : parseAmericanTime(`${textAt(object, 'date')} ${textAt(object, 'time')}`, this.zone)
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

  #addNight(object: Json): void {
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
          ...numbersAt(object, nightMembers),
          summary: at(object, 'levels', 'summary')
        }
      }
    })
    this.sink.datum(night)
    this.#addStages(listAt(object, 'levels', 'data'))
    const shortCount = listAt(object, 'levels', 'shortData').length
    if (shortCount > 0)
      this.sink.leftOut('sleep shortData', 'part of a measurement that is brought in as one', shortCount)
    leaveMembers(this.sink, 'sleep', object, member => readNightMembers.has(member))
  }

  /** Adds the stages of a night, which follow one another. */
  #addStages(data: readonly unknown[]): void {
    const kind = 'sleep stage'
    let lastEnd = -Infinity
    for (const each of data) {
      const [stage = '', seconds] = [textAt(each, 'level'), numberAt(each, 'seconds') ?? 0]
      const first = isoTime(textAt(each, 'dateTime') ?? '', this.zone)
      const time =
        first < lastEnd && this.zone !== undefined ? (laterReading(first, this.zone) ?? first) : first
      if (!Object.hasOwn(analysisByLevel, stage)) this.sink.leftOut(kind, 'of a kind without a type here')
      else if (!(seconds > 0)) this.sink.leftOut(kind, 'of an end that cannot be read')
      else {
        lastEnd = time + seconds
        this.sink.datum({
          kind,
          source: '',
          type: 'sleep/analysis',
          stream: 'Sleep',
          time,
          duration: seconds,
          identity: stage,
          content: { analysis: analysisByLevel[stage] },
          clientData: { 'fitbit:stage': stage }
        })
      }
    }
  }
}

/** Parses a time such as `10/27/24 00:00:05` into seconds. */
function parseAmericanTime(text: string | undefined, zone: string | undefined): number {
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
