/** Makes consistent copies of files that are in use, also by a service in another process. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Layout } from '../files/layout.js'
import { translateError } from '../errors.js'
import { readSchemaVersion, type Migration } from '../migrations/migrate.js'
import { platformMigrations, platformSteps } from '../migrations/platform/index.js'
import { userMigrations, userSteps } from '../migrations/user/index.js'
import { openFile, openReadOnly } from './open.js'

/** Copies the file of one account below another root. Throws `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
export async function copyUserFile(from: Layout, to: Layout, id: string): Promise<void> {
  await copyFile(from.userFile(id), to.userFile(id), userMigrations)
}

/** Copies the platform file below another root. Throws as {@link copyUserFile} does. */
export async function copyPlatformFile(from: Layout, to: Layout): Promise<void> {
  await copyFile(from.platformFile, to.platformFile, platformMigrations)
}

/** Migrates the platform file to the current schema. Returns the version that it had. */
export function migratePlatformFile(layout: Layout): number {
  return migrateFile(layout.platformFile, platformMigrations)
}

/** Reads the schema version of an account's file. Throws `StoreDamaged`, `StoreTooNew`. */
export function readUserVersion(layout: Layout, id: string): number {
  return readVersion(layout.userFile(id), userMigrations)
}

/** Reads the schema version of the platform file. Throws as {@link readUserVersion} does. */
export function readPlatformVersion(layout: Layout): number {
  return readVersion(layout.platformFile, platformMigrations)
}

/** Names of the migration steps of each schema, in order. */
export const stepNames = { user: Object.keys(userSteps), platform: Object.keys(platformSteps) }

/** Current schema versions. */
export const schemaVersions = { user: userMigrations.length, platform: platformMigrations.length }

/** Two writes this close may have the same modification time, in milliseconds; coarser than any file system's clock. */
const timestampResolutionMs = 2000

/**
 * Returns a mark that changes when an account's file is written to: equal marks mean equal content. `undefined` if the
 * last write is so recent that another one might not change the modification time. Take it before the copy that it
 * describes.
 */
export function getChangeMark(layout: Layout, id: string): string | undefined {
  const file = layout.userFile(id)
  const parts: bigint[] = []
  for (const path of [file, `${file}-wal`]) {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    // An empty write-ahead log is created and removed by any process that opens the file.
    if (!stat || stat.size === 0n) continue
    if (Number(stat.mtimeMs) > Date.now() - timestampResolutionMs) return undefined
    parts.push(stat.ino, stat.size, stat.mtimeNs)
  }
  return parts.join('-')
}

async function copyFile(source: string, target: string, steps: readonly Migration[]): Promise<void> {
  const db = openReadOnly(source, steps.length)
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    // All pages in one step: with several, a write in between would make SQLite start over.
    await db.backup(target, { progress: () => 0x7fff_ffff })
  } catch (error) {
    throw translateError(error, source)
  } finally {
    db.close()
  }
}

/** Migrates a file to the current schema. Returns the version that it had. */
export function migrateFile(file: string, migrations: readonly Migration[]): number {
  const version = readVersion(file, migrations)
  if (version < migrations.length) openFile(file, { migrations, synchronous: 'FULL' }).close()
  return version
}

function readVersion(file: string, migrations: readonly Migration[]): number {
  const db = openReadOnly(file, migrations.length)
  try {
    return readSchemaVersion(db)
  } finally {
    db.close()
  }
}

/**
 * Makes a consistent copy of a file that is in use: an account's, or one with other `migrations`. Runs in a worker thread: the copy
 * is synced at the end, which may take seconds. Rejects if it fails.
 */
export async function copyInThread(from: string, to: string, migrations = userMigrations): Promise<void> {
  const worker = new Worker(new URL('./copy-worker.js', import.meta.url), {
    workerData: { from, known: migrations.length, to }
  })
  // Rejects on an `error` event.
  await once(worker, 'exit')
}
