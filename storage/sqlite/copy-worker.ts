/** The worker thread that makes a consistent copy of one file, and ends. */
import { workerData } from 'node:worker_threads'
import { openReadOnly } from './open.js'

const { from, known, to } = workerData as Record<'from' | 'to', string> & { readonly known: number }

const db = openReadOnly(from, known)
try {
  // All pages in one step: with several, a write in between would make SQLite start over.
  await db.backup(to, { progress: () => 0x7fff_ffff })
} finally {
  db.close()
}
