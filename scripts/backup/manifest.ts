/**
 * The lists in a backup: the manifest of accounts, and a record of files per account. They are untrusted, so all of their content
 * is checked before a path is built from it.
 */
import { Type, type Static } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import { isAccountId, isFileId, toFolderParts, getShardFolder } from '../../storage/files/layout.js'
import { BackupError } from './backup-error.js'
import { parseJson } from './read-file.js'
import type { Vault } from './vault.js'
import { Stored } from './stored.js'

const Id = Type.String({ pattern: '^c[a-z0-9]{24}$' })
/** Seconds. */
const Time = Type.Number({ minimum: 0, maximum: 1e11 })

/** An account in a backup. `made`: the time at which its file was copied. */
const AccountEntry = Type.Object(
  {
    id: Id,
    username: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,59}$' }),
    made: Time,
    /** The change mark of its file at that time (see `getChangeMark`); absent if the file may have changed at that moment. */
    mark: Type.Optional(Type.String({ pattern: '^[0-9-]{0,200}$' })),
    /** The list of its files. */
    record: Stored
  },
  closed
)
export type AccountEntry = Static<typeof AccountEntry>

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
    /** The settings made in the service's own pages; absent if no settings were made in pages. */
    settings: Type.Optional(Stored),
    users: Type.Array(AccountEntry)
  },
  closed
)
export type Manifest = Static<typeof Manifest>

const manifestName = 'manifest'
/** The folder of earlier manifests, named by the time of each backup. */
const earlierFolder = 'earlier'

/** Maximum size of a list in bytes: enough for half a million accounts or attachments. */
const maxListBytes = 192 * 1024 * 1024

/** Pattern of the stamp in file names, which is different for each run. */
const stamp = '[0-9a-z]{1,20}-[0-9a-z]{1,20}'

/** Reads the manifest of a backup; `undefined` if no run has finished yet. Throws `NotAuthentic`, {@link BackupError}. */
export async function readManifest(vault: Vault): Promise<Manifest | undefined> {
  return await readManifestFile(vault, manifestName)
}

/**
 * Returns the times (seconds) of the earlier manifests, the latest first. Does not include the current
 * manifest.
 */
export async function listEarlierTimes(vault: Vault): Promise<readonly number[]> {
  const names = new Set((await vault.list(earlierFolder)).map(name => `${earlierFolder}/${name}`))
  return [...names]
    .map(name => Number(/([0-9]{1,11})[^/]*$/.exec(name)?.[1]))
    .filter(time => names.delete(vault.toFileName(getEarlierName(time))))
    .toSorted((a, b) => b - a)
}

/** Reads the manifest of the backup that was made at one of {@link listEarlierTimes}. Throws as {@link readManifest} does. */
export async function readEarlierManifest(vault: Vault, time: number): Promise<Manifest> {
  const manifest = await readManifestFile(vault, getEarlierName(time))
  if (manifest && Math.floor(manifest.made) === time) return manifest
  throw new BackupError(`${getEarlierName(time)} is missing or has a different time. The backup is damaged`)
}

/**
 * Returns the latest manifest of a backup, or the latest one made by a time (seconds). Throws `NotAuthentic`, and
 * {@link BackupError} if there is no such backup.
 */
export async function findManifest(vault: Vault, at = Infinity): Promise<Manifest> {
  const { name } = vault.place
  const latest = await readManifest(vault)
  if (!latest) throw new BackupError(`${name} contains no complete backup`)
  if (latest.made <= at) return latest
  const time = (await listEarlierTimes(vault)).find(each => each <= at)
  if (time !== undefined) return await readEarlierManifest(vault, time)
  throw new BackupError(
    `${name} contains no backup made by ${formatTime(at)}. Use --list to see the available ones`
  )
}

/** Returns the times (seconds) of all states in a backup, the latest first. Throws as {@link findManifest} does. */
export async function listStates(vault: Vault): Promise<readonly number[]> {
  const { made } = await findManifest(vault)
  return [made, ...(await listEarlierTimes(vault))]
}

/** Formats a time (seconds) as ISO 8601. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** Stores the manifest of an earlier state. */
export async function writeEarlierManifest(vault: Vault, manifest: Manifest): Promise<void> {
  await vault.write(getEarlierName(Math.floor(manifest.made)), JSON.stringify(manifest))
}

/** Removes an earlier manifest. */
export async function removeEarlierManifest(vault: Vault, time: number): Promise<void> {
  await vault.remove(vault.toFileName(getEarlierName(time)))
}

function getEarlierName(time: number): string {
  return `${earlierFolder}/${time}`
}

/** Reads and checks a manifest; `undefined` if there is no such file. */
async function readManifestFile(vault: Vault, name: string): Promise<Manifest | undefined> {
  const text = await vault.read(name, maxListBytes)
  if (text === undefined) return undefined
  const manifest = parseJson(name, text, Manifest)
  assertName(manifest.platform, `platform-${stamp}\\.sqlite`)
  if (manifest.settings) assertName(manifest.settings, `settings-${stamp}\\.yaml`)
  assertUnique(
    'accounts',
    manifest.users.map(({ id }) => id)
  )
  assertUnique(
    'accounts',
    manifest.users.map(({ username }) => username)
  )
  for (const { id, record } of manifest.users) assertName(record, `${getAccountFolder(id)}/${stamp}\\.json`)
  return manifest
}

/** Writes the manifest, which commits the backup. Replaces the previous manifest. */
export async function writeManifest(vault: Vault, manifest: Manifest): Promise<void> {
  await vault.write(manifestName, JSON.stringify(manifest))
}

/** Reads the record of an account's files. Throws as {@link readManifest} does. */
export async function readRecord(vault: Vault, { id, record }: AccountEntry): Promise<AccountRecord> {
  const text = (await vault.bytes(record, maxListBytes)).toString()
  const { attachments, file } = parseJson(record.name, text, AccountRecord)
  assertName(file, `${getAccountFolder(id)}/${stamp}\\.sqlite`)
  assertUnique(
    'attachments',
    attachments.map(each => each.id)
  )
  for (const each of attachments) assertName(each, getAttachmentName(id, each.id))
  return { attachments, file }
}

/** Like {@link readRecord}, but returns `undefined` for a damaged record, which must not prevent a new record. */
export async function readRecordIfIntact(
  vault: Vault,
  user: AccountEntry
): Promise<AccountRecord | undefined> {
  try {
    return await readRecord(vault, user)
  } catch {
    return undefined
  }
}

/**
 * Returns the folder of an account in a backup, which is named as in a data directory. Throws {@link
 * BackupError} if the id is not valid.
 */
export function getAccountFolder(id: string): string {
  if (!isAccountId(id)) throw new BackupError(`${JSON.stringify(id)} is not an account ID`)
  return `users/${toFolderParts(id).join('/')}`
}

/** Returns the name of an attachment in a backup. Throws {@link BackupError} if an id is not valid. */
export function getAttachmentName(id: string, attachment: string): string {
  if (!isFileId(attachment)) throw new BackupError(`${JSON.stringify(attachment)} is not an attachment ID`)
  return `${getAccountFolder(id)}/attachments/${getShardFolder(attachment)}/${attachment}`
}

function assertName({ name }: Stored, pattern: string): void {
  if (!new RegExp(`^${pattern}$`).test(name))
    throw new BackupError(`${JSON.stringify(name)} is not a valid name for this file of a backup`)
}

function assertUnique(what: string, ids: readonly string[]): void {
  if (new Set(ids).size < ids.length)
    throw new BackupError(`The backup lists ${what} twice. It has been tampered with`)
}
