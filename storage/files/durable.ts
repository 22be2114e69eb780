/** Files and folders made durable, for nobody else, and never through a link to somewhere else. */
import { chmod, copyFile, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  type ReadStream
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Something lies in the way that is not what it should be, such as a link that leads elsewhere. */
export class StrayPath extends Error {
  constructor(path: string, what: string) {
    super(`${path} is not ${what}: remove it, or take another folder`)
    this.name = 'StrayPath'
  }
}

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

/** Makes a folder below `root`, and those in between. Throws {@link StrayPath} where one of them is a link, or no folder. */
export function makeFolderWithin(root: string, folder: string): void {
  for (const path of pathsWithin(root, folder))
    if (!isOwnFolder(path)) mkdirSync(path, { mode: 0o700, recursive: true })
}

/** Whether a path below `root` is there. Throws {@link StrayPath} where one of the folders in between is a link, or no folder. */
export function isWithin(root: string, path: string): boolean {
  const above = pathsWithin(root, path).slice(0, -1)
  return above.every(isOwnFolder) && lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The paths from the one directly below `root` down to `path`. */
function pathsWithin(root: string, path: string): string[] {
  const parts = relative(root, path)
    .split(sep)
    .filter(part => part !== '')
  if (parts[0] === '..') throw new StrayPath(path, `below ${root}`)
  return parts.map((_part, index) => join(root, ...parts.slice(0, index + 1)))
}

/** Whether a folder is there: `false` for nothing at all. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw new StrayPath(path, 'a folder')
  return found !== undefined
}

/** Throws {@link StrayPath} for a link, a pipe and whatever else is there in place of a file. */
export function mustBeFileOrNothing(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StrayPath(path, 'a file')
}

/** Writes a new file below `root`, with the folders in between. Its bytes are on disk afterwards, or it is not there. */
export async function writeWithin(root: string, file: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  makeFolderWithin(root, dirname(file))
  // `wx` follows no link, and `flush` syncs the bytes before the file is closed.
  const target = createWriteStream(file, { flags: 'wx', flush: true, mode: 0o600 })
  const closed = new Promise<void>(done => target.once('close', done))
  try {
    await pipeline(bytes, target)
  } catch (error) {
    // While it is still being opened there is nothing to remove: it would be there afterwards.
    await closed
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true })
    throw error
  }
}

/** A file that has been opened for reading. */
export interface OpenedFile {
  /** Bytes. */
  readonly size: number
  readonly bytes: ReadStream
}

/** Opens a file below `root` for reading: a file, not a link or a pipe, on which reading could wait for ever. */
export function openWithin(root: string, file: string): OpenedFile {
  for (const path of pathsWithin(root, file).slice(0, -1)) isOwnFolder(path)
  mustBeFileOrNothing(file)
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const found = fstatSync(fd)
  if (found.isFile())
    return { size: found.size, bytes: createReadStream('', { fd, highWaterMark: 256 * 1024 }) }
  closeSync(fd)
  throw new StrayPath(file, 'a file')
}

/** The bytes of a file, which is opened when they are asked for: what nobody asks for is never left open. */
export async function* bytesIn(file: string): AsyncGenerator<Buffer, void, undefined> {
  yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
}

/** Copies a file to a new place below `root`, making the folders in between. All of it is on disk afterwards. */
export async function copyDurably(source: string, file: string, root: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await copyFile(source, file)
  // A copy may be read by whoever may read what it was made of.
  await chmod(file, 0o600)
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
