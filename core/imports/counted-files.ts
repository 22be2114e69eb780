/** Stores what was found in the files that were read last, so that the same file need not be read again. */
import { Type, type Static } from 'typebox'
import type { CountedFile } from '../../imports/protocol.js'
import type { ImportRepository } from '../../storage/imports/import-repository.js'
import { StoredFingerprint } from './fingerprint.js'

/** Maximum number of files. */
const maxFiles = 8
/** Name under which the digests of the files are stored, newest first. */
const listName = 'counted'

const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

/** The result of importing a file again, as long as its fingerprint is unchanged. */
export const StoredOutcome = Type.Object({
  /** A digest of the key from which ids are derived: another app has imported none of the file. */
  key: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  known: counts,
  /** Without records that can never be imported. */
  leftOut: counts,
  footprint: StoredFingerprint
})
export type StoredOutcome = Static<typeof StoredOutcome>

/** Returns what was found in the file with this digest; `undefined` if it is not stored. */
export function findCounted(imports: ImportRepository, digest: string): CountedFile | undefined {
  const text = imports.getMemory(countedName(digest))
  return text === undefined ? undefined : (JSON.parse(text) as CountedFile)
}

/** Stores what was found in a file, within a transaction. Removes the oldest files if there are too many. */
export function storeCounted(imports: ImportRepository, digest: string, counted: CountedFile): void {
  const digests = [digest, ...listDigests(imports).filter(other => other !== digest)]
  for (const old of digests.splice(maxFiles)) {
    imports.removeMemory(countedName(old))
    imports.removeMemory(outcomeName(old))
  }
  imports.setMemory(listName, JSON.stringify(digests))
  imports.setMemory(countedName(digest), JSON.stringify(counted))
}

/** Returns the outcome of the file with this digest; `undefined` if it is not stored. */
export function findOutcome(imports: ImportRepository, digest: string): StoredOutcome | undefined {
  const text = imports.getMemory(outcomeName(digest))
  return text === undefined ? undefined : (JSON.parse(text) as StoredOutcome)
}

/**
 * Stores the outcome of a file that has been counted, within a transaction. Does nothing if the file is not
 * among those counted last.
 */
export function storeOutcome(imports: ImportRepository, digest: string, outcome: StoredOutcome): void {
  if (listDigests(imports).includes(digest)) imports.setMemory(outcomeName(digest), JSON.stringify(outcome))
}

function listDigests(imports: ImportRepository): string[] {
  return JSON.parse(imports.getMemory(listName) ?? '[]') as string[]
}

function countedName(digest: string): string {
  return `counted:${digest}`
}

function outcomeName(digest: string): string {
  return `outcome:${digest}`
}
