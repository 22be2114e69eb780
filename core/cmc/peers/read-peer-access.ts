/** Reads what the access allows that a peer has given to this account. (docs/spec/consent.md#reading-an-offer) */
import type { Account } from '../../../storage/platform/account.js'
import type { Call } from '../../call/method.js'
import type { PeerAccess } from '../../call/services.js'
import { isCmcId } from '../../cmc-ids.js'
import { isSystemId } from '../../system-ids.js'
import { isObject } from '../../validation/is-object.js'
import { PeerUnavailable } from '../failures.js'
import { getErrorId, isTransient, parseEndpoint, type PeerCalls } from './peer-calls.js'
import { findRelationship } from '../relationships.js'

/** Maximum number of permissions and of streams that are read, and of characters of a name. */
const maxItems = 1000
const maxLength = 1024

/**
 * Asks the server of a peer for the permissions of our access there, of which it takes at most {@link
 * maxItems}. Returns `undefined` if no peer holds an access with this id, or the peer has given no endpoint.
 * If the server refuses, the permissions are empty, and `hasEnded` tells whether the access has ended there.
 * Rejects with `PeerUnavailable`.
 */
export async function readPeerAccess(
  peers: PeerCalls,
  call: Pick<Call, 'store'> & { readonly account: Account },
  accessId: string
): Promise<PeerAccess | undefined> {
  const { store } = call
  const mark = store.read(() => findRelationship(call, accessId)?.mark)
  const endpoint = parseEndpoint(mark?.counterparty.apiEndpoint ?? '')
  if (!endpoint) return undefined
  const [access, streams] = await Promise.all([
    peers.call(endpoint, 'getAccessInfo'),
    peers.call(endpoint, 'streams.get')
  ])
  if (isTransient(access)) throw new PeerUnavailable('the server of the peer', access.retryAfter)
  if (access.status !== 200)
    return { hasEnded: getErrorId(access) === 'invalid-access-token', permissions: [] }
  const names = new Map<string, string>()
  collectNames(streams.body['streams'], names)
  const { expires, permissions } = access.body
  return {
    hasEnded: false,
    permissions: (Array.isArray(permissions) ? permissions.slice(0, maxItems) : []).flatMap(each =>
      toPermission(each, names)
    ),
    ...(typeof expires === 'number' && { expires })
  }
}

/**
 * Returns a permission as it is shown, with the name of its stream; none for what cannot be read and for streams of the
 * service.
 */
function toPermission(
  value: unknown,
  names: ReadonlyMap<string, string>
): PeerAccess['permissions'][number][] {
  if (!isObject(value)) return []
  const { level, streamId } = value
  if (typeof level !== 'string' || typeof streamId !== 'string') return []
  if (isCmcId(streamId) || isSystemId(streamId)) return []
  const name = names.get(streamId) ?? streamId
  return [
    { streamId: streamId.slice(0, maxLength), level: level.slice(0, 50), name: name.slice(0, maxLength) }
  ]
}

/** Collects the names of streams, level by level. */
function collectNames(roots: unknown, names: Map<string, string>): void {
  let level: unknown[] = Array.isArray(roots) ? roots : []
  while (level.length > 0 && names.size < maxItems) {
    const next: unknown[] = []
    for (const stream of level) {
      if (!isObject(stream)) continue
      const { children, id, name } = stream
      if (typeof id === 'string' && typeof name === 'string') names.set(id, name)
      if (Array.isArray(children)) for (const child of children as unknown[]) next.push(child)
    }
    level = next
  }
}
