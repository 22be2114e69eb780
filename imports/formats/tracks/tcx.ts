/** Reads TCX: laps of activities with positions, altitudes, heart rates, cadences and powers. */
import { Unreadable, type Format, type Sink, markLength } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getAttribute, getLocalName } from '../../text/xml.js'
import { TrackWriter, type TrackPoint } from '../track-writer.js'
import { parseNumber } from '../../text/units.js'
import { readXmlElements, type ElementReader } from '../xml-files.js'

export const tcx: Format = {
  id: 'tcx',
  name: 'TCX',
  recognises: ({ text }) => /<(?:[\w.-]+:)?TrainingCenterDatabase[\s>]/.test(text.slice(0, markLength)),
  read: (source, head, sink, { options }) =>
    readXmlElements(source, head, sink, new TcxReader(sink, options.zone))
}

/** Elements of a point and what they measure. */
const measureNames = new Map<string, Exclude<keyof TrackPoint, 'kind' | 'time'>>([
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
const maxDepth = 100
const maxNotesLength = 2000

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

class TcxReader implements ElementReader {
  isClosed = false
  readonly #track: TrackWriter
  #activity: Activity | undefined
  #point: Point | undefined
  /** Elements that contain the current one. */
  readonly #path: string[] = []
  #text = ''

  constructor(
    private readonly sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Begins an element. Throws `Unreadable` if it is nested too deep. */
  open(name: string, attributes: string): void {
    const element = getLocalName(name)
    if (this.#path.length >= maxDepth)
      throw new Unreadable('It is nested deeper than {count} levels, as no export is', { count: maxDepth })
    this.#path.push(element)
    this.#text = ''
    if (element === 'Activity') {
      if (this.#activity) this.#endActivity()
      const sport = getAttribute(attributes, 'Sport') ?? ''
      this.#activity = { sport, start: NaN, seconds: 0, metres: 0, calories: 0, notes: '' }
      this.#track.beginSegment()
    } else if (element === 'Lap' && this.#activity && Number.isNaN(this.#activity.start))
      this.#activity.start = parseIsoTime(getAttribute(attributes, 'StartTime') ?? '', this.zone)
    else if (element === 'Trackpoint') {
      if (this.#point) this.sink.skip('Trackpoint', 'torn: its end is missing')
      this.#point = { time: NaN, numbers: {} }
    }
  }

  /** Collects text until the next end tag. */
  text(text: string): void {
    this.#text += text
  }

  /** Handles an end tag: adds the point that is complete now, or reads a property of the activity. */
  close(name: string): void {
    const element = getLocalName(name)
    const text = this.#text.trim()
    this.#text = ''
    // Tolerates missing and superfluous end tags: the elements that contain them stay open.
    const index = this.#path.lastIndexOf(element)
    if (index < 0) return
    this.#path.length = index
    const parent = this.#path.at(-1) ?? ''
    if (element === 'Trackpoint') {
      if (this.#point) this.#addPoint(this.#point)
      this.#point = undefined
    } else if (this.#point) {
      if (text !== '') this.#readPointElement(this.#point, element === 'Value' ? parent : element, text)
    } else if (this.#activity) this.#readActivityElement(this.#activity, element, parent, text)
    if (element === 'TrainingCenterDatabase') this.isClosed = true
  }

  finish(): void {
    if (this.#point) this.sink.skip('Trackpoint', 'cut off before its end')
    // The complete file has a longer activity.
    if (this.#activity) this.sink.skip('Activity', 'cut off before its end')
  }

  /** Handles the end of an element outside of points. Laps are added up: no event type is for a single one. */
  #readActivityElement(activity: Activity, name: string, parent: string, text: string): void {
    const value = parseNumber(text) ?? 0
    if (name === 'Activity') this.#endActivity()
    else if (name === 'Lap') this.sink.skip('Lap', 'of a kind without a type here')
    else if (parent === 'Lap' && name === 'TotalTimeSeconds') activity.seconds += value
    else if (parent === 'Lap' && name === 'DistanceMeters') activity.metres += value
    else if (parent === 'Lap' && name === 'Calories') activity.calories += value
    else if (parent === 'Activity' && name === 'Notes') activity.notes = text.slice(0, maxNotesLength)
  }

  /** Adds the activity, from the start of its first lap to its last point or the end of its laps. */
  #endActivity(): void {
    const { calories, metres, notes, seconds, sport, start: lapStart } = this.#activity!
    this.#activity = undefined
    const { end, start } = this.#track.span
    const from = Number.isNaN(lapStart) ? start : lapStart
    const to = Number.isNaN(end) ? from + seconds : Math.max(end, from + seconds)
    const name = [sport, notes].filter(Boolean).join(': ')
    this.#track.addActivity({
      kind: 'Activity',
      name,
      start: from,
      end: to,
      clientData: {
        'tcx:activity': { sport, seconds, metres, calories }
      }
    })
  }

  /** Reads an element within a point. */
  #readPointElement(point: Point, name: string, text: string): void {
    const { numbers } = point
    const number = parseNumber(text)
    const member = measureNames.get(name)
    if (name === 'Time') point.time = parseIsoTime(text, this.zone)
    else if (member === 'latitude' || member === 'longitude') numbers[member] = number ?? NaN
    else if (number !== undefined && member && numbers[member] === undefined) numbers[member] = number
    else this.sink.skip(`Trackpoint ${name}`, 'of a kind without a type here')
  }

  #addPoint({ numbers, time }: Point): void {
    if (this.#activity) {
      this.#track.addPoint({ kind: 'Trackpoint', time, ...numbers })
      return
    }
    // Points of a course are planned positions.
    this.sink.skip('Trackpoint', 'a place on a route that was planned')
  }
}
