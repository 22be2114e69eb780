/** Consistent copies of files that a service in another process may be writing to meanwhile. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Layout } from '../files/layout.js'
import { translated } from '../errors.js'
import type { Migration } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { userMigrations } from '../migrations/user/index.js'
import { openFile, openReadOnly } from './open.js'

/** Copies the file of one account below another root. Raises `StoreDamaged`, `StoreTooNew`, `StorageFull`. */
export async function copyUserFile(from: Layout, to: Layout, id: string): Promise<void> {
  await copy(from.userFile(id), to.userFile(id), userMigrations)
}

/** Copies the platform file below another root. Raises as {@link copyUserFile} does. */
export async function copyPlatformFile(from: Layout, to: Layout): Promise<void> {
  await copy(from.platformFile, to.platformFile, platformMigrations)
}

/** Brings the file of one account up to today's schema; answers the version that it had. */
export function migrateUserFile(layout: Layout, id: string): number {
  return migrated(layout.userFile(id), userMigrations)
}

/** Brings the platform file up to today's schema; answers the version that it had. */
export function migratePlatformFile(layout: Layout): number {
  return migrated(layout.platformFile, platformMigrations)
}

/** Versions of today's schemas. */
export const schemaVersions = { user: userMigrations.length, platform: platformMigrations.length }

/** Time within which two writes may leave the same time of modification, in milliseconds: more than any file system needs. */
const blurMs = 2000

/**
 * What tells whether an account's file has been written to since: the same mark, the same contents. Nothing where the last
 * write is so recent that another one might not show. Taken before the copy that it stands for.
 */
export function markOf(layout: Layout, id: string): string | undefined {
  const file = layout.userFile(id)
  const parts: bigint[] = []
  for (const path of [file, `${file}-wal`]) {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    // A log without anything in it comes and goes with whoever looks at the file.
    if (!stat || stat.size === 0n) continue
    if (Number(stat.mtimeMs) > Date.now() - blurMs) return undefined
    parts.push(stat.ino, stat.size, stat.mtimeNs)
  }
  return parts.join('-')
}

async function copy(source: string, target: string, steps: readonly Migration[]): Promise<void> {
  const db = openReadOnly(source, steps.length)
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    // All pages in one step: one that comes back later finds writes in between, and begins again.
    await db.backup(target, { progress: () => 0x7fff_ffff })
  } catch (error) {
    throw translated(error, source)
  } finally {
    db.close()
  }
}

function migrated(file: string, migrations: readonly Migration[]): number {
  const before = openReadOnly(file, migrations.length)
  const version = before.pragma('user_version', { simple: true }) as number
  before.close()
  if (version < migrations.length) openFile(file, { migrations, synchronous: 'FULL' }).close()
  return version
}
