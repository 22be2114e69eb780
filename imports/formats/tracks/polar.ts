/** Reads Polar's account export: training sessions with their samples, and daily heart rates and steps. */
import type { Format, Sink } from '../../record.js'
import { getDayLength, parseIsoTime, hasOffset } from '../../text/times.js'
import {
  getMember,
  readObjects,
  isJson,
  isObject,
  getList,
  getNumber,
  getNumbers,
  getText,
  type Json,
  isTopLevel
} from '../json-files.js'
import { TrackWriter, type TrackPoint } from '../track-writer.js'
import { scaleValue } from '../../text/units.js'

export const polar: Format = {
  id: 'polar',
  name: 'Polar',
  recognises: head =>
    isJson(head) &&
    ((/"exercises"\s*:/.test(head.text) &&
      /"(?:exportVersion|recordedRoute|timezoneOffset)"/.test(head.text)) ||
      (/"deviceDays"\s*:/.test(head.text) && /"secondsFromDayStart"/.test(head.text)) ||
      (/"exportVersion"\s*:/.test(head.text) && /"stepCount"/.test(head.text))),
  async read(source, head, sink, { options }) {
    const reader = new PolarReader(sink, options.zone)
    if (/"deviceDays"\s*:/.test(head.text))
      await readObjects(source, head, sink, isInList('deviceDays'), day => reader.addDay(day))
    else if (!/"exercises"\s*:/.test(head.text))
      await readObjects(source, head, sink, isTopLevel, object => reader.addDailyActivity(object))
    else if (source.size <= maxExerciseBytes)
      await readObjects(source, head, sink, isInList('exercises'), exercise => reader.readExercise(exercise))
    else {
      // Hours of samples exceed the limit of an object. They are read one by one, after the summary at the beginning.
      reader.beginExercise(parseSummary(head.text))
      const isComplete = await readObjects(source, head, sink, isSampleList, (sample, path) =>
        reader.addSample(path[2] ?? '', sample)
      )
      reader.endExercise(isComplete)
    }
  }
}

/** Maximum size of a session that is read exercise by exercise, in bytes. */
const maxExerciseBytes = 3 * 1024 * 1024

function isSampleList(path: readonly string[]): boolean {
  return path[0] === 'exercises' && path[1] === 'samples'
}

function isInList(list: string): (path: readonly string[]) => boolean {
  return path => path.length === 1 && path[0] === list
}

/** Returns the members before a session's samples: the session's own members precede the members of its exercises. */
function parseSummary(text: string): Json {
  const names = [
    'startTime',
    'stopTime',
    'sport',
    'timezoneOffset',
    'timeZoneOffset',
    'distance',
    'kiloCalories'
  ]
  const members = names.flatMap(name => {
    const value = new RegExp(`"${name}"\\s*:\\s*(?:"([^"]{1,60})"|(-?[\\d.]{1,20}))`).exec(text)
    return value ? [[name, value[1] ?? Number(value[2])] as const] : []
  })
  return Object.fromEntries(members)
}

/** Kinds of samples: what they measure, and the factor of their numbers. Speeds are in kilometres per hour. */
const sampleKinds = new Map<
  string,
  { readonly name: Exclude<keyof TrackPoint, 'kind' | 'time'>; readonly factor?: number }
>([
  ['heartRate', { name: 'heartRate' }],
  ['altitude', { name: 'altitude' }],
  ['speed', { name: 'speed', factor: 1 / 3.6 }],
  ['cadence', { name: 'cadence' }],
  ['distance', { name: 'distance' }],
  ['temperature', { name: 'temperature' }],
  ['power', { name: 'power' }]
])

class PolarReader {
  #track: TrackWriter
  /** The current exercise, and its offset from UTC in minutes. */
  #exercise: Json = {}
  #offset: number | undefined

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Reads a whole exercise: its samples, then the activity. */
  readExercise(exercise: Json): void {
    this.beginExercise(exercise)
    const lists = getMember(exercise, 'samples')
    for (const [name, list] of Object.entries(isObject(lists) ? lists : {}))
      if (Array.isArray(list)) for (const each of list) this.addSample(name, each)
    this.endExercise(true)
  }

  /** Begins an exercise whose samples follow. */
  beginExercise(exercise: Json): void {
    this.#exercise = exercise
    this.#offset = getNumber(exercise, 'timezoneOffset') ?? getNumber(exercise, 'timeZoneOffset')
    this.#track = new TrackWriter(this.sink, '')
  }

  /** Adds one sample of a list of the current exercise, by the name of the list. */
  addSample(list: string, sample: unknown): void {
    const time = this.#parseTime(getMember(sample, 'dateTime'))
    if (list === 'recordedRoute') {
      const [latitude, longitude] = [getNumber(sample, 'latitude'), getNumber(sample, 'longitude')]
      const position = { latitude: latitude ?? NaN, longitude: longitude ?? NaN }
      this.#track.addPoint({ kind: list, time, ...position, altitude: getNumber(sample, 'altitude') })
      return
    }
    const sampleKind = sampleKinds.get(list)
    const kind = `sample ${list}`
    const value = getNumber(sample, 'value')
    if (!sampleKind) this.sink.skip(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.skip(kind, 'without a number')
    else this.#track.addPoint({ kind, time, [sampleKind.name]: scaleValue(value, sampleKind.factor) })
  }

  /** Adds the activity. `isComplete` is false if the file was cut off within the exercise. */
  endExercise(isComplete: boolean): void {
    const exercise = this.#exercise
    const [start, end] = [this.#parseTime(exercise['startTime']), this.#parseTime(exercise['stopTime'])]
    const sport = getText(exercise, 'sport') ?? getText(exercise, 'sport', 'id') ?? ''
    const numbers = getNumbers(exercise, ['distance', 'kiloCalories', 'ascent', 'descent'])
    if (!isComplete && Number.isNaN(end)) this.sink.skip('exercise', 'cut off before its end')
    else
      this.#track.addActivity({
        kind: 'exercise',
        name: sport.toLowerCase().replaceAll('_', ' '),
        start,
        end,
        clientData: {
          'polar:exercise': { sport, ...numbers }
        }
      })
  }

  /** Adds the heart rates of a day, by seconds of the day. */
  addDay(day: Json): void {
    const kind = 'deviceDay heart rate'
    const start = parseIsoTime(getText(day, 'date') ?? '', this.zone)
    for (const sample of getList(day, 'samples')) {
      const [seconds, content] = [getNumber(sample, 'secondsFromDayStart'), getNumber(sample, 'heartRate')]
      if (Number.isNaN(start) || seconds === undefined) this.sink.skip(kind, 'without a time')
      else if (!content)
        this.sink.skip(
          kind,
          content === 0 ? 'zero, which means that nothing was measured' : 'without a number'
        )
      else
        this.sink.addRecord({
          kind,
          source: '',
          type: 'frequency/bpm',
          stream: 'Heart rate of days',
          time: start + seconds,
          content
        })
    }
  }

  /** Adds the steps and energy of a day, whose minutes are part of these totals. */
  addDailyActivity(object: Json): void {
    const date = getText(object, 'date') ?? ''
    const [time, duration] = [parseIsoTime(date, this.zone), getDayLength(date, this.zone)]
    const totals = [
      ['stepCount', 'count/steps', 'Steps of days'],
      ['calories', 'energy/kcal', 'Energy of days']
    ] as const
    for (const [name, type, stream] of totals) {
      const content = getNumber(object, 'summary', name)
      if (content === undefined) continue
      if (Number.isNaN(time)) this.sink.skip(`day ${name}`, 'without a time')
      else this.sink.addRecord({ kind: `day ${name}`, source: '', type, stream, time, duration, content })
    }
    const parts = getMember(object, 'samples')
    for (const [name, list] of Object.entries(isObject(parts) ? parts : {}))
      if (Array.isArray(list) && list.length > 0)
        this.sink.skip(`day ${name}`, 'of a kind without a type here', list.length)
  }

  /** Parses a local time in the user's zone, or with the file's own offset from UTC in minutes. */
  #parseTime(value: unknown): number {
    const offset = this.#offset
    if (typeof value !== 'string') return NaN
    if (this.zone !== undefined || offset === undefined || hasOffset(value))
      return parseIsoTime(value, this.zone)
    return parseIsoTime(value) - offset * 60
  }
}
