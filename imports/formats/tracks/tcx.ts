/** TCX: laps of activities with positions, heights, heart rates, cadences and powers. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import { isoTime } from '../../text/times.js'
import { attribute, localName } from '../../text/xml.js'
import { Track, type TrackPoint } from '../tracks.js'
import { numberOf } from '../../text/units.js'
import { readElements, type ElementReader } from '../xml-files.js'

export const tcx: Format = {
  id: 'tcx',
  name: 'TCX',
  recognises: ({ text }) => /<(?:[\w.-]+:)?TrainingCenterDatabase[\s>]/.test(text.slice(0, 4000)),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

/** Elements of a point, with what they measure. */
const measured = new Map<string, Exclude<keyof TrackPoint, 'kind' | 'time'>>([
  ['LatitudeDegrees', 'latitude'],
  ['LongitudeDegrees', 'longitude'],
  ['AltitudeMeters', 'altitude'],
  ['DistanceMeters', 'distance'],
  ['HeartRateBpm', 'heartRate'],
  ['Speed', 'speed'],
  ['Cadence', 'cadence'],
  ['RunCadence', 'cadence'],
  ['Watts', 'power']
])
const deepest = 100
const longestNotes = 2000

interface Activity {
  readonly sport: string
  start: number
  seconds: number
  metres: number
  calories: number
  notes: string
}

interface Point {
  time: number
  readonly numbers: Partial<Record<Exclude<keyof TrackPoint, 'kind' | 'time'>, number>>
}

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #activity: Activity | undefined
  #point: Point | undefined
  /** Elements around the present one. */
  readonly #path: string[] = []
  #text = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string, attributes: string): void {
    const own = localName(name)
    if (this.#path.length >= deepest)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: deepest })
    this.#path.push(own)
    this.#text = ''
    if (own === 'Activity') {
      if (this.#activity) this.#endActivity()
      const sport = attribute(attributes, 'Sport') ?? ''
      this.#activity = { sport, start: NaN, seconds: 0, metres: 0, calories: 0, notes: '' }
      this.#track.begin()
    } else if (own === 'Lap' && this.#activity && Number.isNaN(this.#activity.start))
      this.#activity.start = isoTime(attribute(attributes, 'StartTime') ?? '', this.zone)
    else if (own === 'Trackpoint') {
      if (this.#point) this.sink.leftOut('Trackpoint', 'torn: its end is missing')
      this.#point = { time: NaN, numbers: {} }
    }
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const text = this.#text.trim()
    this.#text = ''
    // Where an end is missing, or one is there that nothing has begun, the elements around it still hold.
    const at = this.#path.lastIndexOf(own)
    if (at < 0) return
    this.#path.length = at
    const above = this.#path.at(-1) ?? ''
    if (own === 'Trackpoint') {
      if (this.#point) this.#give(this.#point)
      this.#point = undefined
    } else if (this.#point) {
      if (text !== '') this.#part(this.#point, own === 'Value' ? above : own, text)
    } else if (this.#activity) this.#ofActivity(this.#activity, own, above, text)
    if (own === 'TrainingCenterDatabase') this.isClosed = true
  }

  finish(): void {
    if (this.#point) this.sink.leftOut('Trackpoint', 'cut off before its end')
    // The whole file has a longer one.
    if (this.#activity) this.sink.leftOut('Activity', 'cut off before its end')
  }

  /** An element outside of points. */
  #ofActivity(activity: Activity, name: string, above: string, text: string): void {
    const value = numberOf(text) ?? 0
    if (name === 'Activity') this.#endActivity()
    else if (name === 'Lap') this.sink.leftOut('Lap', 'of a kind without a type here')
    else if (above === 'Lap' && name === 'TotalTimeSeconds') activity.seconds += value
    else if (above === 'Lap' && name === 'DistanceMeters') activity.metres += value
    else if (above === 'Lap' && name === 'Calories') activity.calories += value
    else if (above === 'Activity' && name === 'Notes') activity.notes = text.slice(0, longestNotes)
  }

  #endActivity(): void {
    const { calories, metres, notes, seconds, sport, start: told } = this.#activity!
    this.#activity = undefined
    const { end, start } = this.#track.span
    const from = Number.isNaN(told) ? start : told
    const to = Number.isNaN(end) ? from + seconds : Math.max(end, from + seconds)
    const name = [sport, notes].filter(Boolean).join(': ')
    this.#track.activity('Activity', name, from, to, { 'tcx:activity': { sport, seconds, metres, calories } })
  }

  /** An element within a point. */
  #part(point: Point, name: string, text: string): void {
    const { numbers } = point
    const number = numberOf(text)
    const member = measured.get(name)
    if (name === 'Time') point.time = isoTime(text, this.zone)
    else if (member === 'latitude' || member === 'longitude') numbers[member] = number ?? NaN
    else if (number !== undefined && member && numbers[member] === undefined) numbers[member] = number
    else this.sink.leftOut(`Trackpoint ${name}`, 'of a kind without a type here')
  }

  #give({ numbers, time }: Point): void {
    if (this.#activity) {
      this.#track.add({ kind: 'Trackpoint', time, ...numbers })
      return
    }
    // Those of a course are where somebody is to be, and when.
    this.sink.leftOut('Trackpoint', 'a place on a route that was planned')
  }
}
