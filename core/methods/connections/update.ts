/** `connections.update`: renames a connection, or changes what is done with its data. (docs/api/connections.md) */
import { Type } from 'typebox'
import { Arrivals, Connection } from '../../../schemas/connection.js'
import { closed, Identifier, Name } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import type { Steps } from '../../../storage/steps.js'
import { methodInSteps, type Result } from '../../call/method.js'
import {
  PublicConnection,
  requireConnection,
  requireDialect,
  toPublicConnection
} from '../../connections/connection.js'
import { parseFriends } from '../../connections/friends.js'
import { checkMapping, storeWaiting } from '../../connections/mapping.js'
import { fail } from '../../errors.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
import { create as createEvent } from '../events/create.js'
import { create as createStream } from '../streams/create.js'
import { connectionSettings } from './create.js'

/** Fields that only the service sets, or that stay as they were. */
const readOnlyFields = [
  'id',
  'dialect',
  'accessId',
  'parentId',
  'streamId',
  'token',
  'url',
  'link',
  'hasPassphrase',
  ...(Object.keys(Arrivals.properties) as (keyof Arrivals)[]),
  ...trackingFields
] as const

/**
 * Returns the changed connection. `passphrase: null` removes the passphrase. With a mapping, bodies that have
 * waited for it are stored. A new name is also that of the access; throws `item-already-exists` if it is
 * taken.
 */
export const update = methodInSteps({
  id: 'connections.update',
  summary: 'Update a connection',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        { name: Type.Optional(Name), ...connectionSettings, ...acceptProtectedFields(readOnlyFields) },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ connection: PublicConnection }),
  mode: 'write',
  allow: personalOnly,
  // Stores what has waited for the mapping.
  isLong: (_store, { update: given }) => Boolean(given.mapping),
  *run(call, { id, update: given }): Steps<Result> {
    const { caller, changes, now, store } = call
    const before = requireConnection(call, id)
    refuseProtected(call, readOnlyFields, given)
    const { friends: oldFriends, mapping: oldMapping, passphrase: oldPassphrase, ...rest } = before.connection
    const { mapping = oldMapping, name = rest.name, passphrase = oldPassphrase, sensitive } = given
    const dialect = requireDialect(call, rest.dialect)
    checkMapping(call, dialect, given.mapping, '#/update/mapping')
    const friends =
      given.friends === undefined
        ? oldFriends
        : parseFriends(call, dialect, given.friends ?? [], '#/update/friends')
    const at = store.stamp(now)
    if (name !== rest.name) {
      const access = store.accesses.find(rest.accessId) ?? fail('unknown-resource')
      if (store.accesses.findByName('app', access.name, name))
        fail('item-already-exists', `A connection named "${name}" already exists`, { name })
      store.accesses.update({ ...access, deviceName: name, modified: at, modifiedBy: caller.signature })
      changes.addAccess(access, [])
    }
    const connection: Connection = {
      ...rest,
      name,
      sensitive: sensitive ?? rest.sensitive,
      ...(typeof passphrase === 'string' && { passphrase }),
      ...(mapping && { mapping }),
      ...(friends && friends.length > 0 && { friends }),
      modified: at,
      modifiedBy: caller.signature
    }
    const methods = { createEvent, createStream }
    const stored = yield* storeWaiting(call, methods, dialect, { ...before, connection })
    store.connections.update(stored)
    store.connections.updateArrivals(stored)
    return { connection: toPublicConnection(call, stored) }
  }
})
