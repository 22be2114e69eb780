/** Reads Polar's account export: training sessions with their samples, and daily heart rates and steps. */
import type { Format, Sink } from '../../record.js'
import { dayLength, isoTime, namesOffset } from '../../text/times.js'
import {
  at,
  eachObject,
  isJson,
  isObject,
  listAt,
  numberAt,
  numbersAt,
  textAt,
  type Json,
  outermost
} from '../json-files.js'
import { Track, type TrackPoint } from '../tracks.js'
import { scaled } from '../../text/units.js'

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
      await eachObject(source, head, sink, isInList('deviceDays'), day => reader.addDay(day))
    else if (!/"exercises"\s*:/.test(head.text))
      await eachObject(source, head, sink, outermost, object => reader.addDailyActivity(object))
    else if (source.size <= maxExerciseBytes)
      await eachObject(source, head, sink, isInList('exercises'), exercise => reader.readExercise(exercise))
    else {
      // Hours of samples exceed the limit of an object. They are read one by one, after the summary at the beginning.
      reader.beginExercise(parseSummary(head.text))
      const isComplete = await eachObject(source, head, sink, isSampleList, (sample, path) =>
        reader.addSample(path[2] ?? '', sample)
      )
      reader.endExercise(isComplete)
    }
  }
}

/** Limit of a session that is read exercise by exercise, in bytes. */
const maxExerciseBytes = 3 * 1024 * 1024

function isSampleList(path: readonly string[]): boolean {
  return path[0] === 'exercises' && path[1] === 'samples'
}

function isInList(list: string): (path: readonly string[]) => boolean {
  return path => path.length === 1 && path[0] === list
}

/** Returns the members before a session's samples: its own members precede those of its exercises. */
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
  #track: Track
  /** The current exercise, and its offset from UTC in minutes. */
  #exercise: Json = {}
  #offset: number | undefined

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  readExercise(exercise: Json): void {
    this.beginExercise(exercise)
    const lists = at(exercise, 'samples')
    for (const [name, list] of Object.entries(isObject(lists) ? lists : {}))
      if (Array.isArray(list)) for (const each of list) this.addSample(name, each)
    this.endExercise(true)
  }

  beginExercise(exercise: Json): void {
    this.#exercise = exercise
    this.#offset = numberAt(exercise, 'timezoneOffset') ?? numberAt(exercise, 'timeZoneOffset')
    this.#track = new Track(this.sink, '')
  }

  addSample(list: string, sample: unknown): void {
    const time = this.#parseTime(at(sample, 'dateTime'))
    if (list === 'recordedRoute') {
      const [latitude, longitude] = [numberAt(sample, 'latitude'), numberAt(sample, 'longitude')]
      const position = { latitude: latitude ?? NaN, longitude: longitude ?? NaN }
      this.#track.add({ kind: list, time, ...position, altitude: numberAt(sample, 'altitude') })
      return
    }
    const sampleKind = sampleKinds.get(list)
    const kind = `sample ${list}`
    const value = numberAt(sample, 'value')
    if (!sampleKind) this.sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.leftOut(kind, 'without a number')
    else this.#track.add({ kind, time, [sampleKind.name]: scaled(value, sampleKind.factor) })
  }

  endExercise(isComplete: boolean): void {
    const exercise = this.#exercise
    const [start, end] = [this.#parseTime(exercise['startTime']), this.#parseTime(exercise['stopTime'])]
    const sport = textAt(exercise, 'sport') ?? textAt(exercise, 'sport', 'id') ?? ''
    const numbers = numbersAt(exercise, ['distance', 'kiloCalories', 'ascent', 'descent'])
    if (!isComplete && Number.isNaN(end)) this.sink.leftOut('exercise', 'cut off before its end')
    else
      this.#track.activity('exercise', sport.toLowerCase().replaceAll('_', ' '), start, end, {
        'polar:exercise': { sport, ...numbers }
      })
  }

  /** Adds the heart rates of a day, by seconds of the day. */
  addDay(day: Json): void {
    const kind = 'deviceDay heart rate'
    const start = isoTime(textAt(day, 'date') ?? '', this.zone)
    for (const sample of listAt(day, 'samples')) {
      const [seconds, content] = [numberAt(sample, 'secondsFromDayStart'), numberAt(sample, 'heartRate')]
      if (Number.isNaN(start) || seconds === undefined) this.sink.leftOut(kind, 'without a time')
      else if (!content)
        this.sink.leftOut(
          kind,
          content === 0 ? 'zero, which means that nothing was measured' : 'without a number'
        )
      else
        this.sink.datum({
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
    const date = textAt(object, 'date') ?? ''
    const [time, duration] = [isoTime(date, this.zone), dayLength(date, this.zone)]
    const totals = [
      ['stepCount', 'count/steps', 'Steps of days'],
      ['calories', 'energy/kcal', 'Energy of days']
    ] as const
    for (const [name, type, stream] of totals) {
      const content = numberAt(object, 'summary', name)
      if (content === undefined) continue
      if (Number.isNaN(time)) this.sink.leftOut(`day ${name}`, 'without a time')
      else this.sink.datum({ kind: `day ${name}`, source: '', type, stream, time, duration, content })
    }
    const parts = at(object, 'samples')
    for (const [name, list] of Object.entries(isObject(parts) ? parts : {}))
      if (Array.isArray(list) && list.length > 0)
        this.sink.leftOut(`day ${name}`, 'of a kind without a type here', list.length)
  }

  /** Parses a local time in the user's zone, or with the file's own offset from UTC in minutes. */
  #parseTime(value: unknown): number {
    const offset = this.#offset
    if (typeof value !== 'string') return NaN
    if (this.zone !== undefined || offset === undefined || namesOffset(value))
      return isoTime(value, this.zone)
    return isoTime(value) - offset * 60
  }
}
