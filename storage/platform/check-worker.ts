/** The worker thread that checks the platform file, and posts the list of problems. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { platformMigrations } from '../migrations/platform/index.js'
import { openReadOnly } from '../sqlite/open.js'
import { column, statement } from '../sqlite/statements.js'

const port = parentPort as MessagePort
const db = openReadOnly(workerData as string, platformMigrations.length)
try {
  const found = column(db, 'PRAGMA quick_check(20)').all() as string[]
  const dangling = statement(db, 'PRAGMA foreign_key_check').all().length
  port.postMessage([
    ...found.filter(text => text !== 'ok'),
    ...(dangling === 0 ? [] : [`${dangling} rows refer to accounts that do not exist`])
  ])
} finally {
  db.close()
}
