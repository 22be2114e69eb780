/**
 * Encryption of a backup: AES-256-GCM in chunks. Each file has a key of its own, bound to its name, and each chunk a number
 * and whether it is the last: none can be changed, left out, moved or cut off unnoticed.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto'

/** How the key follows from the passphrase. */
export interface Derivation {
  readonly kdf: 'scrypt'
  readonly N: number
  readonly r: number
  readonly p: number
  /** base64 */
  readonly salt: string
}

/** The file was not written with this passphrase, or has been changed since. */
export class NotAuthentic extends Error {
  constructor(name: string) {
    super(`${name}: the passphrase is wrong, or the file is damaged`)
    this.name = 'NotAuthentic'
  }
}

const chunkSize = 64 * 1024
const saltSize = 32
const tagSize = 16

/** What a new backup derives its key by: 128 MiB of memory for each guess. */
export function newDerivation(): Derivation {
  return { kdf: 'scrypt', N: 2 ** 17, r: 8, p: 1, salt: randomBytes(32).toString('base64') }
}

/** The key of a backup. */
export function keyOf(passphrase: string, { N, p, r, salt }: Derivation): Buffer {
  const options = { N, r, p, maxmem: 256 * N * r }
  return scryptSync(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options)
}

/** Encrypts a file. */
export async function* encrypted(
  key: Buffer,
  name: string,
  source: AsyncIterable<Buffer>
): AsyncGenerator<Buffer, void, undefined> {
  const salt = randomBytes(saltSize)
  const own = fileKey(key, name, salt)
  yield salt
  let number = 0
  for await (const { bytes, isLast } of pieces(source, chunkSize)) {
    const cipher = createCipheriv('aes-256-gcm', own, nonce(number++, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/** Decrypts a file. Raises {@link NotAuthentic}; what came before that must not be used. */
export async function* decrypted(
  key: Buffer,
  name: string,
  source: AsyncIterable<Buffer>
): AsyncGenerator<Buffer, void, undefined> {
  let own: Buffer | undefined
  let number = 0
  for await (const { bytes, isLast } of pieces(source, chunkSize + tagSize, saltSize)) {
    if (!own) {
      if (bytes.length < saltSize || isLast) throw new NotAuthentic(name)
      own = fileKey(key, name, bytes)
      continue
    }
    yield opened(own, name, nonce(number++, isLast), bytes)
  }
}

function opened(own: Buffer, name: string, iv: Buffer, bytes: Buffer): Buffer {
  try {
    const end = bytes.length - tagSize
    const decipher = createDecipheriv('aes-256-gcm', own, iv, { authTagLength: tagSize })
    decipher.setAuthTag(bytes.subarray(end))
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()])
  } catch {
    throw new NotAuthentic(name)
  }
}

function fileKey(key: Buffer, name: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `coffer backup ${name}`, 32))
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(BigInt(number))
  bytes[8] = isLast ? 1 : 0
  return bytes
}

/** Bytes in pieces of one size, the first perhaps of another; the last may be shorter, and empty if nothing else is left. */
async function* pieces(
  source: AsyncIterable<Buffer>,
  size: number,
  first = size
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }, void, undefined> {
  let waiting: Buffer[] = []
  let length = 0
  let next = first
  for await (const chunk of source) {
    waiting.push(chunk)
    length += chunk.length
    // A whole piece may turn out to be the last: it waits until there is more.
    while (length > next) {
      const all = Buffer.concat(waiting)
      yield { bytes: all.subarray(0, next), isLast: false }
      waiting = [all.subarray(next)]
      length -= next
      next = size
    }
  }
  yield { bytes: Buffer.concat(waiting), isLast: true }
}
