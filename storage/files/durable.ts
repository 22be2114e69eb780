/** Writes files and folders durably, readable by their owner only, and never through symbolic links. */
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

/** A path is of the wrong kind, such as a symbolic link in place of a folder. */
class UnexpectedPath extends Error {
  constructor(path: string, what: string) {
    super(`${path} is not ${what}: remove it, or choose another folder`)
    this.name = 'UnexpectedPath'
  }
}

/** Syncs the bytes of a file, or the entries of a folder, to disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Like {@link syncPath}, blocking: for use at startup. */
export function syncPathNow(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a private folder and its missing parents, and syncs them. Blocking: for use at startup. */
export function makeFolderNow(folder: string): void {
  const whole = resolve(folder)
  const firstCreated = mkdirSync(whole, { recursive: true, mode: 0o700 })
  if (firstCreated === undefined) return
  for (
    let path = dirname(whole);
    path.length >= dirname(firstCreated).length && path !== dirname(path);
    path = dirname(path)
  )
    syncPathNow(path)
}

/**
 * Creates a folder below `root` and its missing parents. Throws {@link UnexpectedPath} if one of these paths is a link
 * or not a folder.
 */
export function makeFolderWithin(root: string, folder: string): void {
  for (const path of pathsWithin(root, folder))
    if (!folderExists(path)) mkdirSync(path, { mode: 0o700, recursive: true })
}

/**
 * Returns whether a path below `root` exists. Throws {@link UnexpectedPath} if a folder in between is a link or not a
 * folder.
 */
export function existsWithin(root: string, path: string): boolean {
  const parents = pathsWithin(root, path).slice(0, -1)
  return parents.every(folderExists) && lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/**
 * Lists all paths from the child of `root` down to `path`. Throws {@link UnexpectedPath} if `path` is not
 * below `root`.
 */
function pathsWithin(root: string, path: string): string[] {
  const parts = relative(root, path)
    .split(sep)
    .filter(part => part !== '')
  if (parts[0] === '..') throw new UnexpectedPath(path, `below ${root}`)
  return parts.map((_part, index) => join(root, ...parts.slice(0, index + 1)))
}

/** Returns whether a folder exists. Throws {@link UnexpectedPath} if the path is anything else. */
function folderExists(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw new UnexpectedPath(path, 'a folder')
  return found !== undefined
}

/** Throws {@link UnexpectedPath} if a path exists but is not a regular file, such as a link or a pipe. */
export function assertFileOrAbsent(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new UnexpectedPath(path, 'a file')
}

/**
 * Writes a new file below `root`, creating its folders. On success its bytes are on disk; on failure it is
 * removed. Fails with `EEXIST`, and leaves the file unchanged, if it exists already.
 */
export async function writeWithin(root: string, file: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  makeFolderWithin(root, dirname(file))
  // `wx` does not follow links; `flush` makes Node fsync the file before closing it.
  const target = createWriteStream(file, { flags: 'wx', flush: true, mode: 0o600 })
  const closed = new Promise<void>(done => target.once('close', done))
  try {
    await pipeline(bytes, target)
  } catch (error) {
    // Wait for the close: a file that is still being opened would appear after its removal.
    await closed
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true })
    throw error
  }
}

/** A file opened for reading. */
interface OpenedFile {
  /** Bytes. */
  readonly size: number
  readonly bytes: ReadStream
}

/**
 * Opens a regular file below `root` for reading. Throws {@link UnexpectedPath} for links, and for pipes:
 * reading a pipe could block for ever. Throws `ENOENT` if the file is missing.
 */
export function openWithin(root: string, file: string): OpenedFile {
  for (const path of pathsWithin(root, file).slice(0, -1)) folderExists(path)
  assertFileOrAbsent(file)
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const found = fstatSync(fd)
  if (found.isFile())
    return { size: found.size, bytes: createReadStream('', { fd, highWaterMark: 256 * 1024 }) }
  closeSync(fd)
  throw new UnexpectedPath(file, 'a file')
}

/** Reads a file in chunks. Opens it on the first read only, so that an unused generator leaks no file descriptor. */
export async function* readChunks(file: string): AsyncGenerator<Buffer, void, undefined> {
  yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
}

/** Copies a file to a new path below `root`, creating its folders. Everything is on disk afterwards. */
export async function copyDurably(source: string, file: string, root: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await copyFile(source, file)
  // `copyFile` copies the permissions of the source too.
  await chmod(file, 0o600)
  await syncPath(file)
  for (let path = dirname(file); path.startsWith(root); path = dirname(path)) await syncPath(path)
}

/** Bytes that a file system can free at once without delaying the fsync of other files for long. */
const partSize = 64 * 1024 * 1024

/**
 * Removes a folder. Large files are truncated in parts first, so that freeing their space does not block other work.
 */
export async function removeInParts(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isFile()) await truncateInParts(join(folder, entry.name))
  await rm(folder, { recursive: true, force: true })
}

/** Truncates a file until the rest can be removed at once. Returns the number of parts cut off. */
export async function truncateInParts(file: string): Promise<number> {
  let parts = 0
  for (let { size } = await stat(file); size > partSize; parts++) {
    size -= partSize
    await truncate(file, size)
  }
  return parts
}
