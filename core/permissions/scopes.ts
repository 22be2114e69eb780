/** Scoped subscriptions: who may subscribe, and which scopes a change matches. (docs/spec/notifications.md#scopes) */
import type { Scope, Scopes } from '../../schemas/scope.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from './caller.js'
import type { Change } from '../changes.js'
import { fail } from '../errors.js'
import type { ChangeRecipient } from './change-recipient.js'

/**
 * Requires that a caller may subscribe to these scopes. Throws `forbidden` for streams it may not list,
 * `unknown-referenced-resource` for unknown ones, `invalid-operation` for too many scopes or streams in them.
 */
export function assertMaySubscribe(store: UserStore, caller: Caller, scopes: Scopes, limit: number): void {
  const entries = Object.entries(scopes)
  if (entries.length > limit) fail('invalid-operation', `There can be at most ${limit} scopes`)
  if (entries.reduce((sum, [, scope]) => sum + getStreams(scope).length, 0) > maxStreams)
    fail('invalid-operation', `There can be at most ${maxStreams} streams in all scopes together`)
  const length = entries.flatMap(([, scope]) => getStreams(scope)).reduce((sum, id) => sum + id.length, 0)
  if (length > maxCharacters)
    fail(
      'invalid-operation',
      `The stream IDs in all scopes can have at most ${maxCharacters} characters together`
    )
  for (const [, scope] of entries)
    for (const id of getStreams(scope)) {
      if (id === '*') continue
      if (!store.streams.find(id))
        fail('unknown-referenced-resource', `Unknown stream "${id.slice(0, 100)}"`, { streams: [id] })
      if (!caller.may('list', id)) fail('forbidden')
    }
}

/** Limit on the streams in all scopes of a webhook or socket: every change is compared with each of them. */
const maxStreams = 1000
/** Limit on the characters of their ids, which stay in memory while the socket or the account's database is open. */
const maxCharacters = 100_000

/**
 * Returns the keys of the scopes that a change matches, if the recipient may be notified of it. In steps, as the change
 * may be long.
 */
export function* findMatchingKeys(
  scopes: Scopes,
  recipient: ChangeRecipient,
  change: Change
): Steps<string[]> {
  if (!(yield* recipient.mayReceive(change))) return []
  const keys: string[] = []
  for (const [key, scope] of Object.entries(scopes))
    if (scope.kind === change.kind && (yield* matchesScope(scope, recipient, change))) keys.push(key)
  return keys
}

/** Returns whether a change of the scope's kind is in its streams; always true if the scope names none, or `*`. */
function* matchesScope(scope: Scope, recipient: ChangeRecipient, change: Change): Steps<boolean> {
  const streams = getStreams(scope)
  if (streams.length === 0 || streams.includes('*')) return true
  const ids = yield* recipient.listVisibleStreams(change)
  return streams.some(id => ids.has(id))
}

function getStreams({ kind, query }: Scope): readonly string[] {
  return kind === 'accesses' ? [] : (query?.streams ?? [])
}
