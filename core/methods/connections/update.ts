/** `connections.update`: renames a connection, or changes what is done with its data. (docs/api/connections.md) */
import { Type } from 'typebox'
import { Arrivals, Connection } from '../../../schemas/connection.js'
import { closed, Identifier, Name } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { PublicConnection, requireConnection, toPublicConnection } from '../../connections/connection.js'
import { fail } from '../../errors.js'
import { acceptProtectedFields, refuseProtected, trackingFields } from '../../validation/protected-fields.js'
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

/** Returns the changed connection. `passphrase: null` removes the passphrase. */
export const update = method({
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
  run(call, { id, update: given }) {
    const { caller, changes, now, store } = call
    const before = requireConnection(call, id)
    refuseProtected(call, readOnlyFields, given)
    const { passphrase: oldPassphrase, ...rest } = before.connection
    const { name = rest.name, passphrase = oldPassphrase, sensitive } = given
    const at = store.stamp(now)
    if (name !== rest.name) {
      const access = store.accesses.find(rest.accessId) ?? fail('unknown-resource')
      if (store.accesses.findByName('app', access.name, name))
        fail('item-already-exists', `A connection named "${name}" already exists`, { name })
      store.accesses.update({ ...access, deviceName: name, modified: at, modifiedBy: caller.signature })
      changes.add('accesses', [], access.id)
    }
    const connection: Connection = {
      ...rest,
      name,
      sensitive: sensitive ?? rest.sensitive,
      ...(typeof passphrase === 'string' && { passphrase }),
      modified: at,
      modifiedBy: caller.signature
    }
    const stored = { ...before, connection }
    store.connections.update(stored)
    return { connection: toPublicConnection(call, stored) }
  }
})
