/** The folder of a backup: files that are on disk and read back when they are written, encrypted if that is wanted. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync
} from 'node:fs'
import { copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { lockDirectory } from '../../storage/lock.js'
import { syncPath } from '../../storage/files.js'
import { decrypted, encrypted, keyOf, newDerivation, type Derivation } from './cipher.js'

/** A file of the backup. */
export interface Stored {
  /** Below the backup's folder, with `/`. */
  readonly name: string
  /** Bytes, before encryption. */
  readonly size: number
  /** SHA-256 of them, in hexadecimal digits. */
  readonly digest: string
}

/** Something about a backup that whoever makes or restores it has to know. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

interface Header {
  readonly format: 'coffer-backup'
  readonly version: 1
  readonly encryption: Derivation | null
}

const headerName = 'backup.json'

/** Asks for the passphrase, when it is needed. `isNew`: nothing has been encrypted with it yet. */
export type AskPassphrase = (isNew: boolean) => Promise<string>

export class Vault {
  private constructor(
    readonly root: string,
    private readonly key: Buffer | undefined,
    private readonly release: () => void
  ) {}

  /** Opens a folder for making a backup in it; an empty one becomes one, encrypted if `isEncrypted`. */
  static async prepare(root: string, isEncrypted: boolean, ask: AskPassphrase): Promise<Vault> {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const isNew = !existsSync(join(root, headerName))
    if (isNew && readdirSync(root).some(name => !name.startsWith('backup.lock')))
      throw new BackupError(`${root} is neither empty nor a backup.`)
    const release = lockDirectory(join(root, 'backup.lock'))
    try {
      const header = isNew ? newHeader(isEncrypted ? newDerivation() : null) : readHeader(root)
      if (isEncrypted && !header.encryption)
        throw new BackupError(`${root} holds a backup that is not encrypted: take another folder.`)
      const key = header.encryption ? keyOf(await ask(isNew), header.encryption) : undefined
      const vault = new Vault(root, key, release)
      if (isNew) await vault.#replace(headerName, JSON.stringify(header, null, 2))
      return vault
    } catch (error) {
      release()
      throw error
    }
  }

  /** Opens a backup for reading. */
  static async open(root: string, ask: AskPassphrase): Promise<Vault> {
    if (!existsSync(join(root, headerName))) throw new BackupError(`${root} is no backup.`)
    const { encryption } = readHeader(root)
    const release = lockDirectory(join(root, 'backup.lock'))
    try {
      return new Vault(root, encryption ? keyOf(await ask(false), encryption) : undefined, release)
    } catch (error) {
      release()
      throw error
    }
  }

  get isEncrypted(): boolean {
    return this.key !== undefined
  }

  /** Stores bytes under a name that is not in use yet. */
  async put(name: string, source: AsyncIterable<Buffer>): Promise<Stored> {
    const file = this.#path(name)
    await this.#makeFolder(name)
    const digest = createHash('sha256')
    let size = 0
    async function* counted(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of source) {
        digest.update(chunk)
        size += chunk.length
        yield chunk
      }
    }
    const bytes = this.key ? encrypted(this.key, name, counted()) : counted()
    // `flush` syncs the bytes before the file is closed.
    await pipeline(Readable.from(bytes), createWriteStream(file, { flush: true, mode: 0o600 }))
    const stored = { name, size, digest: digest.digest('hex') }
    await this.verify(stored)
    return stored
  }

  /** As {@link put}, for a file that never changes: where that is possible it is not copied but shared. */
  async share(name: string, source: string): Promise<Stored> {
    if (this.key) return await this.put(name, createReadStream(source))
    const file = this.#path(name)
    await this.#makeFolder(name)
    await rm(file, { force: true })
    try {
      await link(source, file)
      return { name, ...(await digestOf(createReadStream(file))) }
    } catch (error) {
      // Another device, a file system without links, or too many of them.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    }
    await copyFile(source, file)
    await syncPath(file)
    const stored = { name, ...(await digestOf(createReadStream(source))) }
    await this.verify(stored)
    return stored
  }

  /** The bytes of a file. Raises {@link BackupError} at their end when they are not what was stored, or `NotAuthentic`. */
  async *get({ digest, name, size }: Stored): AsyncGenerator<Buffer, void, undefined> {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of this.#read(name)) {
      hash.update(chunk)
      length += chunk.length
      yield chunk
    }
    if (length !== size || hash.digest('hex') !== digest)
      throw new BackupError(`${name} is not what was stored: the backup is damaged.`)
  }

  /** Reads a file to its end. Raises as {@link get} does. */
  async verify(stored: Stored): Promise<void> {
    for await (const _ of this.get(stored));
  }

  /** Stores a text under a fixed name, in place of what was there: all of it or nothing. */
  async write(name: string, text: string): Promise<void> {
    const source = Readable.from([Buffer.from(text)])
    const bytes = this.key ? encrypted(this.key, name, source) : source
    await this.#replace(name, await bytesOf(bytes))
  }

  /** The text of a fixed name; nothing if there is none. */
  async read(name: string): Promise<string | undefined> {
    if (!existsSync(this.#path(name))) return undefined
    return (await bytesOf(this.#read(name))).toString()
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { recursive: true, force: true })
  }

  /** Names of what is directly below a folder, or below the backup's own. */
  list(name?: string): string[] {
    const folder = name === undefined ? this.root : this.#path(name)
    return existsSync(folder) ? readdirSync(folder) : []
  }

  /** Makes sure that what a folder and those above it name is on disk. */
  async settle(name: string): Promise<void> {
    for (let at = this.#path(name); at.length >= this.root.length; at = dirname(at)) await syncPath(at)
  }

  close(): void {
    this.release()
  }

  #read(name: string): AsyncIterable<Buffer> {
    const source = createReadStream(this.#path(name))
    return this.key ? decrypted(this.key, name, source) : source
  }

  async #replace(name: string, bytes: string | Buffer): Promise<void> {
    const file = this.#path(name)
    await writeFile(`${file}.new`, bytes, { flush: true, mode: 0o600 })
    await rename(`${file}.new`, file)
    await syncPath(dirname(file))
  }

  async #makeFolder(name: string): Promise<void> {
    await mkdir(dirname(this.#path(name)), { recursive: true, mode: 0o700 })
  }

  /** Names come from the manifest, which somebody may have written by hand. */
  #path(name: string): string {
    if (name.split('/').some(part => part === '' || part.startsWith('.')))
      throw new BackupError(`${JSON.stringify(name)} is no name in a backup.`)
    return join(this.root, ...name.split('/'))
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

async function bytesOf(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function newHeader(encryption: Derivation | null): Header {
  return { format: 'coffer-backup', version: 1, encryption }
}

function readHeader(root: string): Header {
  let header: Partial<Header> = {}
  try {
    header = JSON.parse(readFileSync(join(root, headerName), 'utf8')) as Header
  } catch {
    // Said below.
  }
  const { encryption, format, version } = header
  if (format !== 'coffer-backup')
    throw new BackupError(`${root} is no backup, or its ${headerName} is damaged.`)
  if (version !== 1) throw new BackupError(`${root} holds a backup of a later version.`)
  if (encryption && (encryption.kdf !== 'scrypt' || !(encryption.N <= 2 ** 20) || !(encryption.r <= 32)))
    throw new BackupError(`${root} is encrypted in a way that is not known here.`)
  return newHeader(encryption ?? null)
}
