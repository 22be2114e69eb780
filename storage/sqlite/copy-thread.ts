/** Copies a user's file in a worker thread: the copy is synced at the end, which may take seconds. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Makes a consistent copy of a file that is in use. Rejects if that fails. */
export async function copyInThread(from: string, to: string): Promise<void> {
  const worker = new Worker(new URL('./copy-worker.js', import.meta.url), { workerData: { from, to } })
  // Rejects on an `error` event.
  await once(worker, 'exit')
}
