/**
 * What a backup holds: one list of accounts, and for each of them one of its files. Everything in them is checked before a
 * path is made of it: somebody else may have written them.
 */
import { Type, type Static } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import { isAccountId, isFileId, partsOf, shardOf } from '../../storage/files/layout.js'
import { BackupError } from './backup-error.js'
import { parsed } from './reading.js'
import type { Vault } from './vault.js'
import { Stored } from './stored.js'

const Id = Type.String({ pattern: '^c[a-z0-9]{24}$' })
/** Seconds. */
const Time = Type.Number({ minimum: 0, maximum: 1e11 })

/** An account in a backup: `made` says when its file was copied. */
const BackedUp = Type.Object(
  {
    id: Id,
    username: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,59}$' }),
    made: Time,
    /** What its file was known by then (see `markOf`); nothing if it may have changed in that very moment. */
    mark: Type.Optional(Type.String({ pattern: '^[0-9-]{0,200}$' })),
    /** The list of its files. */
    record: Stored
  },
  closed
)
export type BackedUp = Static<typeof BackedUp>

/** The files of an account. */
const AccountRecord = Type.Object(
  { file: Stored, attachments: Type.Array(Type.Object({ ...Stored.properties, id: Id }, closed)) },
  closed
)
export type AccountRecord = Static<typeof AccountRecord>

const Manifest = Type.Object(
  {
    version: Type.Literal(1),
    made: Time,
    /** Version of the software. */
    software: Type.String({ maxLength: 100 }),
    platform: Stored,
    users: Type.Array(BackedUp)
  },
  closed
)
export type Manifest = Static<typeof Manifest>

const manifestName = 'manifest'

/** Bytes of the largest list: that of half a million accounts, or attachments. */
const largestList = 192 * 1024 * 1024

/** By what each run of a backup tells its files from those of others. */
const stamp = '[0-9a-z]{1,20}-[0-9a-z]{1,20}'

/** The manifest of a backup; nothing if none has been finished yet. Throws `NotAuthentic`, {@link BackupError}. */
export async function readManifest(vault: Vault): Promise<Manifest | undefined> {
  const text = await vault.read(manifestName, largestList)
  if (text === undefined) return undefined
  const manifest = parsed(manifestName, text, Manifest)
  mustBeNamed(manifest.platform, `platform-${stamp}\\.sqlite`)
  mustBeUnique(
    'accounts',
    manifest.users.map(({ id }) => id)
  )
  mustBeUnique(
    'accounts',
    manifest.users.map(({ username }) => username)
  )
  for (const { id, record } of manifest.users) mustBeNamed(record, `${folderOf(id)}/${stamp}\\.json`)
  return manifest
}

/** From now on the backup is what the manifest says. */
export async function writeManifest(vault: Vault, manifest: Manifest): Promise<void> {
  await vault.write(manifestName, JSON.stringify(manifest))
}

/** The files of an account. Throws as {@link readManifest} does. */
export async function readRecord(vault: Vault, { id, record }: BackedUp): Promise<AccountRecord> {
  const text = (await vault.bytes(record, largestList)).toString()
  const { attachments, file } = parsed(record.name, text, AccountRecord)
  mustBeNamed(file, `${folderOf(id)}/${stamp}\\.sqlite`)
  mustBeUnique(
    'attachments',
    attachments.map(each => each.id)
  )
  for (const each of attachments) mustBeNamed(each, attachmentName(id, each.id))
  return { attachments, file }
}

/** The folder of an account in a backup: as in a data directory. */
export function folderOf(id: string): string {
  if (!isAccountId(id)) throw new BackupError(`${JSON.stringify(id)} is not an id of an account`)
  return `users/${partsOf(id).join('/')}`
}

/** The name of an attachment in a backup. */
export function attachmentName(id: string, attachment: string): string {
  if (!isFileId(attachment))
    throw new BackupError(`${JSON.stringify(attachment)} is not an id of an attachment`)
  return `${folderOf(id)}/attachments/${shardOf(attachment)}/${attachment}`
}

function mustBeNamed({ name }: Stored, pattern: string): void {
  if (!new RegExp(`^${pattern}$`).test(name))
    throw new BackupError(`${JSON.stringify(name)} is not a name that this file of a backup can have`)
}

function mustBeUnique(what: string, ids: readonly string[]): void {
  if (new Set(ids).size < ids.length)
    throw new BackupError(`The backup lists ${what} twice: somebody has changed it`)
}
