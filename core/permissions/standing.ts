/** What an access is worth at the moment: one that an app has shared lasts no longer than the app, and reaches no further. */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { Grants } from './grants.js'
import { creatorOf } from './access.js'

export interface Standing {
  readonly grants: Grants
  /** When it ends, in seconds: infinite if it does not, lower than any time if it has. Sessions are looked at elsewhere. */
  readonly until: number
  /** When what it is worth has been changed by a write to an access, in seconds. */
  readonly modified: number
}

/** Nothing is granted. */
export const nothing: Standing = { grants: new Grants(), until: -Infinity, modified: 0 }

const known = new WeakMap<Access, Standing>()

/**
 * The standing of an access; worked out once for each access object. The store drops all of them whenever any access
 * changes, so that of the creator is looked at again then.
 */
export function standingOf(store: UserStore, access: Access): Standing {
  let standing = known.get(access)
  if (!standing)
    known.set(access, (standing = access.type === 'shared' ? shared(store, access) : own(access)))
  return standing
}

/** Whether an access has neither expired nor lost what it rests on. */
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

/** What the owner, or the service itself, has made stands by itself. Whatever else cannot be accounted for is worth nothing. */
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
