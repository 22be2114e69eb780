/** Which mirrors there may be, and which relationship they belong to. (docs/api/mirrors.md) */
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import { parseWireId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { createSlug } from '../cmc/names.js'
import { parseEndpoint } from '../cmc/peers/peer-calls.js'
import { findRelationship } from '../cmc/relationships.js'
import { fail, quoteText } from '../errors.js'
import { createId } from '../ids.js'
import { isExpired } from '../permissions/access.js'
import { getFollowedRoot } from '../system-ids.js'

/** Maximum number of mirrors of an account that are not erased. */
const maxMirrors = 2000

/**
 * Builds the mirror of what a person has granted who holds an access of this account. Does not store it.
 * Errors: `unknown-resource`; `invalid-operation` if that person has granted nothing, or if there are too
 * many; `item-already-exists` if there is such a mirror.
 */
export function buildMirror(call: Call, accessId: string): Mirror {
  const { now, store } = call
  const id = parseWireId(accessId)?.base ?? ''
  const found = findRelationship(call, id)
  if (!found || isExpired(found.access, now))
    fail('unknown-resource', `No person holds the access ${quoteText(accessId)}`)
  const { counterparty, peerGone } = found.mark
  const isReadable = found.mark.acceptEventId === undefined && parseEndpoint(counterparty.apiEndpoint ?? '')
  const slug = createSlug(counterparty)
  if (!isReadable || peerGone || slug === undefined)
    fail('invalid-operation', 'This person has not shared anything with you')
  if (store.mirrors.listByAccess(id).some(({ mirror }) => mirror.state !== 'erased'))
    fail('item-already-exists', 'There is a mirror of what this person has shared', { accessId: id })
  if (store.mirrors.count >= maxMirrors)
    fail('invalid-operation', `An account can have at most ${maxMirrors} mirrors`)
  const { host, username } = counterparty
  return {
    id: createId(),
    accessId: id,
    person: { username, host },
    streamId: findFreeRoot(call, slug),
    state: 'starting',
    created: now,
    events: 0,
    skipped: 0
  }
}

/** Returns a mirror. Error: `unknown-resource`. */
export function requireMirror({ store }: Call, id: string): StoredMirror {
  return store.mirrors.find(id) ?? fail('unknown-resource', `Unknown mirror ${quoteText(id)}`)
}

/**
 * Returns an id for the root of a copy that no stream has. There may be several relationships with one
 * person, and several persons with one slug.
 */
function findFreeRoot({ store }: Call, slug: string): string {
  const taken = new Set(
    store.mirrors.list().flatMap(({ mirror }) => (mirror.state === 'erased' ? [] : [mirror.streamId]))
  )
  for (let count = 1; ; count++) {
    const id = getFollowedRoot(count === 1 ? slug : `${slug}~${count}`)
    if (!taken.has(id) && !store.streams.find(id)) return id
  }
}
