/** A fictional lake, and the path along its shore. */

/** A position in degrees and metres. */
interface Position {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number
}

/** Metres per degree of latitude. */
const degree = 111_320
/** Number of points that define the shore. */
const corners = 720

/** A lake with bays. */
export class Lake {
  readonly #shore: readonly Position[]
  /** Metres along the shore from the first point to each, and back to the first. */
  readonly #along: readonly number[]

  /** `size`: approximate distance from the middle to the shore, in metres. */
  constructor(
    private readonly middle: Position,
    size: number
  ) {
    this.#shore = Array.from({ length: corners }, (_, index) =>
      createShorePoint(middle, size, index / corners)
    )
    let sum = 0
    this.#along = this.#shore.map((_, index) => (index === 0 ? 0 : (sum += this.#step(index - 1))))
    this.#along = [...this.#along, sum + this.#step(corners - 1)]
  }

  /** Returns the position after a number of metres along the shore, possibly after several rounds. */
  getPosition(metres: number): Position {
    const around = this.#along.at(-1)!
    const rest = metres % around
    const next = Math.max(
      1,
      this.#along.findIndex(length => length > rest)
    )
    const [before, behind] = [this.#shore[next - 1]!, this.#shore[next % corners]!]
    const part = (rest - this.#along[next - 1]!) / (this.#along[next]! - this.#along[next - 1]!)
    const mixed = (key: keyof Position): number => before[key] + part * (behind[key] - before[key])
    return { latitude: mixed('latitude'), longitude: mixed('longitude'), altitude: mixed('altitude') }
  }

  /** Returns the position a number of metres north and east of another. */
  offset({ altitude, latitude, longitude }: Position, north: number, east: number): Position {
    return {
      latitude: latitude + north / degree,
      longitude: longitude + east / degree / Math.cos((this.middle.latitude * Math.PI) / 180),
      altitude
    }
  }

  /** Returns the metres from a point of the shore to the next. */
  #step(index: number): number {
    const [a, b] = [this.#shore[index]!, this.#shore[(index + 1) % corners]!]
    const narrow = Math.cos((this.middle.latitude * Math.PI) / 180)
    return degree * Math.hypot(b.latitude - a.latitude, (b.longitude - a.longitude) * narrow)
  }
}

function createShorePoint({ altitude, latitude, longitude }: Position, size: number, part: number): Position {
  const angle = part * 2 * Math.PI
  const radius =
    size * (1 + 0.18 * Math.sin(2 * angle + 0.6) + 0.07 * Math.sin(5 * angle) + 0.03 * Math.cos(11 * angle))
  return {
    latitude: latitude + (radius * 0.62 * Math.sin(angle)) / degree,
    longitude: longitude + (radius * Math.cos(angle)) / degree / Math.cos((latitude * Math.PI) / 180),
    altitude: altitude + 9 * Math.sin(3 * angle) + 5 * Math.cos(7 * angle)
  }
}

/** The lakes at home and on holiday. */
export const homeLake = new Lake({ latitude: 46.842, longitude: 7.331, altitude: 562 }, 1320)
export const holidayLake = new Lake({ latitude: 35.4905, longitude: 138.741, altitude: 834 }, 1050)
