/** Suunto's JSON of a training: samples with angles in radians, rates in hertz, temperatures in kelvins. */
import type { Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { at, eachObject, isJson, isObject, listAt, textAt, type Json } from '../json-files.js'
import { Track, type TrackPoint } from '../tracks.js'
import { scaled } from '../../text/units.js'

export const suunto: Format = {
  id: 'suunto',
  name: 'Suunto',
  recognises: head =>
    isJson(head) &&
    (/"DeviceLog"\s*:/.test(head.text) || /"suunto\/sml"\s*:/.test(head.text)) &&
    /"(?:Samples|Header|TimeISO8601)"/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new Reader(sink, options.zone, headerOf(head.text))
    const isWhole = await eachObject(
      source,
      head,
      sink,
      path => path.at(-1) === 'Samples',
      object => reader.sample(object)
    )
    reader.end(isWhole)
  }
}

interface Header {
  readonly start: string
  readonly seconds: number
  readonly activity: string
}

/** What the beginning of the file says of the training, where it does. */
function headerOf(text: string): Header {
  const from = text.indexOf('"Header"')
  const part = from < 0 ? '' : text.slice(from, from + 20_000)
  const valueOf = (name: string): string =>
    new RegExp(`"${name}"\\s*:\\s*"?([^",}\\s]{1,60})`).exec(part)?.[1] ?? ''
  return {
    start: valueOf('DateTime'),
    seconds: Number(valueOf('Duration')),
    activity: valueOf('ActivityType')
  }
}

/** Members of samples, with what they measure in our units. */
const members = new Map<
  string,
  { readonly name: Exclude<keyof TrackPoint, 'kind' | 'time'>; readonly by?: number; readonly plus?: number }
>([
  ['Latitude', { name: 'latitude', by: 180 / Math.PI }],
  ['Longitude', { name: 'longitude', by: 180 / Math.PI }],
  ['GPSAltitude', { name: 'altitude' }],
  ['Altitude', { name: 'altitude' }],
  ['EHPE', { name: 'horizontalAccuracy' }],
  ['Speed', { name: 'speed' }],
  ['GPSSpeed', { name: 'speed' }],
  ['HR', { name: 'heartRate', by: 60 }],
  ['Cadence', { name: 'cadence', by: 60 }],
  ['Power', { name: 'power' }],
  ['BikePower', { name: 'power' }],
  ['Temperature', { name: 'temperature', plus: -273.15 }],
  ['Distance', { name: 'distance' }]
])
/** Members that say when and by what a sample was taken. */
const others = new Set(['TimeISO8601', 'UTC', 'Time', 'LocalTime', 'SampleType', 'Source', 'Attributes'])

class Reader {
  readonly #track: Track

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined,
    private readonly header: Header
  ) {
    this.#track = new Track(sink, '')
  }

  sample(object: Json): void {
    const inner = at(object, 'Attributes', 'suunto/sml', 'Sample')
    const sample = isObject(inner) ? inner : object
    const moment =
      textAt(sample, 'UTC') ?? textAt(object, 'TimeISO8601') ?? textAt(sample, 'TimeISO8601') ?? ''
    const time = isoTime(moment, this.zone)
    this.#beats(object, time)
    const numbers: Partial<Record<Exclude<keyof TrackPoint, 'kind' | 'time'>, number>> = {}
    for (const [name, value] of Object.entries(sample)) {
      const member = members.get(name)
      if (value === null || others.has(name) || name === 'R-R') continue
      if (member && typeof value === 'number') {
        const number = Number((scaled(value, member.by) + (member.plus ?? 0)).toFixed(7))
        numbers[member.name] ??= number
      } else this.sink.leftOut(`sample ${name}`, 'of a kind without a type here')
    }
    if (Object.keys(numbers).length > 0) this.#track.add({ kind: 'sample', time, ...numbers })
  }

  end(isWhole: boolean): void {
    const { end, start } = this.#track.span
    const told = isoTime(this.header.start, this.zone)
    const { activity, seconds } = this.header
    const from = Number.isNaN(told) ? start : told
    const to = seconds > 0 ? from + seconds : end
    if (Number.isNaN(from)) return
    // The whole file has a longer one.
    if (!isWhole && !(seconds > 0)) {
      this.sink.leftOut('training', 'cut off before its end')
      return
    }
    this.#track.activity('training', '', from, to, {
      'suunto:training': { activityType: activity, ...(seconds > 0 && { seconds }) }
    })
  }

  /** Times between beats (ms), the last of which ends with the sample. */
  #beats(object: Json, time: number): void {
    const inner = at(object, 'Attributes', 'suunto/sml', 'R-R')
    const list = listAt(isObject(inner) ? inner : object['R-R'], 'Data').filter(
      (each): each is number => typeof each === 'number'
    )
    if (list.length === 0) return
    if (Number.isNaN(time)) {
      this.sink.leftOut('R-R', 'without a time', list.length)
      return
    }
    let beat = time - list.reduce((sum, each) => sum + each, 0) / 1000
    for (const content of list) {
      beat += content / 1000
      this.sink.datum({
        kind: 'R-R',
        source: '',
        type: 'time/ms',
        stream: 'Beat to beat intervals',
        time: Number(beat.toFixed(3)),
        content
      })
    }
  }
}
