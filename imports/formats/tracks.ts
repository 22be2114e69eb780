/** What the formats of tracks have in common: positions, and what was measured on the way. */
import type { Datum, Sink } from '../record.js'

/** What may be measured at a point besides its position, with the names of its records, its type and its stream. */
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

export type Measured = keyof typeof measures

const names = Object.keys(measures) as Measured[]

/** Members of a position besides latitude and longitude. */
const ofPosition = ['altitude', 'speed', 'bearing', 'horizontalAccuracy', 'verticalAccuracy'] as const
const inPosition: ReadonlySet<string> = new Set(ofPosition)

/** A point of a track, as far as it is known: metres, metres a second, beats, turns or breaths a minute, watts, degrees Celsius. */
export interface TrackPoint extends Partial<
  Record<Measured | (typeof ofPosition)[number], number | undefined>
> {
  readonly kind: string
  /** Seconds; `NaN` if it has none. */
  readonly time: number
  readonly latitude?: number | undefined
  readonly longitude?: number | undefined
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
  /** Names the series of the segment. */
  #name = ''
  #kind = ''
  readonly #kinds = new Map<Measured, string>()

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /** Begins another series of positions. */
  begin(): void {
    this.#start = this.#last = NaN
  }

  /** The first time of the segment, and the last (seconds). */
  get span(): { start: number; end: number } {
    return { start: this.#start, end: this.#last }
  }

  /** Gives out a point. Each of its values is a record: what is wrong with one does not take the others away. */
  add(point: TrackPoint): void {
    const { kind, latitude, longitude, time } = point
    const hasPlace = latitude !== undefined || longitude !== undefined
    const isAtPlace = isPlace(latitude, longitude)
    if (hasPlace) this.#position(point, isAtPlace)
    let isFirst = !hasPlace
    for (const name of names) {
      const value = point[name]
      if (value === undefined || (isAtPlace && inPosition.has(name))) continue
      this.measure(isFirst ? kind : this.#kindOf(kind, name), time, name, value)
      isFirst = false
    }
    if (isFirst) this.sink.leftOut(kind, Number.isNaN(time) ? 'without a time' : 'without a position')
  }

  /** Gives out a single value. */
  measure(kind: string, time: number, name: Measured, content: number): void {
    const [, type, stream] = measures[name]
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if ((name === 'heartRate' || name === 'respiration') && content <= 0)
      this.sink.leftOut(kind, 'zero, which means that nothing was measured')
    else if (name === 'speed' && content < 0) this.sink.leftOut(kind, 'not measured, as the file itself says')
    else this.#give({ kind, type, stream, time, content })
  }

  /** The activity around the points. */
  activity(
    kind: string,
    name: string,
    start: number,
    end: number,
    clientData?: Record<string, unknown>
  ): void {
    if (Number.isNaN(start)) {
      this.sink.leftOut(kind, 'without a time')
      return
    }
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

  #position(point: TrackPoint, isAtPlace: boolean): void {
    const { kind, latitude, longitude, time } = point
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!isAtPlace) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const name of ofPosition) {
        const value = point[name]
        // Those that cannot be negative are so where they are not known.
        if (value !== undefined && (value >= 0 || name === 'altitude')) content[name] = value
      }
      this.#give({ kind, type: 'position/wgs84', stream: 'Positions', time, content })
    }
  }

  /** What the record of a further value of a point is called: the same text each time, as there are millions. */
  #kindOf(kind: string, name: Measured): string {
    if (kind !== this.#kind) {
      this.#kind = kind
      this.#kinds.clear()
    }
    let own = this.#kinds.get(name)
    if (own === undefined) this.#kinds.set(name, (own = `${kind} ${measures[name][0]}`))
    return own
  }

  #give({ content, kind, stream, time, type }: Omit<Datum, 'source' | 'track'>): void {
    if (Number.isNaN(this.#start)) {
      this.#start = time
      this.#name = `${time}`
    }
    this.#last = time
    this.sink.datum({ kind, source: this.source, type, stream, time, content, track: this.#name })
  }
}
