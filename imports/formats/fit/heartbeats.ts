/** Reads heartbeats from FIT messages: intervals, and heart rates stored by a chest strap. */
import type { Sink } from '../../record.js'
import type { TrackWriter } from '../track-writer.js'
import type { FitMessage } from './messages.js'
import { heartRateFields } from './profile.js'
import { getNumbers, getNumber, toTime } from './values.js'

/** Ticks per second of the strap's clock. */
const ticksPerSecond = 1024
/** Units of the fraction that completes a message's time, per second. */
const fractionsPerSecond = 32_768

/** Adds the heartbeats of one file to the sink. */
export class HeartbeatReader {
  /** Time of the last beat (seconds). */
  #beat = -Infinity
  /** A point in time, in seconds and in ticks of the strap's clock. */
  #anchor: { readonly time: number; readonly ticks: number } | undefined
  #ticks = 0

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /**
   * Adds intervals between beats (ms). The last beat is not before `now`. Each beat follows the previous beat
   * by its interval, which distinguishes several messages per second and beats of equal length. All are
   * skipped without a time.
   */
  addIntervals(kind: string, values: readonly number[], now: number): void {
    const times = values.filter(value => !Number.isNaN(value))
    if (Number.isNaN(now) || times.length === 0) {
      this.sink.skip(kind, 'without a time', Math.max(1, times.length))
      return
    }
    for (const content of times) {
      this.#beat = Math.max(this.#beat + content / 1000, now)
      this.sink.addRecord({
        kind,
        source: this.source,
        type: 'time/ms',
        stream: 'Beat to beat intervals',
        time: Number(this.#beat.toFixed(3)),
        content
      })
    }
  }

  /** Adds heart rates by the strap's clock. One message relates it to the time of day; the others follow it. */
  addRates({ fields, timestamp }: FitMessage, track: TrackWriter): void {
    const kind = 'hr'
    const fullTicks = getNumbers(fields, heartRateFields.eventTimes)
    const anchorTime =
      toTime(timestamp) + (getNumber(fields, heartRateFields.fractionalTime) ?? 0) / fractionsPerSecond
    if (!Number.isNaN(anchorTime) && fullTicks[0] !== undefined)
      this.#anchor = { time: anchorTime, ticks: fullTicks[0] }
    const ticks =
      fullTicks.length > 0
        ? fullTicks
        : this.#unpackTicks(getNumbers(fields, heartRateFields.packedEventTimes))
    this.#ticks = ticks.at(-1) ?? this.#ticks
    for (const [index, rate] of getNumbers(fields, heartRateFields.filteredRates).entries()) {
      if (Number.isNaN(rate)) continue
      const anchor = this.#anchor
      const time = anchor ? anchor.time + ((ticks[index] ?? NaN) - anchor.ticks) / ticksPerSecond : NaN
      track.addValue(kind, Number(time.toFixed(3)), 'heartRate', rate)
    }
  }

  /** Unpacks 12-bit times, two in three bytes, that continue from the last complete time. */
  #unpackTicks(bytes: readonly number[]): number[] {
    const list: number[] = []
    let last = this.#ticks
    for (let index = 0; index + 2 < bytes.length; index += 3) {
      const [first, middle, third] = [0, 1, 2].map(offset => {
        const byte = bytes[index + offset]!
        // 0xff means invalid for a single byte, but is data in a packed array.
        return Number.isNaN(byte) ? 0xff : byte
      }) as [number, number, number]
      for (const low of [first | ((middle & 15) << 8), (middle >> 4) | (third << 4)]) {
        last += (low - (last & 0xfff) + 0x1000) & 0xfff
        list.push(last)
      }
    }
    return list
  }
}
