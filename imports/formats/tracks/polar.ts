/** Polar's export of an account: training sessions with their samples, and heart rates and steps of days. */
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
    const reader = new Reader(sink, options.zone)
    if (/"deviceDays"\s*:/.test(head.text))
      await eachObject(source, head, sink, isAt('deviceDays'), day => reader.day(day))
    else if (!/"exercises"\s*:/.test(head.text))
      await eachObject(source, head, sink, outermost, object => reader.activity(object))
    else if (source.size <= mostAtOnce)
      await eachObject(source, head, sink, isAt('exercises'), exercise => reader.exercise(exercise))
    else {
      // Hours of samples are no one object: they are read one by one, after what the beginning says of the session.
      reader.begin(beginningOf(head.text))
      const isWhole = await eachObject(source, head, sink, isSamples, (sample, path) =>
        reader.sample(path[2] ?? '', sample)
      )
      reader.end(isWhole)
    }
  }
}

/** Bytes of a session that is read exercise by exercise. */
const mostAtOnce = 3 * 1024 * 1024

function isSamples(path: readonly string[]): boolean {
  return path[0] === 'exercises' && path[1] === 'samples'
}

function isAt(list: string): (path: readonly string[]) => boolean {
  return path => path.length === 1 && path[0] === list
}

/** What stands before the samples of a session: its own members come before those of its exercises. */
function beginningOf(text: string): Json {
  const names = [
    'startTime',
    'stopTime',
    'sport',
    'timezoneOffset',
    'timeZoneOffset',
    'distance',
    'kiloCalories'
  ]
  const told = names.flatMap(name => {
    const value = new RegExp(`"${name}"\\s*:\\s*(?:"([^"]{1,60})"|(-?[\\d.]{1,20}))`).exec(text)
    return value ? [[name, value[1] ?? Number(value[2])] as const] : []
  })
  return Object.fromEntries(told)
}

/** Samples with what they measure, and what their numbers are multiplied by: speeds are kilometres an hour. */
const samples = new Map<
  string,
  { readonly name: Exclude<keyof TrackPoint, 'kind' | 'time'>; readonly by?: number }
>([
  ['heartRate', { name: 'heartRate' }],
  ['altitude', { name: 'altitude' }],
  ['speed', { name: 'speed', by: 1 / 3.6 }],
  ['cadence', { name: 'cadence' }],
  ['distance', { name: 'distance' }],
  ['temperature', { name: 'temperature' }],
  ['power', { name: 'power' }]
])

class Reader {
  #track: Track
  /** What is said of the exercise, and its minutes east of Greenwich. */
  #exercise: Json = {}
  #offset: number | undefined

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  exercise(exercise: Json): void {
    this.begin(exercise)
    const lists = at(exercise, 'samples')
    for (const [name, list] of Object.entries(isObject(lists) ? lists : {}))
      if (Array.isArray(list)) for (const each of list) this.sample(name, each)
    this.end(true)
  }

  begin(exercise: Json): void {
    this.#exercise = exercise
    this.#offset = numberAt(exercise, 'timezoneOffset') ?? numberAt(exercise, 'timeZoneOffset')
    this.#track = new Track(this.sink, '')
  }

  sample(list: string, sample: unknown): void {
    const time = this.#time(at(sample, 'dateTime'))
    if (list === 'recordedRoute') {
      const [latitude, longitude] = [numberAt(sample, 'latitude'), numberAt(sample, 'longitude')]
      const place = { latitude: latitude ?? NaN, longitude: longitude ?? NaN }
      this.#track.add({ kind: list, time, ...place, altitude: numberAt(sample, 'altitude') })
      return
    }
    const known = samples.get(list)
    const kind = `sample ${list}`
    const value = numberAt(sample, 'value')
    if (!known) this.sink.leftOut(kind, 'of a kind without a type here')
    else if (value === undefined) this.sink.leftOut(kind, 'without a number')
    else this.#track.add({ kind, time, [known.name]: scaled(value, known.by) })
  }

  end(isWhole: boolean): void {
    const exercise = this.#exercise
    const [start, end] = [this.#time(exercise['startTime']), this.#time(exercise['stopTime'])]
    const sport = textAt(exercise, 'sport') ?? textAt(exercise, 'sport', 'id') ?? ''
    const numbers = numbersAt(exercise, ['distance', 'kiloCalories', 'ascent', 'descent'])
    if (!isWhole && Number.isNaN(end)) this.sink.leftOut('exercise', 'cut off before its end')
    else
      this.#track.activity('exercise', sport.toLowerCase().replaceAll('_', ' '), start, end, {
        'polar:exercise': { sport, ...numbers }
      })
  }

  /** Heart rates of days, by seconds of the day. */
  day(day: Json): void {
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

  /** Steps and energy of a day; those of its minutes are parts of them. */
  activity(object: Json): void {
    const date = textAt(object, 'date') ?? ''
    const [time, duration] = [isoTime(date, this.zone), dayLength(date, this.zone)]
    const sums = [
      ['stepCount', 'count/steps', 'Steps of days'],
      ['calories', 'energy/kcal', 'Energy of days']
    ] as const
    for (const [name, type, stream] of sums) {
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

  /** A local time of the zone that was told, or of the file's own minutes east of Greenwich. */
  #time(value: unknown): number {
    const offset = this.#offset
    if (typeof value !== 'string') return NaN
    if (this.zone !== undefined || offset === undefined || namesOffset(value))
      return isoTime(value, this.zone)
    return isoTime(value) - offset * 60
  }
}
