/**
 * The entry of the executable: unpacks the software into a private folder, named by its digest, and runs it from there, because
 * native libraries and threads are loaded from files. The folder is verified at each start, and repaired. This file imports only
 * built-in modules, because nothing else can be loaded before.
 */
import crypto = require('node:crypto')
import fs = require('node:fs')
import nodeModule = require('node:module')
import os = require('node:os')
import path = require('node:path')
import sea = require('node:sea')
import url = require('node:url')
import zlib = require('node:zlib')

/** A file to unpack: path, size in bytes, SHA-256. */
type Entry = readonly [name: string, size: number, digest: string]

/** Permission bits that let other users write. */
const writableByOthers = 0o022

/** An error with a message for the operator. */
class LauncherError extends Error {}

try {
  launch()
} catch (error) {
  if (!(error instanceof LauncherError) && !(error instanceof Error && 'syscall' in error)) throw error
  console.error(
    `The software could not be unpacked: ${error.message}. Name another folder with COFFER_UNPACK_DIR`
  )
  process.exit(1)
}

function launch(): void {
  const list = sea.getAsset('list', 'utf8')
  const digest = sha256(list)
  const entries = JSON.parse(list) as Entry[]
  // Child processes start like those of Node: with the path of a module, in the folder of the same version.
  const given = process.argv[2] ?? ''
  const isModule = path.isAbsolute(given) && path.normalize(given).split(path.sep).includes(digest)
  const root = isModule ? getRoot(given, digest) : path.join(createFolder(), digest)
  assertPrivate(path.dirname(root))
  unpack(root, entries)
  const main = path.join(root, 'dist', 'scripts', 'coffer.cjs')
  process.argv.splice(1, isModule ? 2 : 1, isModule ? given : main)
  const load = nodeModule.createRequire(main)
  if (!isModule || given === main) load(main)
  else load(path.join(root, 'import.cjs'))(url.pathToFileURL(given).href)
}

function getRoot(file: string, digest: string): string {
  return file.slice(0, file.indexOf(`${path.sep}${digest}${path.sep}`) + 1 + digest.length)
}

/** Returns the folder for unpacking, and creates it if it is missing. */
function createFolder(): string {
  const { CACHE_DIRECTORY, COFFER_UNPACK_DIR, XDG_CACHE_HOME } = process.env
  const named = COFFER_UNPACK_DIR || CACHE_DIRECTORY?.split(':')[0]
  const folder = named || path.join(XDG_CACHE_HOME || path.join(getHome(), '.cache'), 'coffer')
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  return path.resolve(folder)
}

/** Returns the home of this user. `HOME` may be another user's: commands that change the user leave it unchanged. */
function getHome(): string {
  const named = os.homedir()
  const own = process.geteuid?.()
  if (own === undefined || fs.statSync(named, { throwIfNoEntry: false })?.uid === own) return named
  try {
    return os.userInfo().homedir
  } catch {
    return named
  }
}

/** Throws unless only this user and root can change the content of a folder. */
function assertPrivate(folder: string): void {
  const { gid, mode, uid } = fs.statSync(folder)
  const own = process.geteuid?.()
  if (own === undefined) return
  if (uid !== own && uid !== 0) throw new LauncherError(`${folder} belongs to another user`)
  // A group that is named after the user has no other members.
  const others = gid === process.getegid?.() && gid === own ? 0o002 : writableByOthers
  if ((mode & others) !== 0) throw new LauncherError(`other users can write to ${folder}`)
}

/** Makes a folder contain exactly these files. Several processes may do so concurrently. */
function unpack(root: string, entries: readonly Entry[]): void {
  if (findMissing(root, entries).length === 0) return
  fs.mkdirSync(root, { recursive: true, mode: 0o700 })
  const drafts = fs.mkdtempSync(path.join(path.dirname(root), 'new-'))
  try {
    const bytes = zlib.brotliDecompressSync(Buffer.from(sea.getRawAsset('files') as ArrayBuffer))
    const wanted = new Set(findMissing(root, entries))
    for (const folder of new Set([...wanted].map(name => path.dirname(path.join(root, name)))))
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    let at = 0
    for (const [name, size] of entries) {
      if (wanted.has(name)) writeFileAtomically(root, name, bytes.subarray(at, at + size), drafts)
      at += size
    }
  } finally {
    fs.rmSync(drafts, { recursive: true, force: true })
  }
  const [still] = findMissing(root, entries)
  if (still !== undefined) throw new LauncherError(`${path.join(root, still)} differs from what was written`)
}

/** Writes a file atomically: other processes find it complete, or not at all. */
function writeFileAtomically(root: string, name: string, bytes: Uint8Array, drafts: string): void {
  const file = path.join(root, name)
  const draft = path.join(drafts, 'file')
  fs.writeFileSync(draft, bytes, { mode: 0o600 })
  fs.renameSync(draft, file)
}

/** Returns the names of missing and changed files. Removes all other files. */
function findMissing(root: string, entries: readonly Entry[]): string[] {
  const wanted = new Map(entries.map(([name, size, digest]) => [name, { size, digest }]))
  const folders = new Set(entries.flatMap(([name]) => getFolders(name)))
  const own = process.geteuid?.()
  const walk = (folder: string): void => {
    const at = path.join(root, folder)
    const { mode, uid } = fs.statSync(at)
    if (own !== undefined && ((uid !== own && uid !== 0) || (mode & writableByOthers) !== 0))
      throw new LauncherError(`other users can write to ${at}: remove it`)
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      const file = path.join(root, name)
      const known = wanted.get(name)
      if (entry.isDirectory() && folders.has(name)) walk(name)
      else if (entry.isFile() && known && isIntact(file, known)) wanted.delete(name)
      // A changed file is replaced atomically, because other processes may be starting from it.
      else if (!entry.isFile() || !known) fs.rmSync(file, { recursive: true, force: true })
    }
  }
  const found = fs.lstatSync(root, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) fs.rmSync(root)
  else if (found) walk('')
  return [...wanted.keys()]
}

function getFolders(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}

/** Returns true if a file has this size and digest, and other users cannot write to it. */
function isIntact(file: string, { digest, size }: { size: number; digest: string }): boolean {
  const { mode, size: found, uid } = fs.lstatSync(file)
  const own = process.geteuid?.()
  if (own !== undefined && ((uid !== own && uid !== 0) || (mode & writableByOthers) !== 0)) return false
  return found === size && sha256(fs.readFileSync(file)) === digest
}

function sha256(bytes: Uint8Array | string): string {
  return crypto.createHash('sha256').update(bytes).digest('hex')
}
