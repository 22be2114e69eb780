/** Reads GPX 1.0 and 1.1: tracks with their measurements, and waypoints. */
import { type Format, type Sink, markLength } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getAttribute, getLocalName } from '../../text/xml.js'
import { isValidPosition, TrackWriter, type TrackPoint } from '../track-writer.js'
import { parseNumber } from '../../text/units.js'
import { readXmlElements, type ElementReader } from '../xml-files.js'

export const gpx: Format = {
  id: 'gpx',
  name: 'GPX',
  recognises: ({ text }) => /<(?:[\w.-]+:)?gpx[\s>]/i.test(text.slice(0, markLength)),
  read: (source, head, sink, { options }) =>
    readXmlElements(source, head, sink, new GpxReader(sink, options.zone))
}

/** Elements of a track point and what they measure. Apps use several names for the same value. */
const measureNames = new Map<string, Exclude<keyof TrackPoint, 'kind' | 'time'>>([
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
const pointElements = new Set(['trkpt', 'wpt', 'rtept'])
const waypointTexts = new Set(['name', 'desc', 'cmt'])
/** Elements of a track that are kept in its activity. */
const trackTexts = new Set(['name', 'desc', 'cmt', 'type', 'src'])
const maxTextLength = 2000

interface Point {
  readonly kind: string
  readonly latitude: number
  readonly longitude: number
  time: number
  readonly numbers: Partial<Record<Exclude<keyof TrackPoint, 'kind' | 'time'>, number>>
  readonly texts: Record<string, string>
}

class GpxReader implements ElementReader {
  isClosed = false
  readonly #track: TrackWriter
  #point: Point | undefined
  #text = ''
  /** Description of the current track; `undefined` outside of tracks. */
  #trackInfo: Record<string, string> | undefined
  /** Depth of elements within the current track. */
  #depth = 0
  #hasSegment = false
  /** Segments of the current track, which are kept because the track's name may follow them. */
  #segments: { readonly start: number; readonly end: number }[] = []

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Begins an element: a track, a segment or a point. */
  open(name: string, attributes: string): void {
    const element = getLocalName(name)
    this.#text = ''
    this.#depth++
    if (element === 'trk') {
      this.#endTrack()
      this.#trackInfo = {}
      this.#depth = 0
    } else if (element === 'trkseg') {
      this.#track.beginSegment()
      this.#hasSegment = true
    } else if (pointElements.has(element)) {
      if (this.#point) this.sink.skip(this.#point.kind, 'torn: its end is missing')
      const [latitude, longitude] = ['lat', 'lon'].map(
        each => parseNumber(getAttribute(attributes, each)) ?? NaN
      )
      this.#point = {
        kind: element,
        latitude: latitude!,
        longitude: longitude!,
        time: NaN,
        numbers: {},
        texts: {}
      }
    }
  }

  /** Collects text until the next end tag. */
  text(text: string): void {
    this.#text += text
  }

  /** Handles an end tag: adds the point, segment or track that is complete now. */
  close(name: string): void {
    const element = getLocalName(name)
    const text = this.#text.trim()
    this.#text = ''
    const depth = this.#depth--
    if (pointElements.has(element)) {
      if (this.#point) this.#addPoint(this.#point)
      this.#point = undefined
    } else if (this.#point) {
      if (text !== '') this.#readPointElement(this.#point, element, text)
    } else if (element === 'trkseg') this.#endSegment()
    else if (element === 'trk') this.#endTrack()
    else if (element === 'gpx') this.isClosed = true
    else if (this.#trackInfo && depth === 1 && trackTexts.has(element) && text !== '')
      this.#trackInfo[element] = text.slice(0, element === 'name' ? 200 : maxTextLength)
  }

  finish(): void {
    if (this.#point) this.sink.skip(this.#point.kind, 'cut off before its end')
    // The complete file has a longer segment.
    if (this.#hasSegment) this.sink.skip('trkseg', 'cut off before its end')
    this.#endTrack()
  }

  #endSegment(): void {
    const { end, start } = this.#track.span
    if (!Number.isNaN(start)) this.#segments.push({ start, end })
    this.#track.beginSegment()
    this.#hasSegment = false
  }

  #endTrack(): void {
    const { name = '', type, desc, cmt, src } = this.#trackInfo ?? {}
    const details = Object.entries({ type, description: desc, comment: cmt, source: src }).filter(
      ([, value]) => value !== undefined
    )
    const clientData = details.length > 0 ? { 'gpx:track': Object.fromEntries(details) } : undefined
    for (const { end, start } of this.#segments)
      this.#track.addActivity({ kind: 'trkseg', name, start, end, clientData })
    this.#segments = []
    this.#trackInfo = undefined
    this.#hasSegment = false
  }

  /** Reads an element within a point. */
  #readPointElement(point: Point, name: string, text: string): void {
    if (name === 'time') {
      point.time = parseIsoTime(text, this.zone)
      return
    }
    const element = name.toLowerCase()
    const member = measureNames.get(element)
    const number = member && point.numbers[member] === undefined ? parseNumber(text) : undefined
    if (point.kind === 'wpt' && waypointTexts.has(element))
      point.texts[element] = text.slice(0, maxTextLength)
    else if (point.kind === 'rtept') return
    else if (member && number !== undefined) point.numbers[member] = number
    else this.sink.skip(`${point.kind} ${name}`, 'of a kind without a type here')
  }

  #addPoint(point: Point): void {
    const { kind, latitude, longitude, numbers, time } = point
    if (kind === 'trkpt') this.#track.addPoint({ kind, time, latitude, longitude, ...numbers })
    else if (kind === 'rtept') this.sink.skip(kind, 'a place on a route that was planned')
    else if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else this.#addWaypoint(point)
  }

  /** Adds a waypoint as a position with a description. Other measurements are skipped. */
  #addWaypoint({ kind, latitude, longitude, numbers, texts, time }: Point): void {
    const { altitude, ...others } = numbers
    const description = [texts['name'], texts['desc'], texts['cmt']].filter(Boolean).join(': ')
    this.sink.addRecord({
      kind,
      source: '',
      type: 'position/wgs84',
      stream: 'Waypoints',
      time,
      content: { latitude, longitude, ...(altitude !== undefined && { altitude }) },
      ...(description && { description })
    })
    for (const name of Object.keys(others)) this.sink.skip(`${kind} ${name}`, 'of a kind without a type here')
  }
}
