/** Profile sets: who may read and write which, and which keys are reserved. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed, KeyValue } from '../../schemas/scalars.js'
import type { ProfileSet } from '../../storage/repositories/profiles.js'
import { assertClientDataSize } from '../validation/client-data.js'
import { fail, quoteText } from '../errors.js'
import type { Call } from '../call/method.js'
import { refuseProtected } from '../validation/protected-fields.js'
import { assertZonePeriods } from '../validation/zones.js'

/**
 * Keys of the private set in which the service keeps its own data: the state of the second factor, with its secrets.
 * The profile methods neither show nor write them.
 */
const reservedKeys = ['mfa'] as const

/** The result of all profile methods: the whole set. */
export const ProfileResult = Type.Object({ profile: KeyValue })

/** Params of updates: keys with their new values; `null` removes a key. */
export const ProfileUpdate = Type.Object({ update: KeyValue }, closed)

/**
 * Returns the set of the calling app, whatever the device. Throws `forbidden` for callers that are no app.
 */
export function getAppSet({ caller }: Call): ProfileSet {
  if (caller.access?.type !== 'app') fail('forbidden', 'Only app accesses have their own profile set')
  return `app:${caller.access.name}`
}

/**
 * Returns the set with this id, for methods that name it. Errors: `unknown-resource`, and `forbidden` unless
 * the caller is personal, for the private set and for writing the public one.
 */
export function resolveSet(call: Call, id: string, purpose: 'read' | 'write'): ProfileSet {
  if (id === 'app') return getAppSet(call)
  if (id !== 'public' && id !== 'private') fail('unknown-resource', `Unknown profile set ${quoteText(id)}`)
  if ((id === 'private' || purpose === 'write') && !call.caller.isPersonal)
    fail('forbidden', 'Only personal accesses can do this')
  return id
}

/** Returns the visible part of a set. */
export function readProfile({ store }: Call, set: ProfileSet): { profile: KeyValue } {
  return { profile: omitReserved(set, store.profile.find(set)) }
}

/**
 * Updates a set, and returns its visible part. In the private set, `forbidden` for reserved keys unless the
 * settings ignore these, and the time zones are checked. A set may not grow beyond the limit of client data.
 */
export function updateProfile(call: Call, set: ProfileSet, update: KeyValue): { profile: KeyValue } {
  if (set === 'private') {
    refuseProtected(call, reservedKeys, update)
    assertZonePeriods(update, '#/update')
  }
  const before = call.store.profile.find(set)
  const profile = call.store.profile.update(set, omitReserved(set, update))
  assertClientDataSize(call, profile, 'A profile set', before)
  // The user's own measures are in this set.
  if (set === 'private' && call.store.rules.size > 0) {
    call.store.rules.markOutdated()
    call.changes.add('timers')
  }
  return { profile: omitReserved(set, profile) }
}

function omitReserved(set: ProfileSet, profile: KeyValue): KeyValue {
  if (set !== 'private') return profile
  const hidden: ReadonlySet<string> = new Set(reservedKeys)
  return Object.fromEntries(Object.entries(profile).filter(([key]) => !hidden.has(key)))
}
