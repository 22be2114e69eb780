/** Remembers what was found in the files that were read last, so that the same file is not counted once more. */
import type { Counted } from '../../imports/protocol.js'
import type { ImportRepository } from '../../storage/imports/import-repository.js'

/** Files that are remembered. */
const most = 8
/** Name under which their digests are listed, newest first. */
const listName = 'counted'

/** What was found in a file with this digest, if it is remembered. */
export function recalled(imports: ImportRepository, digest: string): Counted | undefined {
  const text = imports.recall(nameOf(digest))
  return text === undefined ? undefined : (JSON.parse(text) as Counted)
}

/** To be called within a transaction. The file that was read first is forgotten where there are too many. */
export function rememberCounted(imports: ImportRepository, digest: string, counted: Counted): void {
  const digests = [digest, ...listed(imports).filter(each => each !== digest)]
  for (const old of digests.splice(most)) imports.forget(nameOf(old))
  imports.remember(listName, JSON.stringify(digests))
  imports.remember(nameOf(digest), JSON.stringify(counted))
}

function listed(imports: ImportRepository): string[] {
  return JSON.parse(imports.recall(listName) ?? '[]') as string[]
}

function nameOf(digest: string): string {
  return `counted:${digest}`
}
