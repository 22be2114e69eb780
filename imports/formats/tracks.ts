/** What the formats of tracks have in common: positions, and what was measured on the way. */
import type { Sink } from '../record.js'

/** A point of a track, as far as it is known. */
export interface TrackPoint {
  readonly kind: string
  /** Seconds; `NaN` if it has none. */
  readonly time: number
  readonly latitude?: number | undefined
  readonly longitude?: number | undefined
  readonly altitude?: number | undefined
  /** Metres a second. */
  readonly speed?: number | undefined
  readonly heartRate?: number | undefined
}

/** Whether latitude and longitude are within their ranges. */
export function isPlace(latitude: number | undefined, longitude: number | undefined): boolean {
  return (
    latitude !== undefined &&
    longitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180 &&
    !Number.isNaN(latitude + longitude)
  )
}

/** Gives out the points of one segment after the other, and what is around them. */
export class Track {
  #start = NaN
  #last = NaN
  #count = 0

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /** Begins another series of positions. */
  begin(): void {
    this.#start = this.#last = NaN
  }

  /** The first time of the segment, and the last (seconds). */
  get span(): { start: number; end: number; count: number } {
    return { start: this.#start, end: this.#last, count: this.#count }
  }

  add({ altitude, heartRate, kind, latitude, longitude, speed, time }: TrackPoint): void {
    if (Number.isNaN(time)) {
      this.sink.leftOut(kind, 'without a time')
      return
    }
    const hasPlace = latitude !== undefined || longitude !== undefined
    if (hasPlace && !isPlace(latitude, longitude)) {
      this.sink.leftOut(kind, 'at coordinates beyond the earth')
      return
    }
    if (!hasPlace && heartRate === undefined) {
      this.sink.leftOut(kind, 'without a position')
      return
    }
    if (Number.isNaN(this.#start)) this.#start = time
    this.#last = time
    this.#count++
    const track = `${this.#start}`
    const { source } = this
    if (hasPlace) {
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      if (altitude !== undefined) content['altitude'] = altitude
      if (speed !== undefined && speed >= 0) content['speed'] = speed
      this.sink.datum({ kind, source, type: 'position/wgs84', stream: 'Positions', time, content, track })
    }
    if (heartRate !== undefined && heartRate > 0) {
      // A second value of one point is a record of its own.
      const own = hasPlace ? `${kind} heart rate` : kind
      this.sink.datum({
        kind: own,
        source,
        type: 'frequency/bpm',
        stream: 'Heart rate',
        time,
        content: heartRate,
        track
      })
    } else if (!hasPlace) this.sink.leftOut(kind, 'without a position')
  }

  /** The activity around the points. */
  activity(
    kind: string,
    name: string,
    start: number,
    end: number,
    clientData?: Record<string, unknown>
  ): void {
    this.sink.datum({
      kind,
      source: this.source,
      type: 'activity/plain',
      stream: 'Activities',
      time: start,
      duration: end > start ? end - start : undefined,
      identity: name,
      description: name === '' ? undefined : name,
      clientData
    })
  }
}
