/** Files and folders made durable, off the event loop. */
import { copyFile, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Makes a file's bytes, or a folder's entries, durable. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As {@link syncPath}, while nothing else runs yet. */
export function syncPathNow(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes a folder, and those above it if need be, for nobody else, while nothing else runs yet. All of it is on disk afterwards. */
export function makeFolderNow(folder: string): void {
  const whole = resolve(folder)
  const made = mkdirSync(whole, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (
    let path = dirname(whole);
    path.length >= dirname(made).length && path !== dirname(path);
    path = dirname(path)
  )
    syncPathNow(path)
}

/** Copies a file to a new place below `root`, making the folders in between. All of it is on disk afterwards. */
export async function copyDurably(source: string, file: string, root: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await copyFile(source, file)
  await syncPath(file)
  for (let path = dirname(file); path.startsWith(root); path = dirname(path)) await syncPath(path)
}

/** Bytes that a file system gives back at once without others having to wait long for their syncs. */
const givenBack = 64 * 1024 * 1024

/** Removes a folder that nobody needs any more: large files in it part by part, from their ends. */
export async function removeInParts(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isFile()) await shrink(join(folder, entry.name))
  await rm(folder, { recursive: true, force: true })
}

/** Cuts a file down to what can be removed at once; answers how many parts it gave back before. */
export async function shrink(file: string): Promise<number> {
  let parts = 0
  for (let { size } = await stat(file); size > givenBack; parts++) {
    size -= givenBack
    await truncate(file, size)
  }
  return parts
}
