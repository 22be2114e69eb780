/** Reads Fitbit's own export: JSON files by kind and day. */
import { type Format, type FileHead, type Sink, markLength } from '../../record.js'
import { parseIsoTime, findRepeatedTime, toTime } from '../../text/times.js'
import {
  getId,
  getMember,
  readObjects,
  isJson,
  skipUnread,
  getList,
  getNumber,
  getNumbers,
  isTopLevel,
  getText,
  type Json
} from '../json-files.js'
import { buildNightRecord } from '../../night-record.js'

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
    await readObjects(source, head, sink, isTopLevel, object => reader.read(object))
  }
}

/** Returns the kind of a file: by its objects, or by its name. */
function detectKind({ name, text }: FileHead): FileKind | undefined {
  const start = text.slice(0, markLength)
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

  /** Reads one object, according to the kind of file. */
  read(object: Json): void {
    if (this.kind === 'weight') this.#addWeight(object)
    else if (this.kind === 'sleep') this.#addNight(object)
    else this.#addValue(object)
  }

  /** Adds a value of the kind of the file, or counts it as skipped; zeros mean that nothing was measured. */
  #addValue(object: Json): void {
    const { kind, sink } = this
    // In UTC, unlike times of sleep.
    const time = parseAmericanTime(getText(object, 'dateTime'), undefined)
    const source = ''
    if (kind === 'heart_rate') {
      const value = getNumber(object, 'value', 'bpm')
      if (!value) sink.skip(kind, 'zero, which means that nothing was measured')
      else sink.addRecord({ kind, source, type: 'frequency/bpm', stream: 'Heart rate', time, content: value })
      return
    }
    if (kind === 'resting_heart_rate') {
      const value = getNumber(object, 'value', 'value')
      if (!value) sink.skip(kind, 'zero, which means that nothing was measured')
      else
        sink.addRecord({
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
    const value = getNumber(object, 'value')
    if (!target) sink.skip(kind, 'of a kind without a type here')
    else if (value === undefined) sink.skip(kind, 'without a number')
    else if (value === 0) sink.skip(kind, 'zero, which means that nothing was measured')
    else sink.addRecord({ kind, source, time, duration: 60, content: value, ...target })
  }

  /** Adds a weight, which is always in pounds, and the body fat with it. */
  #addWeight(object: Json): void {
    const kind = 'weight'
    const weight = getNumber(object, 'weight')
    const id = getNumber(object, 'logId')
    const time =
      id !== undefined && id > 1e11
        ? id / 1000
        : parseAmericanTime(`${getText(object, 'date')} ${getText(object, 'time')}`, this.zone)
    const source = getText(object, 'source') ?? ''
    if (!weight) {
      this.sink.skip(kind, 'without a number')
      return
    }
    this.sink.addRecord({ kind, source, type: 'mass/lb', stream: 'Weight', time, content: weight })
    const fat = getNumber(object, 'fat')
    if (fat)
      this.sink.addRecord({
        kind: 'weight, body fat',
        source,
        type: 'ratio/percent',
        stream: 'Body fat',
        time,
        content: fat
      })
  }

  /** Adds a night and its stages. */
  #addNight(object: Json): void {
    const time = parseIsoTime(getText(object, 'startTime') ?? '', this.zone)
    const end = parseIsoTime(getText(object, 'endTime') ?? '', this.zone)
    const duration = end > time ? end - time : (getNumber(object, 'duration') ?? 0) / 1000
    const minutes = getNumber(object, 'minutesAsleep')
    const night = buildNightRecord({
      kind: 'sleep',
      time,
      duration,
      asleep: minutes === undefined ? undefined : minutes * 60,
      identity: getId(object, 'logId') ?? '',
      clientData: {
        'fitbit:sleep': {
          ...getNumbers(object, nightMembers),
          summary: getMember(object, 'levels', 'summary')
        }
      }
    })
    this.sink.addRecord(night)
    this.#addStages(getList(object, 'levels', 'data'))
    const shortCount = getList(object, 'levels', 'shortData').length
    if (shortCount > 0)
      this.sink.skip('sleep shortData', 'part of a measurement that is brought in as one', shortCount)
    skipUnread(this.sink, 'sleep', object, member => readNightMembers.has(member))
  }

  /** Adds the stages of a night, which follow one another. */
  #addStages(data: readonly unknown[]): void {
    const kind = 'sleep stage'
    let lastEnd = -Infinity
    for (const each of data) {
      const [stage = '', seconds] = [getText(each, 'level'), getNumber(each, 'seconds') ?? 0]
      const first = parseIsoTime(getText(each, 'dateTime') ?? '', this.zone)
      const time =
        first < lastEnd && this.zone !== undefined ? (findRepeatedTime(first, this.zone) ?? first) : first
      if (!Object.hasOwn(analysisByLevel, stage)) this.sink.skip(kind, 'of a kind without a type here')
      else if (!(seconds > 0)) this.sink.skip(kind, 'of an end that cannot be read')
      else {
        lastEnd = time + seconds
        this.sink.addRecord({
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
  return toTime([2000 + year, month, day, hour, minute, second], 0, undefined, zone)
}
