/** Ids of accesses: an update gives an access another id, which begins with the one that it keeps. */

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
