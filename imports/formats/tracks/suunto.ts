/** Reads Suunto's JSON of a training: samples with angles in radians, rates in hertz, temperatures in kelvins. */
import type { Format, Sink } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getMember, readObjects, isJson, isObject, getList, getText, type Json } from '../json-files.js'
import { TrackWriter, type TrackPoint } from '../track-writer.js'
import { scaleValue } from '../../text/units.js'

export const suunto: Format = {
  id: 'suunto',
  name: 'Suunto',
  recognises: head =>
    isJson(head) &&
    (/"DeviceLog"\s*:/.test(head.text) || /"suunto\/sml"\s*:/.test(head.text)) &&
    /"(?:Samples|Header|TimeISO8601)"/.test(head.text),
  async read(source, head, sink, { options }) {
    const reader = new SuuntoReader(sink, options.zone, parseHeader(head.text))
    const isComplete = await readObjects(
      source,
      head,
      sink,
      path => path.at(-1) === 'Samples',
      object => reader.addSample(object)
    )
    reader.finish(isComplete)
  }
}

interface Header {
  readonly start: string
  readonly seconds: number
  readonly activity: string
}

/** Parses the header at the beginning of the file, as far as it exists. */
function parseHeader(text: string): Header {
  const from = text.indexOf('"Header"')
  const header = from < 0 ? '' : text.slice(from, from + 20_000)
  const getValue = (name: string): string =>
    new RegExp(`"${name}"\\s*:\\s*"?([^",}\\s]{1,60})`).exec(header)?.[1] ?? ''
  return {
    start: getValue('DateTime'),
    seconds: Number(getValue('Duration')),
    activity: getValue('ActivityType')
  }
}

/** Members of samples what they measure, and how they convert to our units. */
const sampleMembers = new Map<
  string,
  {
    readonly name: Exclude<keyof TrackPoint, 'kind' | 'time'>
    readonly factor?: number
    readonly offset?: number
  }
>([
  ['Latitude', { name: 'latitude', factor: 180 / Math.PI }],
  ['Longitude', { name: 'longitude', factor: 180 / Math.PI }],
  ['GPSAltitude', { name: 'altitude' }],
  ['Altitude', { name: 'altitude' }],
  ['EHPE', { name: 'horizontalAccuracy' }],
  ['Speed', { name: 'speed' }],
  ['GPSSpeed', { name: 'speed' }],
  ['HR', { name: 'heartRate', factor: 60 }],
  ['Cadence', { name: 'cadence', factor: 60 }],
  ['Power', { name: 'power' }],
  ['BikePower', { name: 'power' }],
  ['Temperature', { name: 'temperature', offset: -273.15 }],
  ['Distance', { name: 'distance' }]
])
/** Members about when and by which device a sample was taken. */
const metadataMembers = new Set([
  'TimeISO8601',
  'UTC',
  'Time',
  'LocalTime',
  'SampleType',
  'Source',
  'Attributes'
])

class SuuntoReader {
  readonly #track: TrackWriter

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined,
    private readonly header: Header
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Adds the numbers and R-R intervals of one sample. */
  addSample(object: Json): void {
    const inner = getMember(object, 'Attributes', 'suunto/sml', 'Sample')
    const sample = isObject(inner) ? inner : object
    const timeText =
      getText(sample, 'UTC') ?? getText(object, 'TimeISO8601') ?? getText(sample, 'TimeISO8601') ?? ''
    const time = parseIsoTime(timeText, this.zone)
    this.#addIntervals(object, time)
    const numbers: Partial<Record<Exclude<keyof TrackPoint, 'kind' | 'time'>, number>> = {}
    for (const [name, value] of Object.entries(sample)) {
      const member = sampleMembers.get(name)
      if (value === null || metadataMembers.has(name) || name === 'R-R') continue
      if (member && typeof value === 'number') {
        const number = Number((scaleValue(value, member.factor) + (member.offset ?? 0)).toFixed(7))
        numbers[member.name] ??= number
      } else this.sink.skip(`sample ${name}`, 'of a kind without a type here')
    }
    if (Object.keys(numbers).length > 0) this.#track.addPoint({ kind: 'sample', time, ...numbers })
  }

  /** Ends the file: adds the training. `isComplete` is false if the file was cut off. */
  finish(isComplete: boolean): void {
    const { end, start } = this.#track.span
    const headerStart = parseIsoTime(this.header.start, this.zone)
    const { activity, seconds } = this.header
    const from = Number.isNaN(headerStart) ? start : headerStart
    const to = seconds > 0 ? from + seconds : end
    if (Number.isNaN(from)) return
    // The complete file has a longer training.
    if (!isComplete && !(seconds > 0)) {
      this.sink.skip('training', 'cut off before its end')
      return
    }
    this.#track.addActivity({
      kind: 'training',
      name: '',
      start: from,
      end: to,
      clientData: {
        'suunto:training': { activityType: activity, ...(seconds > 0 && { seconds }) }
      }
    })
  }

  /** Adds intervals between beats (ms). The last interval ends at the time of the sample. */
  #addIntervals(object: Json, time: number): void {
    const inner = getMember(object, 'Attributes', 'suunto/sml', 'R-R')
    const list = getList(isObject(inner) ? inner : object['R-R'], 'Data').filter(
      (each): each is number => typeof each === 'number'
    )
    if (list.length === 0) return
    if (Number.isNaN(time)) {
      this.sink.skip('R-R', 'without a time', list.length)
      return
    }
    let beat = time - list.reduce((sum, each) => sum + each, 0) / 1000
    for (const content of list) {
      beat += content / 1000
      this.sink.addRecord({
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
