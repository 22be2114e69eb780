/** The thread that copies the file of one account, as of one moment, and ends. */
import { workerData } from 'node:worker_threads'
import { userMigrations } from '../migrations/user/index.js'
import { openReadOnly } from './open.js'

const { from, to } = workerData as { readonly from: string; readonly to: string }

const db = openReadOnly(from, userMigrations.length)
try {
  // All pages in one step: one that comes back later finds writes in between, and begins again.
  await db.backup(to, { progress: () => 0x7fff_ffff })
} finally {
  db.close()
}
