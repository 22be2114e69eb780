/** A progress bar for long work on a terminal. */
import { SingleBar } from 'cli-progress'

export interface Progress {
  /** Shows the bar, at 0. */
  begin(total: number): void
  /** Updates the bar. `done`: how many in all. */
  step(done: number): void
}

/** Runs `work` with a progress bar, unless `isQuiet` or standard error is not a terminal. `unit`: what is counted. */
export async function withProgressBar<T>(
  isQuiet: boolean | undefined,
  work: (progress: Progress | undefined) => Promise<T>,
  unit = 'accounts'
): Promise<T> {
  if (isQuiet || !process.stderr.isTTY) return await work(undefined)
  const bar = new SingleBar({ format: `[{bar}] ${unit}: {value}/{total}`, clearOnComplete: true })
  try {
    return await work({ begin: total => bar.start(total, 0), step: done => bar.update(done) })
  } finally {
    bar.stop()
  }
}
