/** Checks the platform file in a worker thread: with very many accounts that would block the event loop. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Runs SQLite's checks on the file. Returns the problems found; empty if there are none. Rejects if it cannot be read. */
export async function findPlatformProblems(file: string): Promise<string[]> {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: file })
  const [problems] = (await once(worker, 'message')) as [string[]]
  return problems
}
