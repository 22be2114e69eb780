/** `connections.create`: connects an app or a device that sends data on its own. (docs/api/connections.md) */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { connectionField, connectionKey, toSecretKey, type Connection } from '../../../schemas/connection.js'
import { ReceivedMappings } from '../../../schemas/received-mapping.js'
import { closed, Identifier, Name, orNull } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { noArrivals } from '../../connections/arrivals.js'
import {
  getConnectionUrl,
  PublicConnection,
  requireDialect,
  toPublicConnection
} from '../../connections/connection.js'
import { parseFriends } from '../../connections/friends.js'
import { checkMapping } from '../../connections/mapping.js'
import { ensureStreams } from '../../connections/ensure-streams.js'
import { getRecordIds } from '../../connections/record-ids.js'
import { fail } from '../../errors.js'
import { refuseParams } from '../../validation/params.js'
import { createId, createToken } from '../../ids.js'
import { assertMayImport } from '../../imports/params.js'
import { create as createStream } from '../streams/create.js'

/** Maximum number of connections of an account. */
const maxConnections = 200

/** Params that set what is done with the data of a connection. */
export const connectionSettings = {
  sensitive: orNull(Type.Boolean()),
  passphrase: orNull(Type.String({ minLength: 1, maxLength: 1024 })),
  mapping: orNull(ReceivedMappings),
  /** Links with which others share their position, for apps that show friends. */
  friends: orNull(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 }))
}

const Params = Type.Object(
  {
    dialect: Type.String({ minLength: 1, maxLength: 100 }),
    name: Name,
    parentId: orNull(Identifier),
    /** What the app may do; only for dialects whose apps also read. */
    level: orNull(Type.Enum(['read', 'contribute', 'create-only'])),
    ...connectionSettings
  },
  closed
)

/**
 * Creates the access of a connection, and the stream for its data if there is none. Returns the connection
 * with its token, which is shown only here, and with a link that sets the app up if there is one.
 */
export const create = methodInSteps<typeof Params, string>({
  id: 'connections.create',
  summary: 'Connect an app or a device that sends data on its own',
  params: Params,
  result: Type.Object({
    connection: Type.Object({
      ...PublicConnection.properties,
      token: Type.String(),
      link: Type.Optional(Type.String())
    })
  }),
  mode: 'write',
  allow: personalOnly,
  // A write is repeated once its secret has been reserved.
  prepare: () => Promise.resolve(createToken()),
  // Adding a stream reports that it takes long.
  isLong: () => false,
  *run(
    call,
    {
      dialect: dialectId,
      friends: links,
      level: givenLevel,
      mapping,
      name,
      parentId: given,
      passphrase,
      sensitive
    },
    token
  ) {
    const { account, caller, now, store } = call
    const dialect = requireDialect(call, dialectId)
    checkMapping(call, dialect, mapping, '#/mapping')
    const friends = parseFriends(call, dialect, links ?? [], '#/friends')
    const parentId = given ?? null
    const level = givenLevel ?? (dialect.readsBack ? 'contribute' : 'create-only')
    if (level !== 'create-only' && !dialect.readsBack)
      refuseParams([{ code: 'INVALID_LEVEL', message: `Apps of ${dialect.name} only send`, path: '#/level' }])
    assertMayImport(call, parentId)
    if (store.connections.size >= maxConnections)
      fail('invalid-operation', `An account can have at most ${maxConnections} connections`)
    const stream = getRecordIds(store, parentId).getFormatStream(dialect.format)
    yield* ensureStreams(call, createStream, { path: [stream], type: '', parentId })
    const id = createId()
    const ownToken = dialect.sendsDigest ? digestToken(token) : token
    const secretKey = dialect.sendsDigest ? toSecretKey(ownToken) : undefined
    if (secretKey !== undefined) store.unique.claim(connectionField, secretKey)
    const { id: accessId } = insertAccess(call, {
      token: ownToken,
      name: dialect.name,
      deviceName: name,
      permissions: [{ streamId: stream.id, level }],
      clientData: { [connectionKey]: id }
    })
    const connection: Connection = {
      id,
      dialect: dialectId,
      name,
      accessId,
      parentId,
      streamId: stream.id,
      sensitive: sensitive ?? false,
      ...(typeof passphrase === 'string' && { passphrase }),
      ...(mapping && { mapping }),
      ...(friends.length > 0 && { friends }),
      ...(secretKey !== undefined && { secretKey }),
      created: now,
      createdBy: caller.signature,
      modified: now,
      modifiedBy: caller.signature
    }
    const stored = { connection, arrivals: noArrivals }
    store.connections.insert(stored)
    const url = getConnectionUrl(call, dialectId, token)
    const link = dialect.createLink?.({ url, token, username: account.username, name })
    return {
      connection: { ...toPublicConnection(call, stored), url, token, ...(link !== undefined && { link }) }
    }
  }
})

/** Returns the form in which apps send the token of their connection if they do not send it as it is. */
function digestToken(token: string): string {
  return createHash('sha1').update(token).digest('hex')
}

/** Creates the access of a connection, of type `app`. Error: `item-already-exists`. */
function insertAccess(
  { caller, changes, now, store }: Call,
  fields: Pick<Access, 'clientData' | 'deviceName' | 'name' | 'permissions' | 'token'>
): Access {
  const { deviceName, name } = fields
  if (store.accesses.findByName('app', name, deviceName))
    fail('item-already-exists', `An access of type app named "${name}" already exists for "${deviceName}"`, {
      type: 'app',
      name,
      deviceName
    })
  const access = store.accesses.insert({
    id: createId(),
    type: 'app',
    ...fields,
    created: now,
    createdBy: caller.signature,
    modified: now,
    modifiedBy: caller.signature
  })
  changes.addAccess(access, [])
  return access
}
