/** A backup in a folder. Files are synced, and never read or written through symbolic links. */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import {
  existsWithin,
  makeFolderWithin,
  openWithin,
  syncPath,
  writeWithin
} from '../../storage/files/durable.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { BackupError } from './backup-error.js'
import type { OpenFile, Place } from './place.js'

export class FolderPlace implements Place {
  #release: (() => void) | undefined

  private constructor(readonly name: string) {}

  /**
   * Opens a folder. Creates a missing folder if `isNew`, and otherwise throws {@link BackupError}. Warns on
   * standard error if other users can access a folder to write to.
   */
  static open(folder: string, isNew: boolean): FolderPlace {
    const root = resolve(folder)
    if (isNew) mkdirSync(root, { recursive: true, mode: 0o700 })
    const found = statSync(root, { throwIfNoEntry: false })
    if (!found?.isDirectory()) throw new BackupError(`${root} is not a backup`)
    if (isNew && (found.mode & 0o077) !== 0)
      console.error(`${root} is accessible to other users. Run chmod 700 ${root}`)
    return new FolderPlace(root)
  }

  async lock(): Promise<void> {
    this.#release = lockDirectory(join(this.name, 'backup.lock'))
  }

  async open(path: string): Promise<OpenFile | undefined> {
    const file = this.#at(path)
    if (!existsWithin(this.name, file)) return undefined
    const { bytes, size } = openWithin(this.name, file)
    return { bytes, size, destroy: () => bytes.destroy() }
  }

  async write(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const file = this.#at(path)
    makeFolderWithin(this.name, dirname(file))
    await rm(file, { force: true })
    await writeWithin(this.name, file, bytes)
  }

  async replace(path: string, bytes: Buffer): Promise<void> {
    const file = this.#at(path)
    await rm(`${file}.new`, { force: true })
    await writeWithin(this.name, `${file}.new`, Readable.from([bytes]))
    await rename(`${file}.new`, file)
    await syncPath(dirname(file))
  }

  async link(path: string, source: string): Promise<boolean> {
    const file = this.#at(path)
    makeFolderWithin(this.name, dirname(file))
    await rm(file, { force: true })
    try {
      await link(source, file)
      return true
    } catch (error) {
      // Another device, a file system without hard links, or too many links.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
      return false
    }
  }

  async getSize(path: string): Promise<number | undefined> {
    const file = this.#at(path)
    if (!existsWithin(this.name, file)) return undefined
    const found = lstatSync(file)
    return found.isFile() ? found.size : undefined
  }

  async list(path?: string): Promise<readonly string[]> {
    if (path === undefined) return readdirSync(this.name)
    const folder = this.#at(path)
    if (!existsWithin(this.name, folder)) return []
    makeFolderWithin(this.name, folder)
    return readdirSync(folder)
  }

  async remove(path: string): Promise<void> {
    const file = this.#at(path)
    if (existsWithin(this.name, file)) await rm(file, { recursive: true, force: true })
  }

  async syncFolder(path: string): Promise<void> {
    for (let at = this.#at(path); at.length >= this.name.length; at = dirname(at)) await syncPath(at)
  }

  async assertLocked(): Promise<void> {
    // The operating system holds the lock as long as the process runs.
  }

  async close(): Promise<void> {
    this.#release?.()
  }

  #at(path: string): string {
    return join(this.name, ...path.split('/'))
  }
}
