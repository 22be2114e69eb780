/** Has the platform file looked over by a thread of its own: with very many accounts that takes a while. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** What SQLite finds wrong with the file; empty if nothing is. Rejects when it cannot be read. */
export async function platformProblems(file: string): Promise<string[]> {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: file })
  const [problems] = (await once(worker, 'message')) as [string[]]
  return problems
}
