/** The clock. All times of the service are seconds since the Unix epoch; milliseconds appear only in names ending in `Ms`. */

/** Tells the time; tests bring one they can move. */
export interface Clock {
  /** Seconds since the Unix epoch. */
  now(): number
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now() / 1000
}

/** A clock that stands still until moved. */
export class ManualClock implements Clock {
  constructor(private seconds = 1_700_000_000) {}

  now(): number {
    return this.seconds
  }

  /** Moves the clock on by so many seconds. */
  advance(seconds: number): void {
    this.seconds += seconds
  }
}
