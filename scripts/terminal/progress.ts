/** A bar for long work, where somebody looks. */
import { SingleBar } from 'cli-progress'

export interface Progress {
  begin(total: number): void
  step(done: number): void
}

/** Runs `work` with a bar of accounts on the terminal; without one where nobody looks, or where the output is for programs. */
export async function withBar<T>(
  isQuiet: boolean | undefined,
  work: (progress: Progress | undefined) => Promise<T>
): Promise<T> {
  if (isQuiet || !process.stderr.isTTY) return await work(undefined)
  const bar = new SingleBar({ format: '[{bar}] {value}/{total} accounts', clearOnComplete: true })
  try {
    return await work({ begin: total => bar.start(total, 0), step: done => bar.update(done) })
  } finally {
    bar.stop()
  }
}
