/** KML: tracks with times (`gx:Track`), and placemarks with a time. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { attribute, localName } from '../../text/xml.js'
import { isPlace, Track, type Measured } from '../tracks.js'
import { numberOf } from '../../text/units.js'
import { readElements, type ElementReader } from '../xml-files.js'

export const kml: Format = {
  id: 'kml',
  name: 'KML',
  recognises: ({ text }) => /<(?:[\w.-]+:)?kml[\s>]/i.test(text.slice(0, 4000)),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

type Place = readonly (number | undefined)[]

/** Elements of a placemark that are of use. */
const parts = new Set(['begin', 'description', 'end', 'name', 'when'])
/** Geometry whose positions have no times. */
const shapes = new Set(['LineString', 'LinearRing', 'Polygon'])
/** What is on the map, but is no place where somebody was. */
const overlays = new Set(['GroundOverlay', 'Model', 'NetworkLink', 'PhotoOverlay', 'ScreenOverlay'])
const mostWaiting = 400_000

/** What the values of a track's array measure, by its name. */
const arrays: readonly (readonly [RegExp, Measured])[] = [
  [/^(?:hr|heart[ _]?rate)$/i, 'heartRate'],
  [/^cad(?:ence)?$/i, 'cadence'],
  [/^(?:power|watts)$/i, 'power'],
  [/^(?:temp|temperature|atemp)$/i, 'temperature']
]

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #isInTrack = false
  #isInPlacemark = false
  /** Times whose places have not come yet, or places whose times have not: as a rule all of one kind come first. */
  #times: number[] = []
  #places: Place[] = []
  /** Index of the first that waits. */
  #next = 0
  /** Times of the present track's points, to which its arrays belong. */
  #given: number[] = []
  #array: { readonly name: string; next: number } | undefined
  #place: Record<string, string> = {}
  /** What the present placemark shows: points, positions of lines, and spans of tracks. */
  #points: Place[] = []
  #line = 0
  #lineShape = ''
  #tracks: { readonly start: number; readonly end: number }[] = []
  #shape = ''
  #text = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string, attributes: string): void {
    const own = localName(name)
    this.#text = ''
    if (own === 'Track') {
      this.#isInTrack = true
      this.#given = []
      this.#track.begin()
    } else if (own === 'Placemark') {
      this.#placemark()
      this.#isInPlacemark = true
    } else if (own === 'SimpleArrayData')
      this.#array = { name: attribute(attributes, 'name') ?? 'value', next: 0 }
    else if (own === 'Point' || shapes.has(own)) this.#shape = own
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const text = this.#text.trim()
    this.#text = ''
    if (own === 'Track') this.#endTrack()
    else if (own === 'SimpleArrayData') this.#array = undefined
    else if (own === 'value' && this.#array) this.#value(this.#array, text)
    else if (this.#isInTrack && own === 'when') this.#when(isoTime(text, this.zone))
    else if (this.#isInTrack && own === 'coord') this.#coord(text.split(/[\s,]+/, 3).map(numberOf))
    else if (own === 'coordinates') this.#coordinates(text)
    else if (own === 'Placemark') this.#placemark()
    else if (overlays.has(own)) this.sink.leftOut(own, 'of a kind without a type here')
    else if (own === 'kml') this.isClosed = true
    else if (this.#isInPlacemark && text !== '' && parts.has(own)) this.#place[own] ??= text
  }

  finish(): void {
    if (this.#isInTrack) {
      this.#pairless()
      // The whole file has a longer one.
      this.sink.leftOut('Track', 'cut off before its end')
    }
    if (this.#tracks.length > 0) this.#endTracks()
    else if (this.#isInPlacemark && !this.#isInTrack) this.sink.leftOut('Placemark', 'cut off before its end')
  }

  #endTrack(): void {
    if (!this.#isInTrack) return
    this.#pairless()
    const { end, start } = this.#track.span
    if (!Number.isNaN(start)) this.#tracks.push({ start, end })
    this.#track.begin()
    this.#isInTrack = false
    if (!this.#isInPlacemark) this.#endTracks()
  }

  /** Tracks become activities at the end of their placemark, which may tell its name there. */
  #endTracks(): void {
    for (const { end, start } of this.#tracks)
      this.#track.activity('Track', this.#place['name'] ?? '', start, end)
    this.#tracks = []
  }

  #pairless(): void {
    const missing = this.#times.length + this.#places.length - this.#next
    if (missing > 0) this.sink.leftOut('coord', 'without a time or a position', missing)
    this.#clear()
  }

  #when(time: number): void {
    if (this.#next >= this.#places.length) this.#wait(this.#times, time)
    else this.#give(time, this.#places[this.#next]!)
  }

  #coord(place: Place): void {
    if (this.#next >= this.#times.length) this.#wait(this.#places, place)
    else this.#give(this.#times[this.#next]!, place)
  }

  #wait<T>(waiting: T[], item: T): void {
    if (waiting.length >= mostWaiting)
      throw new Unreadable('It has a track with more than {count} times or places without the other', {
        count: mostWaiting
      })
    waiting.push(item)
  }

  #give(time: number, [longitude, latitude, altitude]: Place): void {
    const [kind, at] = ['coord', { latitude: latitude ?? NaN, longitude: longitude ?? NaN }]
    this.#track.add({ kind, time, ...at, altitude })
    if (this.#given.length < mostWaiting) this.#given.push(time)
    if (++this.#next === this.#times.length + this.#places.length) this.#clear()
  }

  #clear(): void {
    this.#times = []
    this.#places = []
    this.#next = 0
  }

  /** A value of an array, which belongs to the point of its index. */
  #value(array: { readonly name: string; next: number }, text: string): void {
    const time = this.#given[array.next++] ?? NaN
    if (text === '') return
    const number = numberOf(text)
    const known = arrays.find(([pattern]) => pattern.test(array.name))?.[1]
    if (known && number !== undefined) this.#track.measure(`coord ${array.name}`, time, known, number)
    else this.sink.leftOut(`coord ${array.name}`, 'of a kind without a type here')
  }

  #coordinates(text: string): void {
    const places = text === '' ? [] : text.split(/\s+/)
    if (this.#shape !== 'Point') {
      this.#line += places.length
      this.#lineShape = this.#shape
    }
    // Many points in one placemark are as rare as long ones.
    else if (this.#points.length < mostWaiting) this.#points.push(places[0]?.split(',').map(numberOf) ?? [])
  }

  #placemark(): void {
    if (!this.#isInPlacemark) return
    const { begin, end, name, when } = this.#place
    const time = isoTime(when ?? begin ?? '', this.zone)
    const until = isoTime(end ?? '', this.zone)
    const isEmpty = this.#points.length + this.#line + this.#tracks.length === 0
    for (const place of this.#points) this.#point(place, time, until)
    if (this.#line > 0) {
      this.sink.leftOut(this.#lineShape, 'without a time', this.#line)
      // A way with a beginning and an end, but with no times on it.
      if (until > time) this.#track.activity('Placemark', name ?? '', time, until)
    } else if (isEmpty) this.sink.leftOut('Placemark', 'without a position')
    this.#endTracks()
    this.#place = {}
    this.#points = []
    this.#line = 0
    this.#isInPlacemark = false
  }

  #point([longitude, latitude, altitude]: Place, time: number, until: number): void {
    const kind = 'Placemark'
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const { name, description } = this.#place
      const words = description?.replaceAll(/<[^<>]*>/g, ' ').trim()
      const told = [name, words?.slice(0, 2000)].filter(Boolean).join(': ')
      this.sink.datum({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Places',
        time,
        duration: until > time ? until - time : undefined,
        content: { latitude: latitude!, longitude: longitude!, ...(altitude !== undefined && { altitude }) },
        identity: JSON.stringify([latitude, longitude]),
        ...(told && { description: told })
      })
    }
  }
}
