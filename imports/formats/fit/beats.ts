/** Heart beats in FIT's messages: the times between them, and heart rates that a chest strap has stored. */
import type { Sink } from '../../record.js'
import type { Track } from '../tracks.js'
import type { FitMessage } from './messages.js'
import { listIn, numberIn, timeIn } from './values.js'

/** Ticks a second of a strap's clock. */
const ticksPerSecond = 1024

export class Beats {
  /** When the last beat was (seconds). */
  #beat = -Infinity
  /** A time of the strap's clock in seconds and in its ticks. */
  #anchor: { readonly time: number; readonly ticks: number } | undefined
  #ticks = 0

  constructor(
    private readonly sink: Sink,
    private readonly source: string
  ) {}

  /**
   * Reads times between beats (ms), the last of which is not before `now`. Each beat comes that long after the one before: several
   * messages a second, and beats of the same length, are told apart by it.
   */
  intervals(kind: string, values: readonly number[], now: number): void {
    const times = values.filter(value => !Number.isNaN(value))
    if (Number.isNaN(now) || times.length === 0) {
      this.sink.leftOut(kind, 'without a time', Math.max(1, times.length))
      return
    }
    for (const content of times) {
      this.#beat = Math.max(this.#beat + content / 1000, now)
      this.sink.datum({
        kind,
        source: this.source,
        type: 'time/ms',
        stream: 'Beat to beat intervals',
        time: Number(this.#beat.toFixed(3)),
        content
      })
    }
  }

  /** Reads heart rates by the strap's clock. One message ties that to the time of the day; the others follow it. */
  rates({ fields, timestamp }: FitMessage, track: Track): void {
    const kind = 'hr'
    const whole = listIn(fields, 9)
    const time = timeIn(timestamp) + (numberIn(fields, 0) ?? 0) / 32_768
    if (!Number.isNaN(time) && whole[0] !== undefined) this.#anchor = { time, ticks: whole[0] }
    const ticks = whole.length > 0 ? whole : this.#unpacked(listIn(fields, 10))
    this.#ticks = ticks.at(-1) ?? this.#ticks
    for (const [at, rate] of listIn(fields, 6).entries()) {
      if (Number.isNaN(rate)) continue
      const anchor = this.#anchor
      const own = anchor ? anchor.time + ((ticks[at] ?? NaN) - anchor.ticks) / ticksPerSecond : NaN
      track.measure(kind, Number(own.toFixed(3)), 'heartRate', rate)
    }
  }

  /** Times of 12 bits each, two in three bytes, that go on from the last whole one. */
  #unpacked(bytes: readonly number[]): number[] {
    const list: number[] = []
    let last = this.#ticks
    for (let at = 0; at + 2 < bytes.length; at += 3) {
      const [first, middle, third] = [0, 1, 2].map(index => {
        const byte = bytes[at + index]!
        // A byte of ones stands for none where it is alone, and is one of several here.
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
