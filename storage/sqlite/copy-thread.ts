/** Copies a user's file in a thread of its own: the copy is synced as a whole in the end, which may take seconds. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Makes a consistent copy of a file that serves. Rejects with what went wrong. */
export async function copyInThread(from: string, to: string): Promise<void> {
  const worker = new Worker(new URL('./copy-worker.js', import.meta.url), { workerData: { from, to } })
  // An error of the thread rejects this.
  await once(worker, 'exit')
}
