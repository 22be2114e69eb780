/**
 * Sets aside files that differ from the log: the last such file of each account, in case something is missing from the
 * log, up to a total size.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncPath } from '../../storage/files/durable.js'
import type { Layout } from '../../storage/files/layout.js'
import { listFilePaths } from '../../storage/wal/closed-file.js'

/** Maximum total size of files set aside, in bytes, unless a single file is larger. */
const maxBytes = 1024 * 1024 * 1024

/**
 * Moves an account's closed file, with its log, out of place. The move is on disk when this resolves: nothing
 * of the file can be mistaken for part of the next file. What was set aside of the account before is removed,
 * and so are the oldest files of others beyond the limit.
 */
export async function setAside(
  layout: Layout,
  account: string,
  file = layout.userFile(account)
): Promise<void> {
  const folder = join(layout.asideDirectory, account)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [main, log, index] = listFilePaths(file) as [string, string, string]
  const [keptMain, keptLog] = listFilePaths(join(folder, 'user.sqlite')) as [string, string]
  // The file first: without its log, it might be mistaken for another state of it.
  if (existsSync(main)) await rename(main, keptMain)
  await syncFolders(dirname(main), folder)
  if (existsSync(log)) await rename(log, keptLog)
  await rm(index, { force: true })
  await syncFolders(dirname(main), folder)
  await trimAside(layout.asideDirectory, account)
}

/** Removes the oldest files set aside until the rest is within the limit. The latest one is always kept. */
async function trimAside(root: string, latest: string): Promise<void> {
  const folders = await Promise.all(
    (await readdir(root)).map(async name => await measureFolder(join(root, name), name))
  )
  folders.sort((folder, next) => next.atMs - folder.atMs)
  let bytes = 0
  for (const folder of folders) {
    bytes += folder.bytes
    if (bytes > maxBytes && folder.name !== latest)
      await rm(join(root, folder.name), { recursive: true, force: true })
  }
}

async function measureFolder(
  folder: string,
  name: string
): Promise<{ name: string; bytes: number; atMs: number }> {
  // Another account's folder may be replaced or removed in the meantime.
  const names = await readdir(folder).catch(() => [])
  const stats = await Promise.all(
    names.map(async file => await stat(join(folder, file)).catch(() => undefined))
  )
  const bytes = stats.reduce((sum, file) => sum + (file?.size ?? 0), 0)
  return { name, bytes, atMs: (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0 }
}

async function syncFolders(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await syncPath(folder)
}
