/** Ids and ends of accesses. An update gives an access another id, which begins with the one that it keeps. */
import type { Access } from './model.js'

/** Returns the id that an access keeps, from its current id or from the author of an item. */
export function getAccessId(text: string): string {
  return text.split(/[ :]/, 1)[0]!
}

/** Returns accesses with the ids that they keep. `versionId`: the id with which calls name them. */
export function keepIds<A extends { readonly id: string }>(
  accesses: readonly A[]
): (A & { readonly versionId: string })[] {
  return accesses.map(access => ({ ...access, id: getAccessId(access.id), versionId: access.id }))
}

/** Returns whether an access can no longer be used. */
export function hasEnded(access: Access): boolean {
  return access.deleted !== undefined || getEnd(access) <= Date.now() / 1000
}

/**
 * Returns when an access ended or ends, in seconds; infinite if it never ends. An app may be able to renew its access, even
 * after it has expired.
 */
export function getEnd({ deleted, expires, oauth }: Access): number {
  return Math.min(deleted ?? Infinity, Math.max(expires ?? Infinity, oauth?.renewableUntil ?? 0))
}
