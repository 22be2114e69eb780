/** Copies a file in a worker thread: the copy is synced at the end, which may take seconds. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { userMigrations } from '../migrations/user/index.js'

/** Makes a consistent copy of a file that is in use: an account's, or one with other `migrations`. Rejects if that fails. */
export async function copyInThread(from: string, to: string, migrations = userMigrations): Promise<void> {
  const worker = new Worker(new URL('./copy-worker.js', import.meta.url), {
    workerData: { from, known: migrations.length, to }
  })
  // Rejects on an `error` event.
  await once(worker, 'exit')
}
