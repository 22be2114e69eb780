/** How the files of a backup are written: as they are, in the format of age, or, only to be read, as they once were encrypted. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { openWithin } from '../../storage/files/durable.js'
import type { Secret } from '../terminal/passphrase.js'
import { BackupKey, largestKeyFile } from './age.js'
import { BackupError, NotAuthentic } from './backup-error.js'
import { decryptedFormer, formerKey } from './former-cipher.js'
import { bytesOf, parsed } from './reading.js'

type Bytes = AsyncIterable<Buffer>

/** How the files of one backup are written. */
export interface Codec {
  /** What the names of its files end in. */
  readonly suffix: string
  /** Whether files are readable by everybody who has them. */
  readonly isPlain: boolean
  /** Nothing for what can only be read. */
  readonly encode?: (bytes: Bytes) => Bytes
  decode(name: string, bytes: Bytes): Bytes
  /** A text with what proves it; the proof is checked and taken off by {@link checked}. */
  proven(text: string): string
  checked(name: string, text: string): string
}

export const headerName = 'backup.json'
const keyName = 'key.age'

const Header = Type.Object({
  format: Type.Literal('coffer-backup'),
  version: Type.Integer({ minimum: 1 }),
  encryption: Type.Union([Type.Null(), Type.Literal('age'), Type.Record(Type.String(), Type.Unknown())])
})
type Header = Static<typeof Header>

/** A file of fixed name that a new backup begins with. */
export interface First {
  readonly name: string
  readonly bytes: string | Uint8Array
}

const plain: Codec = {
  suffix: '',
  isPlain: true,
  encode: bytes => bytes,
  decode: (_name, bytes) => bytes,
  proven: text => text,
  checked: (_name, text) => text
}

/** How a new backup is to be written, and the files that it begins with. */
export async function newCodec(
  isEncrypted: boolean,
  secret: Secret
): Promise<{ codec: Codec; files: readonly First[] }> {
  if (!isEncrypted) return { codec: plain, files: [headerOf({ version: 1, encryption: null })] }
  const { file, key } = await BackupKey.create(secret)
  const files = [{ name: keyName, bytes: file }, headerOf({ version: 2, encryption: 'age' })]
  return { codec: ageCodec(key), files }
}

/** How the backup in a folder is written. Throws {@link BackupError}, also where it is not what somebody with that secret expects. */
export async function codecIn(root: string, secret: Secret): Promise<Codec> {
  const { encryption } = await readHeader(root)
  if (encryption === null) {
    if (!secret.isGiven || secret.isPlain) return plain
    throw new BackupError(
      `${root} holds a backup that is not encrypted, though it should be: say --plain if that is meant`
    )
  }
  if (secret.isPlain) throw new BackupError(`${root} holds a backup that is encrypted: leave out --plain`)
  if (encryption === 'age') {
    const { bytes, size } = openWithin(root, join(root, keyName))
    return ageCodec(await BackupKey.open(await bytesOf(keyName, bytes, size, largestKeyFile), secret))
  }
  if (secret.identity !== undefined)
    throw new BackupError(`${root} holds a backup that is opened by a passphrase`)
  const key = await formerKey(async () => await secret.passphrase(false), encryption)
  return formerCodec(key)
}

/** Whether a folder is that of a backup. Throws {@link BackupError} if it holds something else. */
export function isBackup(root: string): boolean {
  const names = readdirSync(root)
  if (names.includes(headerName)) return true
  // A first run that was cut short may have left a key and nothing that it opens.
  const others = names.filter(name => !name.startsWith('backup.lock') && !name.startsWith(keyName))
  if (others.length > 0) throw new BackupError(`${root} is neither empty nor a backup`)
  return false
}

async function readHeader(root: string): Promise<Header> {
  const { bytes, size } = openWithin(root, join(root, headerName))
  const text = (await bytesOf(headerName, bytes, size, 64 * 1024)).toString()
  const header = parsed(headerName, text, Header)
  const known = typeof header.encryption === 'string' ? 2 : 1
  if (header.version !== known) throw new BackupError(`${root} holds a backup of a later version`)
  return header
}

function headerOf(header: Omit<Header, 'format'>): First {
  return { name: headerName, bytes: JSON.stringify({ format: 'coffer-backup', ...header }, null, 2) }
}

/** It writes nothing: what is added to a backup is not a weaker than today. */
function formerCodec(key: Buffer): Codec {
  return {
    suffix: '',
    isPlain: false,
    decode: (name, bytes) => decryptedFormer(key, name, bytes),
    proven: text => text,
    checked: (_name, text) => text
  }
}

function ageCodec(key: BackupKey): Codec {
  return {
    suffix: '.age',
    isPlain: false,
    encode: bytes => key.encrypted(bytes),
    decode: (name, bytes) => key.decrypted(name, bytes),
    proven: text => `${text}\n${JSON.stringify({ mac: key.mac(text) })}\n`,
    checked(name, proven) {
      const [text = '', proof = ''] = proven.split('\n')
      const [, mac = ''] = /^\{"mac":"([0-9a-f]{64})"\}$/.exec(proof) ?? []
      if (key.isMac(mac, text)) return text
      throw new NotAuthentic(name)
    }
  }
}
