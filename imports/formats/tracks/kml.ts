/** KML: tracks with times (`gx:Track`), and placemarks with a time. */
import { Unreadable, type Format, type Sink } from '../record.js'
import { isoTime } from '../text/times.js'
import { localName } from '../text/xml.js'
import { isPlace, Track } from './tracks.js'
import { numberOf } from './units.js'
import { readElements, type ElementReader } from './xml-files.js'

export const kml: Format = {
  id: 'kml',
  name: 'KML',
  recognises: ({ text }) => /<(?:\w+:)?kml[\s>]/i.test(text.slice(0, 4000)),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

type Place = readonly (number | undefined)[]

/** Elements of a placemark that are of use. */
const parts = new Set(['begin', 'coordinates', 'description', 'end', 'name', 'when'])
const mostWaiting = 400_000

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #isInTrack = false
  /** Times whose places have not come yet, or places whose times have not: as a rule all of one kind come first. */
  #times: number[] = []
  #places: Place[] = []
  /** Index of the first that waits. */
  #next = 0
  #place: Record<string, string> = {}
  #text = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string): void {
    const own = localName(name)
    this.#text = ''
    if (own === 'Track') {
      this.#isInTrack = true
      this.#track.begin()
    } else if (own === 'Placemark') this.#place = {}
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const text = this.#text.trim()
    this.#text = ''
    if (own === 'Track') this.#endTrack()
    else if (this.#isInTrack && own === 'when') this.#when(isoTime(text, this.zone))
    else if (this.#isInTrack && own === 'coord') this.#coord(text.split(/[\s,]+/, 3).map(numberOf))
    else if (own === 'Placemark') this.#placemark()
    else if (own === 'kml') this.isClosed = true
    else if (text !== '' && parts.has(own)) this.#place[own] ??= text
  }

  finish(): void {
    this.#endTrack()
  }

  #endTrack(): void {
    if (!this.#isInTrack) return
    const missing = this.#times.length + this.#places.length - this.#next
    if (missing > 0) this.sink.leftOut('coord', 'without a time or a position', missing)
    const { end, start } = this.#track.span
    if (!Number.isNaN(start)) this.#track.activity('Track', this.#place['name'] ?? '', start, end)
    this.#clear()
    this.#track.begin()
    this.#isInTrack = false
    // The name and times around the track have been used.
    this.#place = {}
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
      throw new Unreadable(`It has a track with more than ${mostWaiting} times or places without the other`)
    waiting.push(item)
  }

  #give(time: number, [longitude, latitude, altitude]: Place): void {
    this.#track.add({
      kind: 'coord',
      time,
      latitude: latitude ?? NaN,
      longitude: longitude ?? NaN,
      altitude
    })
    if (++this.#next === this.#times.length + this.#places.length) this.#clear()
  }

  #clear(): void {
    this.#times = []
    this.#places = []
    this.#next = 0
  }

  #placemark(): void {
    const { begin, coordinates, description, end, name, when } = this.#place
    this.#place = {}
    if (coordinates === undefined) return
    const kind = 'Placemark'
    const time = isoTime(when ?? begin ?? '', this.zone)
    const [longitude, latitude, altitude] = coordinates.trim().split(/\s+/)[0]!.split(',').map(numberOf)
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const until = isoTime(end ?? '', this.zone)
      const content = {
        latitude: latitude!,
        longitude: longitude!,
        ...(altitude !== undefined && { altitude })
      }
      const told = [
        name,
        description
          ?.replaceAll(/<[^<>]*>/g, ' ')
          .trim()
          .slice(0, 2000)
      ]
        .filter(Boolean)
        .join(': ')
      this.sink.datum({
        kind,
        source: '',
        type: 'position/wgs84',
        stream: 'Places',
        time,
        duration: until > time ? until - time : undefined,
        content,
        identity: JSON.stringify([latitude, longitude]),
        ...(told && { description: told })
      })
    }
  }
}
