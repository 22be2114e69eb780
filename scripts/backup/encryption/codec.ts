/** Encodings of the files in a backup: plain, age, and, for reading only, the encryption used by earlier versions. */
import { Type, type Static } from 'typebox'
import type { Secret } from '../../terminal/passphrase.js'
import { BackupKey, maxKeyFileBytes } from './age.js'
import { BackupError, NotAuthentic } from '../backup-error.js'
import { decryptLegacy, deriveLegacyKey } from './legacy-cipher.js'
import type { Place } from '../place.js'
import { readBytes, parseJson } from '../read-file.js'
import {
  createRecipientKey,
  encryptionName,
  openRecipientKey,
  readEncryption,
  type InitialFile,
  type RecipientKey
} from './recipients.js'

type Bytes = AsyncIterable<Buffer>

/** Encodes and decodes the files of a backup. */
export interface Codec {
  /** Suffix of file names. */
  readonly suffix: string
  /** True if files are not encrypted. */
  readonly isPlain: boolean
  /** Absent in read-only encodings. */
  readonly encode?: (bytes: Bytes) => Bytes
  /** Decodes a file of this name. Throws `NotAuthentic` while reading: discard all bytes before. */
  decode(name: string, bytes: Bytes): Bytes
  /** Appends a proof of authenticity to a text; {@link verifyProof} verifies it and returns the text without it. */
  addProof(text: string): string
  /** Returns a text without its proof. Throws `NotAuthentic` if the proof is missing or wrong. */
  verifyProof(name: string, text: string): string
  /** For a backup to recipients: the fingerprint of its key, and the files that are renewed whenever something is added. */
  readonly fingerprint?: string
  readonly renewed?: readonly InitialFile[]
}

export const headerName = 'backup.json'
const keyName = 'key.age'

const Header = Type.Object({
  format: Type.Literal('coffer-backup'),
  version: Type.Integer({ minimum: 1 }),
  encryption: Type.Union([Type.Null(), Type.Literal('age'), Type.Record(Type.String(), Type.Unknown())])
})
type Header = Static<typeof Header>

const plain: Codec = {
  suffix: '',
  isPlain: true,
  encode: bytes => bytes,
  decode: (_name, bytes) => bytes,
  addProof: text => text,
  verifyProof: (_name, text) => text
}

/**
 * Returns the codec for a new backup, and its first files. They encrypt to the recipients if there are any,
 * otherwise with the passphrase or identity. Throws {@link BackupError} if there are recipients and the
 * service has no secret.
 */
export async function createCodec(
  isEncrypted: boolean,
  secret: Secret
): Promise<{ codec: Codec; files: readonly InitialFile[] }> {
  if (!isEncrypted) return { codec: plain, files: [createHeader({ version: 1, encryption: null })] }
  const header = createHeader({ version: 2, encryption: 'age' })
  if (secret.recipients.length > 0) {
    const created = await createRecipientKey(secret)
    return { codec: createRecipientCodec(created), files: [...created.files, header] }
  }
  const { file, key } = await BackupKey.create(secret)
  const files = [{ name: keyName, bytes: file }, header]
  return { codec: createAgeCodec(key), files }
}

/** Returns the codec of an existing backup. Throws {@link BackupError}, also if its encryption does not match `secret`. */
export async function openCodec(place: Place, secret: Secret): Promise<Codec> {
  const { encryption } = await readHeader(place)
  if (encryption === null) {
    if (!secret.isGiven || secret.isPlain) return plain
    throw new BackupError(
      `The backup in ${place.name} is not encrypted, but a passphrase, an identity or recipients were given. Pass --plain to use it`
    )
  }
  if (secret.isPlain) throw new BackupError(`The backup in ${place.name} is encrypted. Leave out --plain`)
  if (encryption === 'age') {
    const encryptedTo = await readEncryption(place)
    const keyFile = await readRequiredFile(place, keyName, maxKeyFileBytes)
    if (encryptedTo) return createRecipientCodec(await openRecipientKey(place, encryptedTo, secret, keyFile))
    if (secret.recipients.length > 0 && secret.identity === undefined)
      throw new BackupError(
        `The backup in ${place.name} is not encrypted to recipients. Choose another place`
      )
    return createAgeCodec(await BackupKey.open(keyFile, secret))
  }
  if (secret.identity !== undefined) throw new BackupError(`The backup in ${place.name} uses a passphrase`)
  const key = await deriveLegacyKey(async () => await secret.passphrase(false), encryption)
  return createLegacyCodec(key)
}

/**
 * Returns true if a place contains a backup; false if it is empty, or has only a lock or the key of an
 * interrupted first run. Throws {@link BackupError} if it contains anything else.
 */
export async function isBackup(place: Place): Promise<boolean> {
  const names = await place.list()
  if (names.includes(headerName)) return true
  // An interrupted first run may have left only a key.
  const others = names.filter(
    name => !name.startsWith('backup.lock') && !name.startsWith(keyName) && !name.startsWith(encryptionName)
  )
  if (others.length > 0)
    throw new BackupError(`${place.name} is neither empty nor a backup. Choose another place`)
  return false
}

async function readHeader(place: Place): Promise<Header> {
  const text = (await readRequiredFile(place, headerName, 64 * 1024)).toString()
  const header = parseJson(headerName, text, Header)
  const known = typeof header.encryption === 'string' ? 2 : 1
  if (header.version !== known)
    throw new BackupError(`The backup in ${place.name} was made by a later version. Upgrade the software`)
  return header
}

/** Returns the bytes of a file that every backup has. */
async function readRequiredFile(place: Place, name: string, maxSize: number): Promise<Buffer> {
  const file = await place.open(name)
  if (!file) throw new BackupError(`${name} is missing. The backup is damaged`)
  return await readBytes(name, file.bytes, file.size, maxSize)
}

function createHeader(header: Omit<Header, 'format'>): InitialFile {
  return { name: headerName, bytes: JSON.stringify({ format: 'coffer-backup', ...header }, null, 2) }
}

/** Decodes backups of earlier versions. It is read-only, so that nothing is written with their weaker encryption. */
function createLegacyCodec(key: Buffer): Codec {
  return {
    suffix: '',
    isPlain: false,
    decode: (name, bytes) => decryptLegacy(key, name, bytes),
    addProof: text => text,
    verifyProof: (_name, text) => text
  }
}

function createRecipientCodec({ files, key }: RecipientKey): Codec {
  return { ...createAgeCodec(key), fingerprint: key.fingerprint, renewed: files }
}

/** Returns the codec of an encrypted vault. Lists are authenticated by a MAC in a second line. */
function createAgeCodec(key: BackupKey): Codec {
  return {
    suffix: '.age',
    isPlain: false,
    encode: bytes => key.encrypt(bytes),
    decode: (name, bytes) => key.decrypt(name, bytes),
    addProof: text => `${text}\n${JSON.stringify({ mac: key.mac(text) })}\n`,
    verifyProof(name, signed) {
      const [text = '', proof = ''] = signed.split('\n')
      const [, mac = ''] = /^\{"mac":"([0-9a-f]{64})"\}$/.exec(proof) ?? []
      if (key.verifyMac(mac, text)) return text
      throw new NotAuthentic(name)
    }
  }
}
