/** Measures how long users wait for a response while their accounts move to another node. */
import { percentile } from '../../../scripts/bench/load/statistics.js'

/** Measures how long users wait while their shards move: from the last response before to the first one after. */
export class Pauses {
  readonly ms: number[] = []
  readonly #lastMs = new Map<string, number>()
  readonly #moving = new Map<string, { longestMs: number; isOver: boolean; end(): void }>()

  answered(username: string, nowMs: number): void {
    const lastMs = this.#lastMs.get(username) ?? nowMs
    this.#lastMs.set(username, nowMs)
    const moving = this.#moving.get(username)
    if (!moving) return
    moving.longestMs = Math.max(moving.longestMs, nowMs - lastMs)
    if (!moving.isOver) return
    this.ms.push(moving.longestMs)
    this.#moving.delete(username)
    moving.end()
  }

  /** Starts a move of users. Returns a function to end it, which resolves once each of them has had a response. */
  begin(usernames: readonly string[]): () => Promise<void> {
    const ends = usernames.map(
      username => new Promise<void>(end => this.#moving.set(username, { longestMs: 0, isOver: false, end }))
    )
    return async () => {
      for (const username of usernames) this.#moving.get(username)!.isOver = true
      await Promise.all(ends)
    }
  }
}

/** Formats durations in milliseconds as text. */
export function inWords(times: readonly number[]): string {
  const [half, most, longest] = [0.5, 0.99, 1].map(part => Math.round(percentile(times, part)))
  return `${times.length}, half within ${half} ms, 99 % within ${most} ms, all within ${longest} ms`
}
