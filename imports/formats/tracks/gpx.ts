/** GPX 1.0 and 1.1: tracks with what was measured on the way, and waypoints. */
import type { Format, Sink } from '../record.js'
import { isoTime } from '../text/times.js'
import { attribute, localName } from '../text/xml.js'
import { isPlace, Track } from './tracks.js'
import { numberOf } from './units.js'
import { readElements, type ElementReader } from './xml-files.js'

export const gpx: Format = {
  id: 'gpx',
  name: 'GPX',
  recognises: ({ text }) => /<(?:\w+:)?gpx[\s>]/i.test(text.slice(0, 4000)),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

/** Elements of a point that are of use. */
const parts = new Set(['time', 'ele', 'speed', 'hr', 'heartrate', 'name', 'desc', 'cmt'])

interface Point {
  readonly kind: string
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  readonly values: Record<string, string>
}

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #point: Point | undefined
  #text = ''
  #name = ''
  #hasPoints = false

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string, attributes: string, isEmpty: boolean): void {
    const own = localName(name)
    this.#text = ''
    if (own === 'trkseg') {
      this.#track.begin()
      this.#hasPoints = false
    } else if (own === 'trk') this.#name = ''
    else if (own === 'trkpt' || own === 'wpt' || own === 'rtept') {
      const [latitude, longitude] = ['lat', 'lon'].map(each => numberOf(attribute(attributes, each)) ?? NaN)
      this.#point = { kind: own, latitude, longitude, values: {} }
      if (isEmpty) return
    }
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const point = this.#point
    if (own === 'trkpt' || own === 'wpt' || own === 'rtept') {
      this.#point = undefined
      if (point) this.#give(point)
    } else if (point) {
      if (parts.has(own)) point.values[own] = this.#text.trim()
    } else if (own === 'name') this.#name = this.#text.trim().slice(0, 200)
    else if (own === 'trkseg') this.#endSegment()
    else if (own === 'gpx') this.isClosed = true
    this.#text = ''
  }

  finish(): void {
    this.#endSegment()
  }

  #endSegment(): void {
    const { end, start } = this.#track.span
    if (this.#hasPoints && !Number.isNaN(start)) this.#track.activity('trkseg', this.#name, start, end)
    this.#track.begin()
    this.#hasPoints = false
  }

  #give({ kind, latitude, longitude, values }: Point): void {
    const time = isoTime(values['time'] ?? '', this.zone)
    const altitude = numberOf(values['ele'])
    if (kind === 'trkpt') {
      const heartRate = numberOf(values['hr'] ?? values['heartrate'])
      this.#hasPoints = true
      this.#track.add({
        kind,
        time,
        latitude,
        longitude,
        altitude,
        speed: numberOf(values['speed']),
        heartRate
      })
      return
    }
    if (kind === 'rtept') {
      this.sink.leftOut(kind, 'a place on a route that was planned')
      return
    }
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const content = {
        latitude: latitude!,
        longitude: longitude!,
        ...(altitude !== undefined && { altitude })
      }
      const description = [values['name'], values['desc'] ?? values['cmt']].filter(Boolean).join(': ')
      this.sink.datum({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Waypoints',
        time,
        content,
        ...(description && { description })
      })
    }
  }
}
