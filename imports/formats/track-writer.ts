/** Adds the points and activities of tracks to the sink. */
import type { ImportedRecord, Sink } from '../record.js'

/** Values of a point besides its position: suffix of their kind, type and stream. */
const measures = {
  altitude: ['altitude', 'length/m', 'Altitude'],
  speed: ['speed', 'speed/m-s', 'Speed'],
  heartRate: ['heart rate', 'frequency/bpm', 'Heart rate'],
  cadence: ['cadence', 'frequency/rpm', 'Cadence'],
  power: ['power', 'power/w', 'Power'],
  temperature: ['temperature', 'temperature/c', 'Temperature'],
  respiration: ['respiration', 'frequency/brpm', 'Respiratory rate'],
  distance: ['distance', 'length/m', 'Distance so far']
} as const

/** Maximum number of segments that an activity may describe. */
const maxStarts = 1000

export type MeasureName = keyof typeof measures

const measureNames = Object.keys(measures) as MeasureName[]

/** Stream of the positions of tracks. */
export const positionStream = 'Positions'

/** Members of a position besides latitude and longitude. */
const positionMembers = ['altitude', 'speed', 'bearing', 'horizontalAccuracy', 'verticalAccuracy'] as const
const positionMemberSet: ReadonlySet<string> = new Set(positionMembers)

/**
 * A point of a track; all values are optional. Units: metres, metres per second, beats, revolutions or breaths per minute, watts,
 * degrees Celsius.
 */
export interface TrackPoint extends Partial<
  Record<MeasureName | (typeof positionMembers)[number], number | undefined>
> {
  readonly kind: string
  /** Seconds; `NaN` if the point has no time. */
  readonly time: number
  readonly latitude?: number | undefined
  readonly longitude?: number | undefined
}

/** Returns true if latitude and longitude are within their ranges. */
export function isValidPosition(latitude: number | undefined, longitude: number | undefined): boolean {
  return (
    latitude !== undefined &&
    longitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180 &&
    !Number.isNaN(latitude + longitude)
  )
}

/** The activity to which the points of segments belong. */
interface TrackActivity {
  readonly kind: string
  /** Part of its identity, and its description unless there is a `label`. */
  readonly name: string
  readonly label?: string | undefined
  /** Seconds. */
  readonly start: number
  readonly end: number
  readonly clientData?: Readonly<Record<string, unknown>> | undefined
}

/** Adds the points of one segment after the other, and the activities to which they belong. */
export class TrackWriter {
  #start = NaN
  #last = NaN
  /** Name of the segment's series. */
  #name = ''
  #kind = ''
  readonly #kinds = new Map<MeasureName, string>()
  /** Starts of the segments of which no activity has been added yet. */
  #starts: number[] = []

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /** Begins a new series of positions. */
  beginSegment(): void {
    this.#start = this.#last = NaN
  }

  /** First and last time of the segment (seconds). `NaN` before the first point. */
  get span(): { start: number; end: number } {
    return { start: this.#start, end: this.#last }
  }

  /**
   * Adds a point. Each of its values is a record: an invalid one does not affect the others. Skips a point
   * without any value.
   */
  addPoint(point: TrackPoint): void {
    const { kind, latitude, longitude, time } = point
    const hasPosition = latitude !== undefined || longitude !== undefined
    const isValid = isValidPosition(latitude, longitude)
    if (hasPosition) this.#addPosition(point, isValid)
    let isFirst = !hasPosition
    for (const name of measureNames) {
      const value = point[name]
      if (value === undefined || (isValid && positionMemberSet.has(name))) continue
      this.addValue(isFirst ? kind : this.#getValueKind(kind, name), time, name, value)
      isFirst = false
    }
    if (isFirst) this.sink.skip(kind, Number.isNaN(time) ? 'without a time' : 'without a position')
  }

  /** Adds a single value, or skips it if it has no time or says that nothing was measured. */
  addValue(kind: string, time: number, name: MeasureName, content: number): void {
    const [, type, stream] = measures[name]
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if ((name === 'heartRate' || name === 'respiration') && content <= 0)
      this.sink.skip(kind, 'zero, which means that nothing was measured')
    else if (name === 'speed' && content < 0) this.sink.skip(kind, 'not measured, as the file itself says')
    else this.#emit({ kind, type, stream, time, content })
  }

  /**
   * Adds the activity that the points belong to. It also describes the segments that began within it. Without
   * a start it is skipped.
   */
  addActivity({ clientData, end, kind, name, label = name, start }: TrackActivity): void {
    if (Number.isNaN(start)) {
      this.sink.skip(kind, 'without a time')
      return
    }
    this.sink.addRecord({
      kind,
      source: this.source,
      type: 'activity/plain',
      stream: 'Activities',
      time: start,
      duration: end > start ? end - start : undefined,
      identity: name,
      description: label === '' ? undefined : label,
      clientData,
      describedTracks: this.#starts.filter(each => each >= start && each <= end).map(String)
    })
    this.#starts = this.#starts.filter(each => each > end)
  }

  /** Adds the position of a point with its other members. Skips it if it has no time or is not on the earth. */
  #addPosition(point: TrackPoint, isValid: boolean): void {
    const { kind, latitude, longitude, time } = point
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (!isValid) this.sink.skip(kind, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const name of positionMembers) {
        const value = point[name]
        // Values that cannot be negative are negative if they are unknown.
        if (value !== undefined && (value >= 0 || name === 'altitude')) content[name] = value
      }
      this.#emit({ kind, type: 'position/wgs84', stream: positionStream, time, content })
    }
  }

  /** Returns the kind of an additional value of a point. The same string is reused, as there are millions of values. */
  #getValueKind(kind: string, name: MeasureName): string {
    if (kind !== this.#kind) {
      this.#kind = kind
      this.#kinds.clear()
    }
    let valueKind = this.#kinds.get(name)
    if (valueKind === undefined) this.#kinds.set(name, (valueKind = `${kind} ${measures[name][0]}`))
    return valueKind
  }

  #emit({ content, kind, stream, time, type }: Omit<ImportedRecord, 'source' | 'track'>): void {
    if (Number.isNaN(this.#start)) {
      this.#start = time
      this.#name = `${time}`
      if (this.#starts.length < maxStarts) this.#starts.push(time)
    }
    this.#last = time
    this.sink.addRecord({ kind, source: this.source, type, stream, time, content, track: this.#name })
  }
}
