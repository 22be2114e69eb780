/** Converts a plain backup into the encryption format used before age. */
import { createCipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The key derivation parameters that such a backup contains. */
export const formerDerivation = { kdf: 'scrypt', N: 2 ** 17, r: 8, p: 1 }

/** Encrypts all files of a backup, in place. */
export function encryptAsFormerly(root: string, passphrase: string): void {
  const salt = randomBytes(32)
  const { N, p, r } = formerDerivation
  const key = scryptSync(passphrase.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r })
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || entry.name.startsWith('backup.')) continue
    writeFileSync(path, encrypted(key, relative(root, path).split(sep).join('/'), readFileSync(path)))
  }
  const encryption = { ...formerDerivation, salt: salt.toString('base64') }
  writeFileSync(
    join(root, 'backup.json'),
    JSON.stringify({ format: 'coffer-backup', version: 1, encryption })
  )
}

function encrypted(key: Buffer, name: string, bytes: Buffer): Buffer {
  const salt = randomBytes(32)
  const own = Buffer.from(hkdfSync('sha256', key, salt, `coffer backup ${name}`, 32))
  const count = Math.max(1, Math.ceil(bytes.length / 65536))
  const chunks = Array.from({ length: count }, (_, number) => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(BigInt(number))
    nonce[8] = number === count - 1 ? 1 : 0
    const cipher = createCipheriv('aes-256-gcm', own, nonce)
    const chunk = bytes.subarray(number * 65536, (number + 1) * 65536)
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  })
  return Buffer.concat([salt, ...chunks])
}
