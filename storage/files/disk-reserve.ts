/**
 * Disk space kept in a file, to be given up when the disk is full: SQLite needs some even to open a file for reading. While
 * it is given up, writes are refused, since they would use what reads need.
 */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { StorageFull } from '../errors.js'
import type { Layout } from './layout.js'

/** Enough for some 250 open files of accounts, in bytes. On small disks less is kept. */
const maxBytes = 8 * 1024 * 1024
const maxShare = 0.05

export class DiskReserve {
  readonly #file: string

  constructor(private readonly layout: Layout) {
    this.#file = layout.reserveFile
  }

  /** True while it is given up. */
  get isReleased(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === 0
  }

  /** Bytes that have to be free before it is made, or made again. */
  get neededBytes(): number {
    return 2 * this.#size
  }

  /** Throws `StorageFull` while it is given up. */
  check(): void {
    if (this.isReleased) throw new StorageFull()
  }

  /** Gives it up if next to nothing is free. */
  releaseIfFull(): void {
    if (this.#freeBytes < this.#size / 2) this.release()
  }

  /** Gives it up. Returns `false` if there is none. */
  release(): boolean {
    if (!statSync(this.#file, { throwIfNoEntry: false })?.size) return false
    truncateSync(this.#file)
    return true
  }

  /** Makes it, unless it is there or too little is free. */
  create(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size || this.#freeBytes < this.neededBytes) return
    const draft = `${this.#file}.new`
    try {
      // Zeros would take no space where the file system compresses.
      writeFileSync(draft, randomBytes(this.#size), { mode: 0o600 })
      renameSync(draft, this.#file)
    } catch {
      // Something else has taken the space meanwhile.
      rmSync(draft, { force: true })
    }
  }

  get #size(): number {
    const { blocks, bsize } = statfsSync(this.layout.root)
    return Math.min(maxBytes, Math.floor(blocks * bsize * maxShare))
  }

  get #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.layout.root)
    return bavail * bsize
  }
}
