/** The effective grants and lifetime of an access: one shared by an app lasts no longer than the app's, and grants no more. */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Grants } from './grants.js'
import { creatorOf } from './access.js'

export interface Standing {
  readonly grants: Grants
  /** When it ends, in seconds: `Infinity` if never, `-Infinity` if it is void. Sessions are checked elsewhere. */
  readonly until: number
  /** When its effective grants last changed through a write to an access, in seconds. */
  readonly modified: number
}

/** The standing of a missing or void access: nothing is granted. */
export const nothing: Standing = { grants: new Grants(), until: -Infinity, modified: 0 }

const known = new WeakMap<Access, Standing>()

/**
 * Returns the standing of an access, computed once per access object. The store replaces all access objects whenever any
 * access changes, so that a change to the creator is noticed.
 */
export function standingOf(store: UserStore, access: Access): Standing {
  let standing = known.get(access)
  if (!standing)
    known.set(access, (standing = access.type === 'shared' ? shared(store, access) : own(access)))
  return standing
}

/** Whether an access has not expired, and neither has the one that shared it. */
export function isInForce(store: UserStore, access: Access, now: number): boolean {
  return standingOf(store, access).until > now
}

function own(access: Access, bound?: Standing): Standing {
  const { expires = Infinity, modified } = access
  if (!bound) return { grants: new Grants(access), until: expires, modified }
  return {
    grants: new Grants(access, bound.grants),
    until: Math.min(expires, bound.until),
    modified: Math.max(modified, bound.modified)
  }
}

/** Shared accesses created by the owner or the service stand on their own. Without a known, live creator nothing is granted. */
function shared(store: UserStore, access: Access): Standing {
  const { accesses } = store
  const id = creatorOf(access)
  if (id === 'system') return own(access)
  const creator = accesses.find(id) ?? accesses.findEver(id)
  if (creator?.type === 'personal') return own(access)
  return creator?.type === 'app' && creator.deleted === undefined
    ? own(access, standingOf(store, creator))
    : nothing
}
