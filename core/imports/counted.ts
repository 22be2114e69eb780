/** Remembers what was found in the files that were read last, so that the same file is not read once more in vain. */
import { Type, type Static } from 'typebox'
import type { Counted } from '../../imports/protocol.js'
import type { ImportRepository } from '../../storage/imports/import-repository.js'
import { KeptFootprint } from './footprint.js'

/** Files that are remembered. */
const most = 8
/** Name under which their digests are listed, newest first. */
const listName = 'counted'

const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

/** What would become of the records of a file that was written, as long as its footprint is as it was. */
export const KeptOutcome = Type.Object({
  /** A digest of the key that its ids are made with: another app has brought in nothing of it. */
  key: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  known: counts,
  /** Without those that no reading of the file can bring in. */
  leftOut: counts,
  footprint: KeptFootprint
})
export type KeptOutcome = Static<typeof KeptOutcome>

/** What was found in a file with this digest, if it is remembered. */
export function recalled(imports: ImportRepository, digest: string): Counted | undefined {
  const text = imports.getMemory(nameOf(digest))
  return text === undefined ? undefined : (JSON.parse(text) as Counted)
}

/** To be called within a transaction. The file that was read first is forgotten where there are too many. */
export function rememberCounted(imports: ImportRepository, digest: string, counted: Counted): void {
  const digests = [digest, ...listed(imports).filter(each => each !== digest)]
  for (const old of digests.splice(most)) {
    imports.removeMemory(nameOf(old))
    imports.removeMemory(outcomeOf(old))
  }
  imports.setMemory(listName, JSON.stringify(digests))
  imports.setMemory(nameOf(digest), JSON.stringify(counted))
}

/** What became of a file with this digest, if that is remembered. */
export function recalledOutcome(imports: ImportRepository, digest: string): KeptOutcome | undefined {
  const text = imports.getMemory(outcomeOf(digest))
  return text === undefined ? undefined : (JSON.parse(text) as KeptOutcome)
}

/** To be called within a transaction, for a file that has been counted. */
export function rememberOutcome(imports: ImportRepository, digest: string, outcome: KeptOutcome): void {
  if (listed(imports).includes(digest)) imports.setMemory(outcomeOf(digest), JSON.stringify(outcome))
}

function listed(imports: ImportRepository): string[] {
  return JSON.parse(imports.getMemory(listName) ?? '[]') as string[]
}

function nameOf(digest: string): string {
  return `counted:${digest}`
}

function outcomeOf(digest: string): string {
  return `outcome:${digest}`
}
