/** The folder of a backup: files that are on disk and read back when they are written, encrypted if that is wanted. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import {
  bytesIn,
  isWithin,
  makeFolderWithin,
  openWithin,
  syncPath,
  writeWithin
} from '../../storage/files/durable.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
import type { Secret } from '../terminal/passphrase.js'
import { BackupError } from './backup-error.js'
import { codecIn, headerName, isBackup, newCodec, type Codec } from './codec.js'
import { bytesOf } from './reading.js'
import type { Stored } from './stored.js'

export class Vault {
  private constructor(
    readonly root: string,
    private readonly codec: Codec,
    private readonly release: () => void
  ) {}

  /** Opens a folder for making a backup in it; an empty one becomes one, encrypted if `isEncrypted` or if a secret is given. */
  static async prepare(folder: string, isEncrypted: boolean, secret: Secret): Promise<Vault> {
    const root = resolve(folder)
    mkdirSync(root, { recursive: true, mode: 0o700 })
    if ((statSync(root).mode & 0o077) !== 0)
      console.error(`${root} can be looked into by others: chmod 700 ${root}`)
    const isKnown = isBackup(root)
    const release = lockDirectory(join(root, 'backup.lock'))
    try {
      if (isEncrypted && secret.isPlain) throw new BackupError('A backup is encrypted or plain: choose one')
      if (!isKnown)
        return await Vault.#begin(root, isEncrypted || (secret.isGiven && !secret.isPlain), secret, release)
      const codec = await codecIn(root, secret)
      if (isEncrypted && codec.isPlain)
        throw new BackupError(`${root} holds a backup that is not encrypted: take another folder`)
      if (!codec.encode)
        throw new BackupError(
          `${root} holds a backup that was encrypted by an earlier version, and can only be restored: take another folder`
        )
      return new Vault(root, codec, release)
    } catch (error) {
      release()
      throw error
    }
  }

  /** Opens a backup for reading. */
  static async open(folder: string, secret: Secret): Promise<Vault> {
    const root = resolve(folder)
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory() || !isWithin(root, join(root, headerName)))
      throw new BackupError(`${root} is not a backup`)
    const release = lockDirectory(join(root, 'backup.lock'))
    try {
      return new Vault(root, await codecIn(root, secret), release)
    } catch (error) {
      release()
      throw error
    }
  }

  static async #begin(
    root: string,
    isEncrypted: boolean,
    secret: Secret,
    release: () => void
  ): Promise<Vault> {
    const { codec, files } = await newCodec(isEncrypted, secret)
    const vault = new Vault(root, codec, release)
    for (const { bytes, name } of files) await vault.#replace(name, Buffer.from(bytes))
    return vault
  }

  get isEncrypted(): boolean {
    return !this.codec.isPlain
  }

  /** Stores bytes under a name that is not in use. */
  async put(name: string, source: AsyncIterable<Buffer>): Promise<Stored> {
    const digest = createHash('sha256')
    let size = 0
    async function* counted(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of source) {
        digest.update(chunk)
        size += chunk.length
        yield chunk
      }
    }
    await this.#write(name, counted())
    const stored = { name, size, digest: digest.digest('hex') }
    await this.verify(stored)
    return stored
  }

  /** As {@link put}, for a file that never changes: where that is possible it is not copied but shared. */
  async share(name: string, source: string): Promise<Stored> {
    if (this.isEncrypted) return await this.put(name, bytesIn(source))
    const file = this.#path(name)
    makeFolderWithin(this.root, dirname(file))
    await rm(file, { force: true })
    try {
      await link(source, file)
      return { name, ...(await digestOf(openWithin(this.root, file).bytes)) }
    } catch (error) {
      // Another device, a file system without links, or too many of them.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    }
    return await this.put(name, bytesIn(source))
  }

  /** Whether a file is there, and of the size that it should have at least. */
  has({ name, size }: Stored): boolean {
    const file = this.#path(name)
    if (!isWithin(this.root, file)) return false
    const found = lstatSync(file)
    return found.isFile() && (this.codec.isPlain ? found.size === size : found.size > size)
  }

  /** The bytes of a file. Throws {@link BackupError} when they are not what was stored, or `NotAuthentic`. */
  async *get({ digest, name, size }: Stored): AsyncGenerator<Buffer, void, undefined> {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of this.#read(name, size)) {
      hash.update(chunk)
      length += chunk.length
      if (length > size) throw altered(name)
      yield chunk
    }
    if (length !== size || hash.digest('hex') !== digest) throw altered(name)
  }

  /** All bytes of a file that holds no more than `most`. Throws as {@link get} does. */
  async bytes(stored: Stored, most: number): Promise<Buffer> {
    return await bytesOf(stored.name, this.get(stored), stored.size, most)
  }

  /** Reads a file to its end. Throws as {@link get} does. */
  async verify(stored: Stored): Promise<void> {
    for await (const _ of this.get(stored));
  }

  /** Stores a text under a fixed name, in place of what was there: all of it or nothing. */
  async write(name: string, text: string): Promise<void> {
    const source = Readable.from([Buffer.from(this.codec.proven(text))])
    const bytes = await bytesOf(name, this.#encoded(source), 0, Infinity)
    await this.#replace(name + this.codec.suffix, bytes)
  }

  /** The text of a fixed name; nothing if there is none. */
  async read(name: string, most: number): Promise<string | undefined> {
    if (!isWithin(this.root, this.#path(name))) return undefined
    const { bytes, size } = openWithin(this.root, this.#path(name))
    const text = await bytesOf(name, this.codec.decode(name, bytes), size, most)
    return this.codec.checked(name, text.toString())
  }

  /** The names of the files that a stored file, or a fixed name, has. */
  fileOf(name: string): string {
    return name + this.codec.suffix
  }

  /** Removes what lies at a path below the backup's folder. */
  async remove(path: string): Promise<void> {
    const place = this.#place(path)
    if (isWithin(this.root, place)) await rm(place, { recursive: true, force: true })
  }

  /** Names of what is directly below a folder, or below the backup's own. */
  list(path?: string): string[] {
    if (path === undefined) return readdirSync(this.root)
    const folder = this.#place(path)
    if (!isWithin(this.root, folder)) return []
    makeFolderWithin(this.root, folder)
    return readdirSync(folder)
  }

  /** Makes sure that what a folder and those above it name is on disk. */
  async settle(path: string): Promise<void> {
    for (let at = this.#place(path); at.length >= this.root.length; at = dirname(at)) await syncPath(at)
  }

  close(): void {
    this.release()
  }

  async *#read(name: string, size: number): AsyncGenerator<Buffer, void, undefined> {
    const file = openWithin(this.root, this.#path(name))
    try {
      // What is encrypted is larger; whoever says more than there is wants somebody to wait for it.
      if (this.codec.isPlain ? file.size !== size : file.size < size) throw altered(name)
      yield* this.codec.decode(name, file.bytes)
    } finally {
      file.bytes.destroy()
    }
  }

  async #write(name: string, source: AsyncIterable<Buffer>): Promise<void> {
    const file = this.#path(name)
    makeFolderWithin(this.root, dirname(file))
    // A run that was cut short may have left it.
    await rm(file, { force: true })
    await writeWithin(this.root, file, this.#encoded(source))
  }

  #encoded(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    if (!this.codec.encode) throw new BackupError(`${this.root} can only be read`)
    return this.codec.encode(source)
  }

  async #replace(path: string, bytes: Buffer): Promise<void> {
    const file = this.#place(path)
    await rm(`${file}.new`, { force: true })
    await writeWithin(this.root, `${file}.new`, Readable.from([bytes]))
    await rename(`${file}.new`, file)
    await syncPath(dirname(file))
  }

  #path(name: string): string {
    return this.#place(this.fileOf(name))
  }

  /** Whoever made the backup may have given its files names that lead elsewhere. */
  #place(path: string): string {
    if (!path.split('/').every(part => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(part)))
      throw new BackupError(`${JSON.stringify(path)} is not a name in a backup`)
    return join(this.root, ...path.split('/'))
  }
}

/** Length and SHA-256 of bytes. */
export async function digestOf(source: AsyncIterable<Buffer>): Promise<{ size: number; digest: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of source) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, digest: hash.digest('hex') }
}

function altered(name: string): BackupError {
  return new BackupError(`${name} is not what was stored: the backup is damaged`)
}
