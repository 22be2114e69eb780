/**
 * The beginning of the executable file: puts the software that it holds into a private folder, named by its digest, and runs it
 * from there, since libraries of machine code and threads are loaded from files. Whatever the folder holds is checked at each
 * start, and mended. Alone in its file, as nothing else can be loaded before.
 */
import crypto = require('node:crypto')
import fs = require('node:fs')
import nodeModule = require('node:module')
import os = require('node:os')
import path = require('node:path')
import sea = require('node:sea')
import url = require('node:url')
import zlib = require('node:zlib')

/** A file that is to be there: its path, its bytes, their SHA-256. */
type Entry = readonly [name: string, size: number, digest: string]

/** Permission bits that let others write. */
const writableByOthers = 0o022

/** An error whose message is for whoever starts the program. */
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
  // What it starts itself, it starts as Node would: with the path of a module, in the folder of its own.
  const given = process.argv[2] ?? ''
  const isModule = path.isAbsolute(given) && path.normalize(given).split(path.sep).includes(digest)
  const root = isModule ? rootOf(given, digest) : path.join(ownFolder(), digest)
  mustBePrivate(path.dirname(root))
  mend(root, entries)
  const main = path.join(root, 'dist', 'scripts', 'coffer.cjs')
  process.argv.splice(1, isModule ? 2 : 1, isModule ? given : main)
  const load = nodeModule.createRequire(main)
  if (!isModule || given === main) load(main)
  else load(path.join(root, 'import.cjs'))(url.pathToFileURL(given).href)
}

function rootOf(file: string, digest: string): string {
  return file.slice(0, file.indexOf(`${path.sep}${digest}${path.sep}`) + 1 + digest.length)
}

/** The folder for what is unpacked, made if it is missing. */
function ownFolder(): string {
  const { CACHE_DIRECTORY, COFFER_UNPACK_DIR, XDG_CACHE_HOME } = process.env
  const named = COFFER_UNPACK_DIR || CACHE_DIRECTORY?.split(':')[0]
  const folder = named || path.join(XDG_CACHE_HOME || path.join(home(), '.cache'), 'coffer')
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  return path.resolve(folder)
}

/** The home of this user. `HOME` may be that of another one: commands that change the user leave it as it was. */
function home(): string {
  const named = os.homedir()
  const own = process.geteuid?.()
  if (own === undefined || fs.statSync(named, { throwIfNoEntry: false })?.uid === own) return named
  try {
    return os.userInfo().homedir
  } catch {
    return named
  }
}

/** Throws unless nobody but this user, or the administrator, can change what is in a folder. */
function mustBePrivate(folder: string): void {
  const { gid, mode, uid } = fs.statSync(folder)
  const own = process.geteuid?.()
  if (own === undefined) return
  if (uid !== own && uid !== 0) throw new LauncherError(`${folder} belongs to another user`)
  // The group of its own that a user may have.
  const others = gid === process.getegid?.() && gid === own ? 0o002 : writableByOthers
  if ((mode & others) !== 0) throw new LauncherError(`other users can write to ${folder}`)
}

/** Makes a folder hold these files, and no others. Several processes may do so at a time. */
function mend(root: string, entries: readonly Entry[]): void {
  if (missing(root, entries).length === 0) return
  fs.mkdirSync(root, { recursive: true, mode: 0o700 })
  const drafts = fs.mkdtempSync(path.join(path.dirname(root), 'new-'))
  try {
    const bytes = zlib.brotliDecompressSync(Buffer.from(sea.getRawAsset('files') as ArrayBuffer))
    const wanted = new Set(missing(root, entries))
    let at = 0
    for (const [name, size] of entries) {
      if (wanted.has(name)) place(root, name, bytes.subarray(at, at + size), drafts)
      at += size
    }
  } finally {
    fs.rmSync(drafts, { recursive: true, force: true })
  }
  const [still] = missing(root, entries)
  if (still !== undefined) throw new LauncherError(`${path.join(root, still)} is not what was written`)
}

/** Writes a file in one step: others find it whole, or not yet. */
function place(root: string, name: string, bytes: Uint8Array, drafts: string): void {
  const file = path.join(root, name)
  const draft = path.join(drafts, 'file')
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.writeFileSync(draft, bytes, { mode: 0o600 })
  fs.renameSync(draft, file)
}

/** Names of the files that are not there as they should be. Removes whatever else is there. */
function missing(root: string, entries: readonly Entry[]): string[] {
  const wanted = new Map(entries.map(([name, size, digest]) => [name, { size, digest }]))
  const folders = new Set(entries.flatMap(([name]) => foldersOf(name)))
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
      else if (entry.isFile() && known && isSame(file, known)) wanted.delete(name)
      // A file that is not as it should be gives way in one step, others may be starting from it.
      else if (!entry.isFile() || !known) fs.rmSync(file, { recursive: true, force: true })
    }
  }
  const found = fs.lstatSync(root, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) fs.rmSync(root)
  else if (found) walk('')
  return [...wanted.keys()]
}

function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}

/** Whether a file has this size and digest, and nobody else can write to it. */
function isSame(file: string, { digest, size }: { size: number; digest: string }): boolean {
  const { mode, size: found, uid } = fs.lstatSync(file)
  const own = process.geteuid?.()
  if (own !== undefined && ((uid !== own && uid !== 0) || (mode & writableByOthers) !== 0)) return false
  return found === size && sha256(fs.readFileSync(file)) === digest
}

function sha256(bytes: Uint8Array | string): string {
  return crypto.createHash('sha256').update(bytes).digest('hex')
}
