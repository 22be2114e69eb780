/** GPX 1.0 and 1.1: tracks with what was measured on the way, and waypoints. */
import type { Format, Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { attribute, localName } from '../../text/xml.js'
import { isPlace, Track, type TrackPoint } from '../tracks.js'
import { numberOf } from '../../text/units.js'
import { readElements, type ElementReader } from '../xml-files.js'

export const gpx: Format = {
  id: 'gpx',
  name: 'GPX',
  recognises: ({ text }) => /<(?:[\w.-]+:)?gpx[\s>]/i.test(text.slice(0, 4000)),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

/** Elements of a track's points, with what they measure. Programs call the same by several names. */
const measured = new Map<string, Exclude<keyof TrackPoint, 'kind' | 'time'>>([
  ['ele', 'altitude'],
  ['speed', 'speed'],
  ['course', 'bearing'],
  ['bearing', 'bearing'],
  ['hacc', 'horizontalAccuracy'],
  ['vacc', 'verticalAccuracy'],
  ['hr', 'heartRate'],
  ['heartrate', 'heartRate'],
  ['cad', 'cadence'],
  ['cadence', 'cadence'],
  ['power', 'power'],
  ['powerinwatts', 'power'],
  ['watts', 'power'],
  ['atemp', 'temperature'],
  ['temp', 'temperature'],
  ['distance', 'distance']
])
const points = new Set(['trkpt', 'wpt', 'rtept'])
const ofWaypoint = new Set(['name', 'desc', 'cmt'])
/** Elements of a track that are told with its activity. */
const ofTrack = new Set(['name', 'desc', 'cmt', 'type', 'src'])
const longestText = 2000

interface Point {
  readonly kind: string
  readonly latitude: number
  readonly longitude: number
  time: number
  readonly numbers: Partial<Record<Exclude<keyof TrackPoint, 'kind' | 'time'>, number>>
  readonly texts: Record<string, string>
}

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #point: Point | undefined
  #text = ''
  /** What the present track says of itself; `undefined` outside of tracks. */
  #about: Record<string, string> | undefined
  /** Elements within the present track. */
  #depth = 0
  #hasSegment = false
  /** Segments of the present track: it may say its name after them. */
  #segments: { readonly start: number; readonly end: number }[] = []

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string, attributes: string): void {
    const own = localName(name)
    this.#text = ''
    this.#depth++
    if (own === 'trk') {
      this.#endTrack()
      this.#about = {}
      this.#depth = 0
    } else if (own === 'trkseg') {
      this.#track.begin()
      this.#hasSegment = true
    } else if (points.has(own)) {
      if (this.#point) this.sink.leftOut(this.#point.kind, 'torn: its end is missing')
      const [latitude, longitude] = ['lat', 'lon'].map(each => numberOf(attribute(attributes, each)) ?? NaN)
      this.#point = {
        kind: own,
        latitude: latitude!,
        longitude: longitude!,
        time: NaN,
        numbers: {},
        texts: {}
      }
    }
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const text = this.#text.trim()
    this.#text = ''
    const depth = this.#depth--
    if (points.has(own)) {
      if (this.#point) this.#give(this.#point)
      this.#point = undefined
    } else if (this.#point) {
      if (text !== '') this.#part(this.#point, own, text)
    } else if (own === 'trkseg') this.#endSegment()
    else if (own === 'trk') this.#endTrack()
    else if (own === 'gpx') this.isClosed = true
    else if (this.#about && depth === 1 && ofTrack.has(own) && text !== '')
      this.#about[own] = text.slice(0, own === 'name' ? 200 : longestText)
  }

  finish(): void {
    if (this.#point) this.sink.leftOut(this.#point.kind, 'cut off before its end')
    // The whole file has a longer one.
    if (this.#hasSegment) this.sink.leftOut('trkseg', 'cut off before its end')
    this.#endTrack()
  }

  #endSegment(): void {
    const { end, start } = this.#track.span
    if (!Number.isNaN(start)) this.#segments.push({ start, end })
    this.#track.begin()
    this.#hasSegment = false
  }

  #endTrack(): void {
    const { name = '', type, desc, cmt, src } = this.#about ?? {}
    const told = Object.entries({ type, description: desc, comment: cmt, source: src }).filter(
      ([, value]) => value !== undefined
    )
    const clientData = told.length > 0 ? { 'gpx:track': Object.fromEntries(told) } : undefined
    for (const { end, start } of this.#segments) this.#track.activity('trkseg', name, start, end, clientData)
    this.#segments = []
    this.#about = undefined
    this.#hasSegment = false
  }

  /** An element within a point. */
  #part(point: Point, name: string, text: string): void {
    if (name === 'time') {
      point.time = isoTime(text, this.zone)
      return
    }
    const own = name.toLowerCase()
    const member = measured.get(own)
    const number = member && point.numbers[member] === undefined ? numberOf(text) : undefined
    if (point.kind === 'wpt' && ofWaypoint.has(own)) point.texts[own] = text.slice(0, longestText)
    else if (point.kind === 'rtept') return
    else if (member && number !== undefined) point.numbers[member] = number
    else this.sink.leftOut(`${point.kind} ${name}`, 'of a kind without a type here')
  }

  #give(point: Point): void {
    const { kind, latitude, longitude, numbers, time } = point
    if (kind === 'trkpt') this.#track.add({ kind, time, latitude, longitude, ...numbers })
    else if (kind === 'rtept') this.sink.leftOut(kind, 'a place on a route that was planned')
    else if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else this.#waypoint(point)
  }

  #waypoint({ kind, latitude, longitude, numbers, texts, time }: Point): void {
    const { altitude, ...others } = numbers
    const description = [texts['name'], texts['desc'], texts['cmt']].filter(Boolean).join(': ')
    this.sink.datum({
      kind,
      source: '',
      type: 'position/wgs84',
      stream: 'Waypoints',
      time,
      content: { latitude, longitude, ...(altitude !== undefined && { altitude }) },
      ...(description && { description })
    })
    for (const name of Object.keys(others))
      this.sink.leftOut(`${kind} ${name}`, 'of a kind without a type here')
  }
}
