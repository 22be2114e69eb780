/** What a backup holds: one list of accounts, and for each of them one of its files. */
import type { Stored, Vault } from './vault.js'
import { BackupError } from './vault.js'

/** An account in a backup. */
export interface BackedUp {
  readonly id: string
  readonly username: string
  /** Seconds: when its file was copied. */
  readonly made: number
  /** What its file was known by then (see `markOf`); nothing if it may have changed in that very moment. */
  readonly mark?: string
  /** The list of its files. */
  readonly record: Stored
}

/** The files of an account. */
export interface Record {
  readonly file: Stored
  readonly attachments: readonly (Stored & { readonly id: string })[]
}

export interface Manifest {
  readonly version: 1
  /** Seconds. */
  readonly made: number
  /** Version of the software. */
  readonly software: string
  readonly platform: Stored
  readonly users: readonly BackedUp[]
}

const manifestName = 'manifest'

/** The manifest of a backup; nothing if none has been finished yet. Raises `NotAuthentic`, {@link BackupError}. */
export async function readManifest(vault: Vault): Promise<Manifest | undefined> {
  const text = await vault.read(manifestName)
  return text === undefined ? undefined : (parsed(text, manifestName) as Manifest)
}

/** From now on the backup is what the manifest says. */
export async function writeManifest(vault: Vault, manifest: Manifest): Promise<void> {
  await vault.write(manifestName, JSON.stringify(manifest))
}

/** The files of an account. Raises as {@link readManifest} does. */
export async function readRecord(vault: Vault, { record }: BackedUp): Promise<Record> {
  const chunks: Buffer[] = []
  for await (const chunk of vault.get(record)) chunks.push(chunk)
  return parsed(Buffer.concat(chunks).toString(), record.name) as Record
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BackupError(`${name} cannot be read: the backup is damaged.`)
  }
}
