/**
 * Disk space reserved in a file, to be released when the disk is full: SQLite needs some space even to open a file for
 * reading. While the reserve is released, writes are refused, since they would use the space that reads need.
 */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { StorageFull } from '../errors.js'
import type { Layout } from './layout.js'

/** Maximum reserve, in bytes: enough for about 250 open files of accounts. Less is reserved on small disks. */
const maxBytes = 8 * 1024 * 1024
const maxShare = 0.05

/** The reserve of one data directory, shared by all threads. Methods block. */
export class DiskReserve {
  readonly #file: string

  constructor(private readonly layout: Layout) {
    this.#file = layout.reserveFile
  }

  /** True while the space is released. */
  get isReleased(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === 0
  }

  /** Free space needed before the reserve is created or restored, in bytes. */
  get neededBytes(): number {
    return 2 * this.#size
  }

  /** Throws `StorageFull` while the space is released. */
  check(): void {
    if (this.isReleased) throw new StorageFull()
  }

  /** Releases the space if almost nothing is free. */
  releaseIfFull(): void {
    if (this.#freeBytes < this.#size / 2) this.release()
  }

  /** Releases the space. Returns `false` if there is no reserve, or it has been released before. */
  release(): boolean {
    if (!statSync(this.#file, { throwIfNoEntry: false })?.size) return false
    truncateSync(this.#file)
    return true
  }

  /**
   * Creates or restores the reserve, unless it exists or too little space is free. Does nothing if the space
   * is taken in the meantime.
   */
  create(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size || this.#freeBytes < this.neededBytes) return
    const draft = `${this.#file}.new`
    try {
      // Zeros would take no space on a compressing file system.
      writeFileSync(draft, randomBytes(this.#size), { mode: 0o600 })
      renameSync(draft, this.#file)
    } catch {
      // The space was taken in the meantime.
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
