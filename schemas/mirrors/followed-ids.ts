/** The ids of streams that are copies of other people's. (docs/api/mirrors.md#the-copy) */

const prefix = ':_followed:'

/** Returns whether a stream is a copy, or the root of a copy. */
export function isFollowedId(id: string): boolean {
  return id.startsWith(prefix)
}

/** Returns the id of the root of the copy to which a copied stream belongs. */
export function getRootOfCopy(id: string): string {
  return id.split(':', 3).join(':')
}

/** Returns the id of the root of the copy of what an account has shared, by its slug. */
export function getFollowedRoot(slug: string): string {
  return `${prefix}${slug}`
}
