/** TCX: laps of activities with positions, heights and heart rates. */
import { Unreadable, type Format, type Sink } from '../record.js'
import { isoTime } from '../text/times.js'
import { attribute, localName } from '../text/xml.js'
import { Track } from './tracks.js'
import { numberOf } from './units.js'
import { readElements, type ElementReader } from './xml-files.js'

export const tcx: Format = {
  id: 'tcx',
  name: 'TCX',
  recognises: ({ text }) => text.slice(0, 4000).includes('<TrainingCenterDatabase'),
  read: (source, head, sink, { options }) => readElements(source, head, sink, new Reader(sink, options.zone))
}

/** Elements of a point that are of use. */
const parts = new Set([
  'Time',
  'LatitudeDegrees',
  'LongitudeDegrees',
  'AltitudeMeters',
  'Speed',
  'HeartRateBpm'
])
const deepest = 100

interface Activity {
  readonly sport: string
  start: number
  seconds: number
  metres: number
  calories: number
  notes: string
}

class Reader implements ElementReader {
  isClosed = false
  readonly #track: Track
  #activity: Activity | undefined
  #point: Record<string, string> | undefined
  /** Elements around the present one. */
  readonly #path: string[] = []
  #text = ''

  constructor(
    sink: Sink,
    private readonly zone: string | undefined
  ) {
    this.#track = new Track(sink, '')
  }

  open(name: string, attributes: string): void {
    const own = localName(name)
    if (this.#path.length >= deepest)
      throw new Unreadable(`It is nested deeper than ${deepest} levels, as no export is`)
    this.#path.push(own)
    this.#text = ''
    if (own === 'Activity') {
      const sport = attribute(attributes, 'Sport') ?? ''
      this.#activity = { sport, start: NaN, seconds: 0, metres: 0, calories: 0, notes: '' }
      this.#track.begin()
    } else if (own === 'Lap' && this.#activity && Number.isNaN(this.#activity.start))
      this.#activity.start = isoTime(attribute(attributes, 'StartTime') ?? '', this.zone)
    else if (own === 'Trackpoint') this.#point = {}
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const own = localName(name)
    const text = this.#text.trim()
    this.#text = ''
    this.#path.pop()
    const above = this.#path.at(-1)
    if (own === 'Trackpoint' && this.#point) this.#give(this.#point)
    else if (this.#point) {
      const part = own === 'Value' ? `${above}` : own
      if (parts.has(part)) this.#point[part] ??= text
    } else if (this.#activity && above === 'Lap') {
      const value = numberOf(text) ?? 0
      if (own === 'TotalTimeSeconds') this.#activity.seconds += value
      else if (own === 'DistanceMeters') this.#activity.metres += value
      else if (own === 'Calories') this.#activity.calories += value
    } else if (this.#activity && above === 'Activity' && own === 'Notes')
      this.#activity.notes = text.slice(0, 2000)
    if (own === 'Trackpoint') this.#point = undefined
    else if (own === 'Activity') this.#endActivity()
    else if (own === 'TrainingCenterDatabase') this.isClosed = true
  }

  finish(): void {
    this.#endActivity()
  }

  #endActivity(): void {
    const activity = this.#activity
    this.#activity = undefined
    if (!activity) return
    const { end, start } = this.#track.span
    const from = Number.isNaN(activity.start) ? start : activity.start
    const to = Number.isNaN(end) ? from + activity.seconds : Math.max(end, from + activity.seconds)
    if (Number.isNaN(from)) return
    const { calories, metres, notes, seconds, sport } = activity
    const name = [sport, notes].filter(Boolean).join(': ')
    this.#track.activity('Activity', name, from, to, { 'tcx:activity': { sport, seconds, metres, calories } })
  }

  #give(point: Readonly<Record<string, string>>): void {
    const hasPosition = point['LatitudeDegrees'] !== undefined || point['LongitudeDegrees'] !== undefined
    this.#track.add({
      kind: 'Trackpoint',
      time: isoTime(point['Time'] ?? '', this.zone),
      ...(hasPosition && {
        latitude: numberOf(point['LatitudeDegrees']) ?? NaN,
        longitude: numberOf(point['LongitudeDegrees']) ?? NaN
      }),
      altitude: numberOf(point['AltitudeMeters']),
      speed: numberOf(point['Speed']),
      heartRate: numberOf(point['HeartRateBpm'])
    })
  }
}
