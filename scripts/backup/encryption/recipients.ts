/**
 * Backups to recipients: encrypted to public keys of age, whose private keys are kept elsewhere. The service itself
 * derives the key of the backup from its own secret, so that it can add to the backup and verify it. Anyone can encrypt to
 * a public key: nothing in such a backup proves to a recipient who made it.
 */
import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { identityToRecipient } from 'age-encryption'
import type { Secret } from '../../terminal/passphrase.js'
import { BackupKey } from './age.js'
import { BackupError } from '../backup-error.js'
import { readBytes, parseJson } from '../read-file.js'
import type { Place } from '../place.js'

/** Describes the encryption, unencrypted and beside the files. Nothing in it is trusted. */
export const encryptionName = 'encryption.json'

const Encryption = Type.Object({
  format: Type.Literal('coffer-backup-encryption'),
  method: Type.Literal('age-x25519'),
  recipients: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 }),
  /** Digest of the public key of the backup. */
  fingerprint: Type.String({ maxLength: 100 }),
  salt: Type.String({ maxLength: 100 })
})
type Encryption = Static<typeof Encryption>

/** One of the first files of a new backup, with a fixed name. */
export interface InitialFile {
  readonly name: string
  readonly bytes: string | Uint8Array
}

/** The key of a backup to recipients, with the files that a service that adds to the backup renews. */
export interface RecipientKey {
  readonly key: BackupKey
  readonly files: readonly InitialFile[]
}

/** Reads how a backup is encrypted; `undefined` if it is not encrypted to recipients. Throws {@link BackupError} if that file is damaged. */
export async function readEncryption(place: Place): Promise<Encryption | undefined> {
  const file = await place.open(encryptionName)
  if (!file) return undefined
  return parseJson(
    encryptionName,
    (await readBytes(encryptionName, file.bytes, file.size, 64 * 1024)).toString(),
    Encryption
  )
}

/** Creates the key of a new backup to recipients. */
export async function createRecipientKey(secret: Secret): Promise<RecipientKey> {
  return await createFiles(secret, randomBytes(16).toString('base64url'), deriveOrRefuse(secret))
}

/**
 * Opens the key of an existing backup: with the identity of a recipient, or as the service that has made the
 * backup, which also returns new key files for the current recipients. Throws `NotAuthentic` if the identity
 * does not open it, and {@link BackupError} if the identity's own public key is not among the given
 * recipients, if there is no secret, or if another service made the backup.
 */
export async function openRecipientKey(
  { name }: Place,
  { fingerprint, salt }: Encryption,
  secret: Secret,
  keyFile: Uint8Array
): Promise<RecipientKey> {
  if (secret.identity !== undefined) {
    const recipient = await identityToRecipient(secret.identity)
    // Otherwise a backup whose origin an identity proves could be replaced by one without such a proof.
    if (!secret.recipients.includes(recipient))
      throw new BackupError(
        `The backup in ${name} was encrypted to recipients, which doesn't prove who made it. If you trust its origin, pass --recipient ${recipient}`
      )
    return { key: await BackupKey.openAsRecipient(keyFile, secret.identity), files: [] }
  }
  if (!secret.deriveIdentity || secret.recipients.length === 0)
    throw new BackupError(
      `The backup in ${name} was encrypted to recipients. Pass the private key of one of them with --identity`
    )
  const created = await createFiles(secret, salt, secret.deriveIdentity)
  if (created.key.fingerprint === fingerprint) return created
  throw new BackupError(`The backup in ${name} was made by another service. Choose another place`)
}

/**
 * Creates a key for a backup. Returns it with the files to store: the key encrypted to the recipients, and how it was
 * encrypted.
 */
async function createFiles(
  { recipients }: Secret,
  salt: string,
  derive: (salt: string) => string
): Promise<RecipientKey> {
  const { file, key } = await BackupKey.createFor(recipients, derive(salt))
  const { fingerprint } = key
  const encryption: Encryption = {
    format: 'coffer-backup-encryption',
    method: 'age-x25519',
    recipients: [...recipients],
    fingerprint,
    salt
  }
  const text = JSON.stringify(encryption, null, 2)
  return {
    key,
    files: [
      { name: 'key.age', bytes: file },
      { name: encryptionName, bytes: text }
    ]
  }
}

function deriveOrRefuse({ deriveIdentity }: Secret): (salt: string) => string {
  if (deriveIdentity) return deriveIdentity
  throw new BackupError('A backup to recipients can only be made of a data directory')
}
