/** Reads KML: tracks with times (`gx:Track`), and placemarks with a time. */
import { Unreadable, type Format, type Sink, markLength } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getAttribute, getLocalName } from '../../text/xml.js'
import { isValidPosition, TrackWriter, type MeasureName } from '../track-writer.js'
import { parseNumber } from '../../text/units.js'
import { readXmlElements, type ElementReader } from '../xml-files.js'

export const kml: Format = {
  id: 'kml',
  name: 'KML',
  recognises: ({ text }) => /<(?:[\w.-]+:)?kml[\s>]/i.test(text.slice(0, markLength)),
  read: (source, head, sink, { options }) =>
    readXmlElements(source, head, sink, new KmlReader(sink, options.zone))
}

type Position = readonly (number | undefined)[]

/** Elements of a placemark that are read. */
const placemarkElements = new Set(['begin', 'description', 'end', 'name', 'when'])
/** Shapes whose positions have no times. */
const shapes = new Set(['LineString', 'LinearRing', 'Polygon'])
/** Map elements that are not positions. */
const overlays = new Set(['GroundOverlay', 'Model', 'NetworkLink', 'PhotoOverlay', 'ScreenOverlay'])
const maxPending = 400_000

/** Measures of a track's arrays, by name. */
const measuresByArrayName: readonly (readonly [RegExp, MeasureName])[] = [
  [/^(?:hr|heart[ _]?rate)$/i, 'heartRate'],
  [/^cad(?:ence)?$/i, 'cadence'],
  [/^(?:power|watts)$/i, 'power'],
  [/^(?:temp|temperature|atemp)$/i, 'temperature']
]

class KmlReader implements ElementReader {
  isClosed = false
  readonly #track: TrackWriter
  #isInTrack = false
  #isInPlacemark = false
  /**
   * Times without positions yet, or positions without times yet: usually either all times or all positions come first.
   */
  #times: number[] = []
  #positions: Position[] = []
  /** Index of the first pending time or position. */
  #firstPending = 0
  /** Times of the current track's points, to which its arrays belong. */
  #pointTimes: number[] = []
  #array: { readonly name: string; next: number } | undefined
  #placemarkTexts: Record<string, string> = {}
  /** Content of the current placemark: points, number of line positions, and time ranges of tracks. */
  #points: Position[] = []
  #linePositionCount = 0
  #lineShape = ''
  #tracks: { readonly start: number; readonly end: number }[] = []
  #shape = ''
  #text = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  open(name: string, attributes: string): void {
    const element = getLocalName(name)
    this.#text = ''
    if (element === 'Track') {
      this.#isInTrack = true
      this.#pointTimes = []
      this.#track.beginSegment()
    } else if (element === 'Placemark') {
      this.#endPlacemark()
      this.#isInPlacemark = true
    } else if (element === 'SimpleArrayData')
      this.#array = { name: getAttribute(attributes, 'name') ?? 'value', next: 0 }
    else if (element === 'Point' || shapes.has(element)) this.#shape = element
  }

  /** Collects text until the next end tag. */
  text(text: string): void {
    this.#text += text
  }

  /** Handles an end tag: adds the track or placemark that is complete now. */
  close(name: string): void {
    const element = getLocalName(name)
    const text = this.#text.trim()
    this.#text = ''
    if (element === 'Track') this.#endTrack()
    else if (element === 'SimpleArrayData') this.#array = undefined
    else if (element === 'value' && this.#array) this.#addArrayValue(this.#array, text)
    else if (this.#isInTrack && element === 'when') this.#addTime(parseIsoTime(text, this.zone))
    else if (this.#isInTrack && element === 'coord')
      this.#addPosition(text.split(/[\s,]+/, 3).map(parseNumber))
    else if (element === 'coordinates') this.#readCoordinates(text)
    else if (element === 'Placemark') this.#endPlacemark()
    else if (overlays.has(element)) this.sink.skip(element, 'of a kind without a type here')
    else if (element === 'kml') this.isClosed = true
    else if (this.#isInPlacemark && text !== '' && placemarkElements.has(element))
      this.#placemarkTexts[element] ??= text
  }

  finish(): void {
    if (this.#isInTrack) {
      this.#skipUnpaired()
      // The complete file has a longer track.
      this.sink.skip('Track', 'cut off before its end')
    }
    if (this.#tracks.length > 0) this.#endTracks()
    else if (this.#isInPlacemark && !this.#isInTrack) this.sink.skip('Placemark', 'cut off before its end')
  }

  #endTrack(): void {
    if (!this.#isInTrack) return
    this.#skipUnpaired()
    const { end, start } = this.#track.span
    if (!Number.isNaN(start)) this.#tracks.push({ start, end })
    this.#track.beginSegment()
    this.#isInTrack = false
    if (!this.#isInPlacemark) this.#endTracks()
  }

  /** Adds tracks as activities at the end of their placemark, whose name may follow them. */
  #endTracks(): void {
    for (const { end, start } of this.#tracks)
      this.#track.addActivity({ kind: 'Track', name: this.#placemarkTexts['name'] ?? '', start, end })
    this.#tracks = []
  }

  #skipUnpaired(): void {
    const missing = this.#times.length + this.#positions.length - this.#firstPending
    if (missing > 0) this.sink.skip('coord', 'without a time or a position', missing)
    this.#clearPending()
  }

  #addTime(time: number): void {
    if (this.#firstPending >= this.#positions.length) this.#enqueue(this.#times, time)
    else this.#addPoint(time, this.#positions[this.#firstPending]!)
  }

  #addPosition(place: Position): void {
    if (this.#firstPending >= this.#times.length) this.#enqueue(this.#positions, place)
    else this.#addPoint(this.#times[this.#firstPending]!, place)
  }

  #enqueue<T>(pending: T[], item: T): void {
    if (pending.length >= maxPending)
      throw new Unreadable('It has a track with more than {count} times or places without the other', {
        count: maxPending
      })
    pending.push(item)
  }

  #addPoint(time: number, [longitude, latitude, altitude]: Position): void {
    const [kind, coordinates] = ['coord', { latitude: latitude ?? NaN, longitude: longitude ?? NaN }]
    this.#track.addPoint({ kind, time, ...coordinates, altitude })
    if (this.#pointTimes.length < maxPending) this.#pointTimes.push(time)
    if (++this.#firstPending === this.#times.length + this.#positions.length) this.#clearPending()
  }

  #clearPending(): void {
    this.#times = []
    this.#positions = []
    this.#firstPending = 0
  }

  /** Adds a value of an array. It belongs to the point with its index. */
  #addArrayValue(array: { readonly name: string; next: number }, text: string): void {
    const time = this.#pointTimes[array.next++] ?? NaN
    if (text === '') return
    const number = parseNumber(text)
    const measure = measuresByArrayName.find(([pattern]) => pattern.test(array.name))?.[1]
    if (measure && number !== undefined) this.#track.addValue(`coord ${array.name}`, time, measure, number)
    else this.sink.skip(`coord ${array.name}`, 'of a kind without a type here')
  }

  #readCoordinates(text: string): void {
    const places = text === '' ? [] : text.split(/\s+/)
    if (this.#shape !== 'Point') {
      this.#linePositionCount += places.length
      this.#lineShape = this.#shape
    }
    // A placemark with that many points is as unlikely as such a track.
    else if (this.#points.length < maxPending) this.#points.push(places[0]?.split(',').map(parseNumber) ?? [])
  }

  /** Adds the points and tracks of a placemark, now that its texts are known. */
  #endPlacemark(): void {
    if (!this.#isInPlacemark) return
    const { begin, end, name, when } = this.#placemarkTexts
    const time = parseIsoTime(when ?? begin ?? '', this.zone)
    const endTime = parseIsoTime(end ?? '', this.zone)
    const isEmpty = this.#points.length + this.#linePositionCount + this.#tracks.length === 0
    for (const place of this.#points) this.#addPlacemark(place, time, endTime)
    if (this.#linePositionCount > 0) {
      this.sink.skip(this.#lineShape, 'without a time', this.#linePositionCount)
      // A path with a start and an end, but without times in between.
      if (endTime > time)
        this.#track.addActivity({ kind: 'Placemark', name: name ?? '', start: time, end: endTime })
    } else if (isEmpty) this.sink.skip('Placemark', 'without a position')
    this.#endTracks()
    this.#placemarkTexts = {}
    this.#points = []
    this.#linePositionCount = 0
    this.#isInPlacemark = false
  }

  /** Adds a placemark as a place, or counts it as skipped. Times are in seconds. */
  #addPlacemark([longitude, latitude, altitude]: Position, time: number, endTime: number): void {
    const kind = 'Placemark'
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else {
      const { name, description } = this.#placemarkTexts
      const plainText = description?.replaceAll(/<[^<>]*>/g, ' ').trim()
      const text = [name, plainText?.slice(0, 2000)].filter(Boolean).join(': ')
      this.sink.addRecord({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Places',
        time,
        duration: endTime > time ? endTime - time : undefined,
        content: { latitude: latitude!, longitude: longitude!, ...(altitude !== undefined && { altitude }) },
        identity: JSON.stringify([latitude, longitude]),
        ...(text && { description: text })
      })
    }
  }
}
