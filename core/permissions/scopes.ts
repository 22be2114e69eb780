/** Scoped subscriptions: who may have them, and which of them a change falls into. (docs/spec/notifications.md#scopes) */
import type { Scope, Scopes } from '../../schemas/scope.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from './caller.js'
import type { Change } from '../changes.js'
import { fail } from '../errors.js'
import type { Hearer } from './visibility.js'

/**
 * Raises what speaks against a caller's having these scopes: `forbidden` for streams it may not list,
 * `unknown-referenced-resource` for unknown ones, `invalid-operation` for too many scopes, or streams in them.
 */
export function mustMaySubscribe(store: UserStore, caller: Caller, scopes: Scopes, limit: number): void {
  const entries = Object.entries(scopes)
  if (entries.length > limit) fail('invalid-operation', `There can be at most ${limit} scopes`)
  if (entries.reduce((sum, [, scope]) => sum + streamsOf(scope).length, 0) > mostStreams)
    fail('invalid-operation', `There can be at most ${mostStreams} streams in all scopes together`)
  for (const [, scope] of entries)
    for (const id of streamsOf(scope)) {
      if (id === '*') continue
      if (!store.streams.find(id))
        fail('unknown-referenced-resource', `Unknown stream "${id.slice(0, 100)}"`, { streams: [id] })
      if (!caller.may('list', id)) fail('forbidden')
    }
}

/** Streams in all scopes of a webhook or socket: each change is held against every one of them. */
const mostStreams = 1000

/** Keys of the scopes that a change falls into and that somebody may hear of. */
export function keysOf(scopes: Scopes, hearer: Hearer, change: Change): string[] {
  if (!hearer.mayHear(change)) return []
  return Object.entries(scopes)
    .filter(([, scope]) => scope.kind === change.kind && isWithin(scope, hearer, change))
    .map(([key]) => key)
}

function isWithin(scope: Scope, hearer: Hearer, change: Change): boolean {
  const streams = streamsOf(scope)
  return streams.length === 0 || streams.some(id => id === '*' || hearer.mayHearWithin(change, id))
}

function streamsOf({ kind, query }: Scope): readonly string[] {
  return kind === 'accesses' ? [] : (query?.streams ?? [])
}
