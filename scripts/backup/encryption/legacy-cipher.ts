/**
 * Decrypts backups of versions before the age format: AES-256-GCM in chunks. Each file has its own key, derived from its name.
 * The nonce of a chunk contains its number and whether it is the last one.
 */
import { createDecipheriv, hkdfSync, scryptSync } from 'node:crypto'
import { BackupError, NotAuthentic } from '../backup-error.js'

/** Parameters of the key derivation, identical in all of these backups. */
const derivation = { N: 2 ** 17, r: 8, p: 1 }

const chunkSize = 64 * 1024
const saltSize = 32
const tagSize = 16

/** Derives the key of a backup from its header. Throws {@link BackupError} for unknown parameters. */
export async function deriveLegacyKey(
  passphrase: () => Promise<string>,
  header: Readonly<Record<string, unknown>>
): Promise<Buffer> {
  const { kdf, salt } = header
  const isOurs = Object.entries(derivation).every(([name, value]) => header[name] === value)
  const bytes = typeof salt === 'string' ? Buffer.from(salt, 'base64') : Buffer.alloc(0)
  if (kdf !== 'scrypt' || !isOurs || bytes.length !== 32)
    throw new BackupError('backup.json has an unknown encryption')
  const options = { ...derivation, maxmem: 256 * derivation.N * derivation.r }
  return scryptSync((await passphrase()).normalize('NFKC'), bytes, 32, options)
}

/** Decrypts a file. Throws {@link NotAuthentic}; the caller must then discard all bytes yielded before. */
export async function* decryptLegacy(
  key: Buffer,
  name: string,
  source: AsyncIterable<Buffer>
): AsyncGenerator<Buffer, void, undefined> {
  let fileKey: Buffer | undefined
  let number = 0
  for await (const { bytes, isLast } of splitChunks(source)) {
    if (!fileKey) {
      if (bytes.length < saltSize || isLast) throw new NotAuthentic(name)
      fileKey = Buffer.from(hkdfSync('sha256', key, bytes, `coffer backup ${name}`, 32))
      continue
    }
    yield decryptChunk(fileKey, name, createNonce(number++, isLast), bytes)
  }
}

function decryptChunk(fileKey: Buffer, name: string, iv: Buffer, bytes: Buffer): Buffer {
  try {
    const end = bytes.length - tagSize
    const decipher = createDecipheriv('aes-256-gcm', fileKey, iv, { authTagLength: tagSize })
    decipher.setAuthTag(bytes.subarray(end))
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()])
  } catch {
    throw new NotAuthentic(name)
  }
}

function createNonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(BigInt(number))
  bytes[8] = isLast ? 1 : 0
  return bytes
}

/** Splits a file into its salt and its chunks with their tags. The last chunk may be shorter, or empty. */
async function* splitChunks(
  source: AsyncIterable<Buffer>
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }, void, undefined> {
  let waiting: Buffer = Buffer.alloc(0)
  let next = saltSize
  for await (const chunk of source) {
    waiting = Buffer.concat([waiting, chunk])
    // A full chunk may be the last one: hold it back until more data arrives.
    for (; waiting.length > next; next = chunkSize + tagSize) {
      yield { bytes: waiting.subarray(0, next), isLast: false }
      waiting = waiting.subarray(next)
    }
  }
  yield { bytes: waiting, isLast: true }
}
