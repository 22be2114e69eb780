/** Times as texts, in a time zone. (RFC 3339) */
import { getOffset } from '../../schemas/zones.js'

/** Seconds within which the offset of a zone changes at most once. */
const blockSeconds = 6 * 3600
/** Maximum number of blocks whose offset is cached. */
const maxCachedBlocks = 5000
/** Largest number of seconds from 1970 that can be formatted. */
const maxSeconds = 8.64e12 - 86_400

/** Formats times in one time zone. */
export class TimeFormatter {
  readonly #offsets = new Map<number, number | undefined>()

  /** `zone`: UTC unless given. */
  constructor(private readonly zone?: string) {}

  /**
   * Formats a time (seconds) as `2026-03-29T03:30:00+02:00`, with milliseconds if it has some; empty if there is no
   * such date.
   */
  format(time: number): string {
    if (!(Math.abs(time) <= maxSeconds)) return ''
    const offset = this.#offset(time)
    const ms = Math.round(time * 1000)
    const iso = new Date(ms + offset * 1000).toISOString()
    return `${iso.slice(0, -5)}${ms % 1000 === 0 ? '' : iso.slice(-5, -1)}${formatOffset(offset)}`
  }

  /** Returns the seconds by which the zone is ahead of UTC, rounded to whole minutes, as text has no room for more. */
  #offset(time: number): number {
    if (this.zone === undefined) return 0
    const block = Math.floor(time / blockSeconds)
    if (!this.#offsets.has(block)) {
      if (this.#offsets.size >= maxCachedBlocks) this.#offsets.clear()
      const first = getOffset(this.zone, block * blockSeconds)
      const last = getOffset(this.zone, (block + 1) * blockSeconds - 1)
      this.#offsets.set(block, first === last ? first : undefined)
    }
    return Math.round((this.#offsets.get(block) ?? getOffset(this.zone, time)) / 60) * 60
  }
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.abs(offset) / 60
  return `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0')
}
