/** The files of a backup. They are verified when written, and can be encrypted. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { readChunks } from '../../storage/files/durable.js'
import type { Secret } from '../terminal/passphrase.js'
import { BackupError } from './backup-error.js'
import { openCodec, headerName, isBackup, createCodec, type Codec } from './encryption/codec.js'
import type { Place } from './place.js'
import { readBytes } from './read-file.js'
import type { Stored } from './stored.js'

export class Vault {
  private constructor(
    readonly place: Place,
    private readonly codec: Codec
  ) {}

  /**
   * Opens a backup for writing, and locks its place. Turns an empty place into a backup, encrypted if
   * `isEncrypted` or if a secret is given. Also writes new key files if the recipients have changed. Closes
   * the place and throws {@link BackupError} if it is in use or no backup, or if its encryption does not
   * match.
   */
  static async openForWriting(place: Place, isEncrypted: boolean, secret: Secret): Promise<Vault> {
    return await closeOnFailure(place, async () => {
      if (isEncrypted && secret.isPlain) throw new BackupError("--encrypt and --plain can't be combined")
      const isKnown = await isBackup(place)
      await place.lock()
      // Another run may have created it in the meantime: a new key would make what it has stored unreadable.
      if (!isKnown && !(await isBackup(place)))
        return await Vault.#create(place, isEncrypted || (secret.isGiven && !secret.isPlain), secret)
      const codec = await openCodec(place, secret)
      if (isEncrypted && codec.isPlain)
        throw new BackupError(`The backup in ${place.name} is not encrypted. Choose another place`)
      if (!codec.encode)
        throw new BackupError(
          `The backup in ${place.name} was encrypted by an earlier version and can only be restored. Choose another place`
        )
      for (const { bytes, name } of codec.renewed ?? []) await place.replace(name, Buffer.from(bytes))
      return new Vault(place, codec)
    })
  }

  /**
   * Opens a backup for reading, and locks its place. Closes the place and throws {@link BackupError} if it is
   * in use or no backup, or if its encryption does not match.
   */
  static async open(place: Place, secret: Secret): Promise<Vault> {
    return await closeOnFailure(place, async () => {
      if (!(await place.list()).includes(headerName)) throw new BackupError(`${place.name} is not a backup`)
      await place.lock()
      return new Vault(place, await openCodec(place, secret))
    })
  }

  static async #create(place: Place, isEncrypted: boolean, secret: Secret): Promise<Vault> {
    const { codec, files } = await createCodec(isEncrypted, secret)
    for (const { bytes, name } of files) await place.replace(name, Buffer.from(bytes))
    return new Vault(place, codec)
  }

  /** The fingerprint of the key of a backup to recipients. `undefined` for other backups. */
  get fingerprint(): string | undefined {
    return this.codec.fingerprint
  }

  /** True if the files of the backup are encrypted. */
  get isEncrypted(): boolean {
    return !this.codec.isPlain
  }

  /** Stores a file and verifies it by reading it. Replaces an existing file of that name. */
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
    await this.place.write(this.#path(name), this.#encode(counted()))
    const stored = { name, size, digest: digest.digest('hex') }
    await this.verify(stored)
    return stored
  }

  /**
   * Like {@link put}, for a file that never changes: creates a hard link instead of a copy if possible. An
   * encrypted backup always gets a copy.
   */
  async linkOrPut(name: string, source: string): Promise<Stored> {
    const path = this.#path(name)
    if (this.isEncrypted || !(await this.place.link(path, source)))
      return await this.put(name, readChunks(source))
    const linked = await this.place.open(path)
    return { name, ...(await computeDigest(linked!.bytes)) }
  }

  /** Returns true if a file exists with a plausible size. */
  async has({ name, size }: Stored): Promise<boolean> {
    const found = await this.place.getSize(this.#path(name))
    return found !== undefined && (this.codec.isPlain ? found === size : found > size)
  }

  /** Yields the bytes of a file. Throws {@link BackupError} if they do not match the entry, or `NotAuthentic`. */
  async *get({ digest, name, size }: Stored): AsyncGenerator<Buffer, void, undefined> {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of this.#decode(name, size)) {
      hash.update(chunk)
      length += chunk.length
      if (length > size) throw damagedError(name)
      yield chunk
    }
    if (length !== size || hash.digest('hex') !== digest) throw damagedError(name)
  }

  /** Returns the bytes of a file of up to `maxSize` bytes. Throws as {@link get} does. */
  async bytes(stored: Stored, maxSize: number): Promise<Buffer> {
    return await readBytes(stored.name, this.get(stored), stored.size, maxSize)
  }

  /** Reads a file to verify it. Throws as {@link get} does. */
  async verify(stored: Stored): Promise<void> {
    for await (const _ of this.get(stored));
  }

  /** Returns true if a file is readable and unchanged. */
  async isIntact(stored: Stored): Promise<boolean> {
    try {
      await this.verify(stored)
      return true
    } catch {
      return false
    }
  }

  /** Stores a text under a fixed name. Replaces an existing text atomically. */
  async write(name: string, text: string): Promise<void> {
    const source = Readable.from([Buffer.from(this.codec.addProof(text))])
    const bytes = await readBytes(name, this.#encode(source), 0, Infinity)
    await this.place.replace(this.#path(name), bytes)
  }

  /**
   * Reads the text stored under a fixed name; `undefined` if there is no such text. Throws `NotAuthentic` if
   * it was changed, and {@link BackupError} if it is larger than `maxSize` bytes.
   */
  async read(name: string, maxSize: number): Promise<string | undefined> {
    const file = await this.place.open(this.#path(name))
    if (!file) return undefined
    const text = await readBytes(name, this.codec.decode(name, file.bytes), file.size, maxSize)
    return this.codec.verifyProof(name, text.toString())
  }

  /** Returns the file name for the name of an entry, which adds the suffix. */
  toFileName(name: string): string {
    return name + this.codec.suffix
  }

  /** Removes a file or folder of the backup. Does nothing if there is none. */
  async remove(path: string): Promise<void> {
    await this.place.remove(checkName(path))
  }

  /** Lists the names of the entries of a folder, by default the root. */
  async list(path?: string): Promise<readonly string[]> {
    return await this.place.list(path === undefined ? path : checkName(path))
  }

  /** Syncs the entries of a folder and its parents. */
  async syncFolder(path: string): Promise<void> {
    await this.place.syncFolder(checkName(path))
  }

  /** Closes the place, which releases its lock. */
  async close(): Promise<void> {
    await this.place.close()
  }

  async *#decode(name: string, size: number): AsyncGenerator<Buffer, void, undefined> {
    const file = await this.place.open(this.#path(name))
    if (!file) throw new BackupError(`${name} is missing. The backup is damaged`)
    try {
      // Encrypted files are larger than their content, so a smaller one cannot be genuine.
      if (this.codec.isPlain ? file.size !== size : file.size < size) throw damagedError(name)
      yield* this.codec.decode(name, file.bytes)
    } finally {
      file.destroy()
    }
  }

  #encode(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    if (!this.codec.encode) throw new BackupError(`${this.place.name} is read-only`)
    return this.codec.encode(source)
  }

  #path(name: string): string {
    return checkName(this.toFileName(name))
  }
}

/** Runs `work`, and closes the place if that fails. */
async function closeOnFailure(place: Place, work: () => Promise<Vault>): Promise<Vault> {
  try {
    return await work()
  } catch (error) {
    await place.close()
    throw error
  }
}

/** Returns a path. Names in a backup are untrusted: throws {@link BackupError} if one could lead outside its place. */
function checkName(path: string): string {
  if (path.split('/').every(part => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(part))) return path
  throw new BackupError(`${JSON.stringify(path)} is not a valid name in a backup`)
}

/** Returns the size in bytes and the SHA-256 (hexadecimal) of a stream. */
export async function computeDigest(
  source: AsyncIterable<Buffer>
): Promise<{ size: number; digest: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of source) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, digest: hash.digest('hex') }
}

function damagedError(name: string): BackupError {
  return new BackupError(`${name} does not match its digest. The backup is damaged`)
}
