/** The worker thread that makes a consistent copy of one account's file, and ends. */
import { workerData } from 'node:worker_threads'
import { userMigrations } from '../migrations/user/index.js'
import { openReadOnly } from './open.js'

const { from, to } = workerData as { readonly from: string; readonly to: string }

const db = openReadOnly(from, userMigrations.length)
try {
  // All pages in one step: with several, a write in between would make SQLite start over.
  await db.backup(to, { progress: () => 0x7fff_ffff })
} finally {
  db.close()
}
