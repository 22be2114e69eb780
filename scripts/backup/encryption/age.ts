/**
 * Encrypts backups in the age format (age-encryption.org/v1). Each backup has its own key, to which its files are
 * encrypted. The key is stored in the backup as an identity file, encrypted with the passphrase or to the operator's
 * identity. With the passphrase or the identity, a backup can be opened without this software: `age -d -i key.age
 * FILE.age`.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Secret } from '../../terminal/passphrase.js'
import { BackupError, NotAuthentic } from '../backup-error.js'

/** Base-2 logarithms of scrypt's work factor: for new files (256 MiB per guess), and the maximum for existing ones. */
const logWorkFactor = 18
const maxLogWorkFactor = 20

/** Maximum size of the key file and of a file's header, in bytes: both are read as a whole before anything is verified. */
export const maxKeyFileBytes = 4096
const maxHeaderBytes = 4096

const identityLine = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/m
const proofLine = /^# proof: ([0-9a-f]{64})$/m

/** The key of one backup. */
export class BackupKey {
  readonly #decrypter = new Decrypter()
  readonly #encrypter = new Encrypter()
  readonly #macKey: Buffer

  private constructor(
    identity: string,
    private readonly recipient: string
  ) {
    this.#decrypter.addIdentity(identity)
    this.#encrypter.addRecipient(recipient)
    this.#macKey = deriveKey(identity, 'coffer backup manifest')
  }

  /**
   * Creates a key. Returns it with the encrypted file that stores it. The identity or the passphrase of
   * `secret` opens the file; prompts for a passphrase if none is given.
   */
  static async create(secret: Secret): Promise<{ key: BackupKey; file: Uint8Array }> {
    const identity = await generateX25519Identity()
    const encrypter = new Encrypter()
    if (secret.identity === undefined) {
      encrypter.setScryptWorkFactor(logWorkFactor)
      encrypter.setPassphrase(await secret.passphrase(true))
    } else encrypter.addRecipient(await identityToRecipient(secret.identity))
    // Anyone can encrypt to a public key: only the proof shows that the owner of the identity made this key.
    const proof = secret.identity === undefined ? '' : `# proof: ${createProof(secret.identity, identity)}\n`
    const text = `# The key of a backup by Coffer: age -d -i key.age FILE.age\n${proof}${identity}\n`
    return { key: await BackupKey.fromIdentity(identity), file: await encrypter.encrypt(text) }
  }

  /**
   * Returns the key of a backup that has the identity `identity` (`AGE-SECRET-KEY-…`), and the file that stores this
   * identity, encrypted to `recipients`.
   */
  static async createFor(
    recipients: readonly string[],
    identity: string
  ): Promise<{ key: BackupKey; file: Uint8Array }> {
    const encrypter = new Encrypter()
    for (const recipient of recipients) encrypter.addRecipient(recipient)
    const text = `# The key of a backup by Coffer: age -d -i key.age FILE.age\n${identity}\n`
    return { key: await BackupKey.fromIdentity(identity), file: await encrypter.encrypt(text) }
  }

  /**
   * Decrypts the key in the key file of a backup to recipients with the identity of one of them. Throws
   * {@link NotAuthentic} if the identity does not open it, and {@link BackupError} if the file contains no
   * key.
   */
  static async openAsRecipient(file: Uint8Array, own: string): Promise<BackupKey> {
    const decrypter = new Decrypter()
    decrypter.addIdentity(own)
    const text = await decrypter.decrypt(file, 'text').catch(() => {
      throw new NotAuthentic('key.age', 'identity')
    })
    const [identity] = identityLine.exec(text) ?? []
    if (identity === undefined) throw new BackupError('key.age contains no key. The backup is damaged')
    return await BackupKey.fromIdentity(identity)
  }

  /** A digest by which people recognise the key. */
  get fingerprint(): string {
    return createHash('sha256').update(this.recipient).digest('hex').slice(0, 32)
  }

  /**
   * Decrypts the key in a key file. Throws {@link NotAuthentic} if the passphrase or identity is incorrect or
   * did not make the key, and {@link BackupError} if the file needs the other kind of secret or contains no
   * key.
   */
  static async open(file: Uint8Array, secret: Secret): Promise<BackupKey> {
    const kind = getKeyKind(Buffer.from(file).toString('latin1'))
    const decrypter = new Decrypter()
    if (kind === 'passphrase' && secret.identity !== undefined)
      throw new BackupError('The backup uses a passphrase, not an identity. Leave out --identity')
    if (kind === 'identity' && secret.identity === undefined)
      throw new BackupError('The backup uses an identity, not a passphrase. Pass it with --identity')
    if (secret.identity === undefined) decrypter.addPassphrase(await secret.passphrase(false))
    else decrypter.addIdentity(secret.identity)
    const text = await decrypter.decrypt(file, 'text').catch(() => {
      throw new NotAuthentic('key.age', kind)
    })
    const [identity] = identityLine.exec(text) ?? []
    if (identity === undefined) throw new BackupError('key.age contains no key. The backup is damaged')
    if (secret.identity !== undefined) {
      const expected = createProof(secret.identity, identity)
      if (!isEqual(proofLine.exec(text)?.[1] ?? '', expected)) throw new NotAuthentic('key.age', kind)
    }
    return await BackupKey.fromIdentity(identity)
  }

  /** Creates the key from the identity of the backup itself. */
  static async fromIdentity(identity: string): Promise<BackupKey> {
    return new BackupKey(identity, await identityToRecipient(identity))
  }

  /** Encrypts a stream. */
  async *encrypt(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
    yield* toBuffers(await this.#encrypter.encrypt(toReadableStream(source)))
  }

  /** Decrypts a stream. Throws {@link NotAuthentic}; the caller must then discard all bytes yielded before. */
  async *decrypt(name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let failure: unknown
    const recordFailure = async function* (): AsyncGenerator<Buffer, void, undefined> {
      try {
        yield* requireHeader(name, source)
      } catch (error) {
        failure = error
        throw error
      }
    }
    try {
      yield* toBuffers(await this.#decrypter.decrypt(toReadableStream(recordFailure())))
    } catch {
      throw failure ?? new NotAuthentic(name)
    }
  }

  /** Returns the message authentication code of a text. */
  mac(text: string): string {
    return createHmac('sha256', this.#macKey).update(text).digest('hex')
  }

  /** Returns true if a text has this message authentication code. */
  verifyMac(mac: string, text: string): boolean {
    return isEqual(mac, this.mac(text))
  }
}

/** Returns how a key file is encrypted. Throws {@link BackupError} for a work factor that is too weak, or would take too long. */
function getKeyKind(text: string): 'passphrase' | 'identity' {
  const [, type = '', argument = ''] = /^age-encryption\.org\/v1\n-> (\S+) \S+(?: (\d+))?\n/.exec(text) ?? []
  if (type === 'X25519') return 'identity'
  if (type !== 'scrypt') throw new BackupError('key.age is damaged or not a backup key')
  const factor = Number(argument)
  if (factor >= logWorkFactor && factor <= maxLogWorkFactor) return 'passphrase'
  throw new BackupError(
    `key.age has a scrypt work factor of ${argument || 'unknown size'}. It must be from ${logWorkFactor} to ${maxLogWorkFactor}`
  )
}

/**
 * Passes a stream on, and fails unless it begins with a short age header: the library would buffer an endless header.
 */
async function* requireHeader(
  name: string,
  source: AsyncIterable<Buffer>
): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of source) {
    if (!head) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.subarray(0, maxHeaderBytes).includes('\n--- ')) {
      yield head
      head = undefined
    } else if (head.length >= maxHeaderBytes) throw new NotAuthentic(name)
  }
  if (head) throw new NotAuthentic(name)
}

function deriveKey(identity: string, what: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identity, '', what, 32))
}

function createProof(owner: string, identity: string): string {
  return createHmac('sha256', deriveKey(owner, 'coffer backup key')).update(identity).digest('hex')
}

function isEqual(text: string, expected: string): boolean {
  return text.length === expected.length && timingSafeEqual(Buffer.from(text), Buffer.from(expected))
}

/** Returns a stream that pulls one chunk at a time, so that memory does not grow with the file. */
function toReadableStream(source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(source)
}

async function* toBuffers(stream: object): AsyncGenerator<Buffer, void, undefined> {
  for await (const { buffer, byteLength, byteOffset } of stream as ReadableStream<Uint8Array>)
    yield Buffer.from(buffer, byteOffset, byteLength)
}
