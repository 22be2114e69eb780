/**
 * A disk that has stored what was synced, and may or may not have stored the rest. A file's bytes are stored by a sync
 * of the file, names by a sync of their folder, and by nothing else. Most file systems promise more.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../../support/random.js'
import type { Entry } from './recording.js'

/** What happens to changes that were not synced. */
export type Fate = 'lost' | 'kept' | Random

/** Bytes that a disk writes completely or not at all. */
const sectorSize = 512

interface Write {
  readonly at: number
  readonly data: Buffer
}

type Change = Write | { readonly size: number }

class File {
  #kept = new Content()
  #count = 0
  #pending: Change[] = []

  /** Number of changes so far. */
  get count(): number {
    return this.#count + this.#pending.length
  }

  change(change: Change): void {
    this.#pending.push(change)
  }

  /** Marks the first changes as stored. */
  sync(count: number): void {
    for (const change of this.#pending.splice(0, Math.max(0, count - this.#count))) {
      this.#kept.apply(change)
      this.#count++
    }
  }

  after(fate: Fate): Buffer {
    if (fate === 'lost' || this.#pending.length === 0) return this.#kept.bytes
    const content = this.#kept.copy()
    for (const change of fate === 'kept' ? this.#pending : survivors(this.#pending, fate))
      content.apply(change)
    return content.bytes
  }
}

/** Bytes of a file, which writes extend. */
class Content {
  #buffer = Buffer.alloc(0)
  #size = 0

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  copy(): Content {
    const copy = new Content()
    copy.#buffer = Buffer.from(this.bytes)
    copy.#size = this.#size
    return copy
  }

  apply(change: Change): void {
    if ('size' in change) return this.#resize(change.size)
    const end = change.at + change.data.length
    if (end > this.#size) this.#resize(end)
    change.data.copy(this.#buffer, change.at)
  }

  #resize(size: number): void {
    if (size < this.#size) this.#buffer.fill(0, size, this.#size)
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(size * 2)
      this.bytes.copy(larger)
      this.#buffer = larger
    }
    this.#size = size
  }
}

/** Returns some changes, the first ones or any, with writes possibly torn between sectors. */
function survivors(changes: readonly Change[], random: Random): Change[] {
  if (random.chance(0.3)) return changes.slice(0, random.below(changes.length + 1))
  const odds = random.next()
  const isTearing = random.chance(0.5)
  return changes.flatMap(change => {
    if ('size' in change || !isTearing) return random.chance(odds) ? [change] : []
    // The size may be stored before the bytes: they read as zeros then.
    const kept: Change[] = random.chance(0.3) ? [{ at: change.at + change.data.length, data: noBytes }] : []
    for (let from = 0; from < change.data.length;) {
      const to = Math.min(from + sectorSize - ((change.at + from) % sectorSize), change.data.length)
      if (random.chance(odds)) kept.push({ at: change.at + from, data: change.data.subarray(from, to) })
      from = to
    }
    return kept
  })
}

const noBytes = Buffer.alloc(0)

type Node = File | Folder

class Folder {
  readonly now = new Map<string, Node>()
  readonly #kept = new Map<string, Node>()
  #count = 0
  #pending: { readonly name: string; readonly node: Node | undefined }[] = []

  get count(): number {
    return this.#count + this.#pending.length
  }

  change(name: string, node: Node | undefined): void {
    this.#pending.push({ name, node })
    set(this.now, name, node)
  }

  sync(count: number): void {
    for (const { name, node } of this.#pending.splice(0, Math.max(0, count - this.#count))) {
      set(this.#kept, name, node)
      this.#count++
    }
  }

  after(fate: Fate): Map<string, Node> {
    if (fate === 'lost' || this.#pending.length === 0) return this.#kept
    if (fate === 'kept') return this.now
    // Changes of one name are stored in order; those of different names are independent.
    const left = new Map<string, number>()
    for (const { name } of this.#pending) left.set(name, (left.get(name) ?? 0) + 1)
    for (const [name, count] of left) left.set(name, fate.below(count + 1))
    const names = new Map(this.#kept)
    for (const { name, node } of this.#pending) {
      if (left.get(name)! > 0) set(names, name, node)
      left.set(name, left.get(name)! - 1)
    }
    return names
  }
}

function set(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node) names.set(name, node)
  else names.delete(name)
}

/** The disk below one folder, which exists from the start. */
export class Disk {
  readonly #top = new Folder()
  readonly #files = new Map<number, File>()
  readonly #syncs = new Map<string, { readonly node: Node; readonly count: number }>()

  constructor(private readonly root: string) {}

  /** Returns a disk that has stored everything below a folder. */
  static holding(root: string): Disk {
    const disk = new Disk(root)
    const nodes: Node[] = [disk.#top]
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const node = entry.isDirectory() ? new Folder() : new File()
      if (node instanceof File) {
        node.change({ at: 0, data: readFileSync(path) })
        disk.#files.set(statSync(path).ino, node)
      }
      disk.#place(path, node)
      nodes.push(node)
    }
    for (const node of nodes) node.sync(node.count)
    return disk
  }

  /** Applies a recorded operation. */
  apply({ kind, path, data, inode, offset, detail }: Entry): void {
    if (kind === 'opened') return this.#open(path, inode, detail === 1)
    if (kind === 'written') return this.#files.get(inode)!.change({ at: offset, data })
    if (kind === 'sized') return this.#files.get(inode)!.change({ size: offset })
    if (kind === 'made') return this.#place(path, new Folder())
    if (kind === 'removed') return this.#place(path, undefined)
    if (kind === 'linked') return this.#place(data.toString(), this.#find(path))
    if (kind === 'renamed') {
      this.#place(data.toString(), this.#find(path))
      return this.#place(path, undefined)
    }
    if (kind === 'sync-begun') {
      const named = this.#find(path)
      // A file without a name keeps its inode number, which is not reused yet.
      const node = named instanceof Folder ? named : this.#files.get(inode)
      if (node) this.#syncs.set(`${offset} ${detail}`, { node, count: node.count })
    } else if (kind === 'sync-ended') {
      const sync = this.#syncs.get(`${offset} ${detail}`)
      sync?.node.sync(sync.count)
    } else if (kind === 'foreign') throw new Error(`${path} was moved in or out`)
  }

  /** Writes what a power cut leaves into another folder, limited to wanted paths. */
  write(directory: string, fate: Fate, isWanted: (path: string) => boolean = () => true): void {
    for (const [path, content] of this.list(fate)) {
      if (!isWanted(path)) continue
      const file = join(directory, path)
      if (content === undefined) mkdirSync(file, { recursive: true })
      else writeFileSync(file, content)
    }
  }

  /** Lists all files, and folders (without content), each after its parent folder. */
  *list(fate: Fate): Generator<[path: string, content: Buffer | undefined], void, undefined> {
    const folders: [string, Folder][] = [['', this.#top]]
    for (const [path, folder] of folders)
      for (const [name, node] of folder.after(fate)) {
        const at = join(path, name)
        if (node instanceof Folder) {
          folders.push([at, node])
          yield [at, undefined]
        } else yield [at, node.after(fate)]
      }
  }

  #open(path: string, inode: number, isEmptied: boolean): void {
    const known = this.#find(path)
    if (known instanceof File) {
      if (isEmptied) known.change({ size: 0 })
      return
    }
    // An inode number is reused after its file is removed.
    const file = new File()
    this.#files.set(inode, file)
    this.#place(path, file)
  }

  #place(path: string, node: Node | undefined): void {
    const folder = this.#find(dirname(path))
    if (!(folder instanceof Folder)) throw new Error(`${dirname(path)} is not a folder`)
    folder.change(path.slice(dirname(path).length + 1), node)
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#top
    for (const name of path.slice(this.root.length).split('/')) {
      if (name === '') continue
      node = node instanceof Folder ? node.now.get(name) : undefined
    }
    return node
  }
}
