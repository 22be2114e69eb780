/**
 * Encryption of a backup in the format of age (age-encryption.org/v1): each file to a key of the backup's own, which lies in
 * the backup as an identity file, encrypted with the passphrase or to an identity of the operator's. Who has that can open
 * a backup without this software: `age -d -i key.age FILE.age`.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Secret } from '../terminal/passphrase.js'
import { BackupError, NotAuthentic } from './backup-error.js'

/** Base-2 logarithms of scrypt's work factor: of new files (256 MiB for each guess), and the largest that is taken on. */
const workFactor = 18
const largestWorkFactor = 20

/** Bytes of a file with the key, and of the header of any other: they are read as a whole before anything is checked. */
export const largestKeyFile = 4096
const largestHeader = 4096

const identityLine = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/m
const proofLine = /^# proof: ([0-9a-f]{64})$/m

/** The key of one backup. */
export class BackupKey {
  readonly #decrypter = new Decrypter()
  readonly #encrypter = new Encrypter()
  readonly #macKey: Buffer

  private constructor(identity: string, recipient: string) {
    this.#decrypter.addIdentity(identity)
    this.#encrypter.addRecipient(recipient)
    this.#macKey = derived(identity, 'coffer backup manifest')
  }

  /** A new key, and the file to keep it in. */
  static async create(secret: Secret): Promise<{ key: BackupKey; file: Uint8Array }> {
    const identity = await generateX25519Identity()
    const encrypter = new Encrypter()
    if (secret.identity === undefined) {
      encrypter.setScryptWorkFactor(workFactor)
      encrypter.setPassphrase(await secret.passphrase(true))
    } else encrypter.addRecipient(await identityToRecipient(secret.identity))
    // Everybody may know to whom an identity encrypts: only the proof tells that its owner made the key.
    const proof = secret.identity === undefined ? '' : `# proof: ${proofOf(secret.identity, identity)}\n`
    const text = `# The key of a backup by Coffer: age -d -i key.age FILE.age\n${proof}${identity}\n`
    return { key: await BackupKey.#of(identity), file: await encrypter.encrypt(text) }
  }

  /** The key in a file. Throws {@link NotAuthentic}, {@link BackupError}. */
  static async open(file: Uint8Array, secret: Secret): Promise<BackupKey> {
    const kind = kindOf(Buffer.from(file).toString('latin1'))
    const decrypter = new Decrypter()
    if (kind === 'passphrase' && secret.identity !== undefined)
      throw new BackupError('The backup is opened by a passphrase, not by an identity: leave out --identity')
    if (kind === 'identity' && secret.identity === undefined)
      throw new BackupError('The backup is opened by an identity, not by a passphrase: name it by --identity')
    if (secret.identity === undefined) decrypter.addPassphrase(await secret.passphrase(false))
    else decrypter.addIdentity(secret.identity)
    const text = await decrypter.decrypt(file, 'text').catch(() => {
      throw new NotAuthentic('key.age', kind)
    })
    const [identity] = identityLine.exec(text) ?? []
    if (identity === undefined) throw new BackupError('key.age holds no key: the backup is damaged')
    if (secret.identity !== undefined) {
      const expected = proofOf(secret.identity, identity)
      if (!isSame(proofLine.exec(text)?.[1] ?? '', expected)) throw new NotAuthentic('key.age', kind)
    }
    return await BackupKey.#of(identity)
  }

  static async #of(identity: string): Promise<BackupKey> {
    return new BackupKey(identity, await identityToRecipient(identity))
  }

  /** Encrypts bytes as they come. */
  async *encrypted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
    yield* buffers(await this.#encrypter.encrypt(streamOf(source)))
  }

  /** Decrypts bytes as they come. Throws {@link NotAuthentic}; what came before that must not be used. */
  async *decrypted(name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let failure: unknown
    const noted = async function* (): AsyncGenerator<Buffer, void, undefined> {
      try {
        yield* withHeader(name, source)
      } catch (error) {
        failure = error
        throw error
      }
    }
    try {
      yield* buffers(await this.#decrypter.decrypt(streamOf(noted())))
    } catch {
      throw failure ?? new NotAuthentic(name)
    }
  }

  /** What only the owner of the key could have written beside this text. */
  mac(text: string): string {
    return createHmac('sha256', this.#macKey).update(text).digest('hex')
  }

  /** Whether that is what belongs beside the text. */
  isMac(mac: string, text: string): boolean {
    return isSame(mac, this.mac(text))
  }
}

/** How a file with a key is opened. Throws {@link BackupError} for what would be opened too easily, or take too long. */
function kindOf(text: string): 'passphrase' | 'identity' {
  const [, type = '', argument = ''] = /^age-encryption\.org\/v1\n-> (\S+) \S+(?: (\d+))?\n/.exec(text) ?? []
  if (type === 'X25519') return 'identity'
  if (type !== 'scrypt') throw new BackupError('key.age is not a key of a backup, or is damaged')
  const factor = Number(argument)
  if (factor >= workFactor && factor <= largestWorkFactor) return 'passphrase'
  throw new BackupError(
    `key.age is guarded by a work factor of ${argument || 'no size'}: it has to be from ${workFactor} to ${largestWorkFactor}`
  )
}

/** A file of age begins with a short header; who reads on for its end could read for ever. */
async function* withHeader(
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
    if (head.subarray(0, largestHeader).includes('\n--- ')) {
      yield head
      head = undefined
    } else if (head.length >= largestHeader) throw new NotAuthentic(name)
  }
  if (head) throw new NotAuthentic(name)
}

function derived(identity: string, what: string): Buffer {
  return Buffer.from(hkdfSync('sha256', identity, '', what, 32))
}

function proofOf(owner: string, identity: string): string {
  return createHmac('sha256', derived(owner, 'coffer backup key')).update(identity).digest('hex')
}

function isSame(text: string, expected: string): boolean {
  return text.length === expected.length && timingSafeEqual(Buffer.from(text), Buffer.from(expected))
}

/** One piece is asked for at a time, so that memory does not depend on sizes. */
function streamOf(source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return ReadableStream.from(source)
}

async function* buffers(stream: object): AsyncGenerator<Buffer, void, undefined> {
  for await (const { buffer, byteLength, byteOffset } of stream as ReadableStream<Uint8Array>)
    yield Buffer.from(buffer, byteOffset, byteLength)
}
