/** The methods that the receiving transport calls on behalf of connections. (docs/api/connections.md) */
import { Type } from 'typebox'
import { isStreamPermission, Level } from '../../../schemas/permission.js'
import { Connection, connectionField, toSecretKey } from '../../../schemas/connection.js'
import type { StoredConnection } from '../../../storage/connections/connection-repository.js'
import type { Account } from '../../../storage/platform/account.js'
import type { Steps } from '../../../storage/steps.js'
import { anyone } from '../../auth/allow.js'
import type { AccessRule, Call, Result } from '../../call/method.js'
import { method, methodInSteps, serviceMethod } from '../../call/method.js'
import { addArrivals, addProblem, addWaiting } from '../../connections/arrivals.js'
import { storeRecords, type ReceivedItems } from '../../connections/intake.js'
import { fail } from '../../errors.js'
import { create as createEvent } from '../events/create.js'
import { create as createStream } from '../streams/create.js'

/** Only the receiving transport, with the token of a connection. */
const receivingOnly: AccessRule = {
  needsAccess: true,
  check: ({ credentials }) => {
    if (!credentials.isConnection) fail('invalid-method')
  }
}

const dialect = Type.String()
const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

/**
 * Returns the user whose connection has a token, for apps that do not name the user. Error:
 * `invalid-access-token`. Guesses are counted.
 */
export const findAccount = serviceMethod({
  id: 'connections.findAccount',
  summary: 'Find the account of a connection',
  params: Type.Object({ token: Type.String() }),
  result: Type.Object({ username: Type.String() }),
  isInternal: true,
  allow: anyone,
  async run({ credentials, services: { platform, throttle } }, { token }) {
    if (!credentials.isConnection) fail('invalid-method')
    const find = (): Account | undefined => platform.findByUnique(connectionField, toSecretKey(token))
    let account = token === '' ? undefined : find()
    // In a cluster, another node may have created the connection just now.
    if (!account && token !== '') {
      await platform.catchUp()
      account = find()
    }
    if (account?.state === 'active') return { username: account.username }
    throttle.unknownToken(credentials.ip)
    return fail('invalid-access-token')
  }
})

/** Returns the settings with which the connection's requests are read. Error: `invalid-access-token` for the token of a connection of another dialect. */
export const open = method({
  id: 'connections.open',
  summary: 'Open a connection',
  params: Type.Object({ dialect }),
  result: Type.Object({ connection: Connection, level: Type.Optional(Level) }),
  mode: 'read',
  isInternal: true,
  allow: receivingOnly,
  run(call, params) {
    const { connection } = requireOwn(call, params.dialect)
    const level = getLevel(call)
    return { connection, ...(level !== undefined && { level }) }
  }
})

/**
 * Stores what a request contains, in one transaction, and records what has arrived. What is stored already is
 * left alone; bodies without a mapping wait for one. Throws `forbidden` for a connection that may only read.
 */
export const receive = methodInSteps({
  id: 'connections.receive',
  summary: 'Receive data of a connection',
  params: Type.Object({
    dialect,
    records: Type.Array(Type.Unknown()),
    removals: Type.Optional(Type.Array(Type.Unknown())),
    unmapped: Type.Optional(Type.Array(Type.Unknown())),
    received: Type.Integer({ minimum: 0 }),
    notUnderstood: counts,
    /** Keys of the files that come with the call, in their order. */
    fileKeys: Type.Array(Type.String())
  }),
  /** Numbers of records that could not be stored, by kind. */
  result: Type.Object({ refused: counts }),
  mode: 'write',
  isInternal: true,
  limitsDepth: true,
  takesFiles: true,
  allow: receivingOnly,
  isLong: (_store, { records, removals }) => records.length > maxAtOnce || removals !== undefined,
  run: (call, params) => receiveInSteps(call, params as ReceivedData)
})

/** Maximum number of records that are stored without yielding to other work. */
const maxAtOnce = 50

interface ReceivedData extends ReceivedItems {
  readonly dialect: string
  readonly unmapped?: readonly unknown[]
  readonly received: number
  readonly notUnderstood: Readonly<Record<string, number>>
  readonly fileKeys: readonly string[]
}

/**
 * Stores what a request contains, and counts it. Returns the numbers of records that could not be stored, by kind.
 */
function* receiveInSteps(
  call: Call,
  { dialect: dialectId, fileKeys, notUnderstood, received, unmapped = [], ...items }: ReceivedData
): Steps<Result> {
  const { connection } = requireOwn(call, dialectId)
  if (getLevel(call) === 'read') fail('forbidden', 'This connection may only read')
  const { format } = call.services.dialects.get(dialectId) ?? fail('unknown-resource')
  const files = new Map(call.files.map((file, index) => [fileKeys[index]!, file]))
  const methods = { createEvent, createStream }
  const refused = yield* storeRecords(call, methods, connection, format, items, files)
  for (const { id } of call.files) if (!call.store.attachments.has(id)) call.store.attachments.addOrphan(id)
  const counted = new Map(Object.entries(notUnderstood))
  for (const [kind, count] of refused) counted.set(kind, (counted.get(kind) ?? 0) + count)
  const { arrivals } = requireOwn(call, dialectId)
  call.store.connections.updateArrivals({
    connection,
    arrivals: addWaiting(addArrivals(arrivals, call.now, received, counted), call.now, unmapped)
  })
  return { refused: Object.fromEntries(refused) }
}

/** Records why a request of the connection failed. */
export const noteProblem = method({
  id: 'connections.noteProblem',
  summary: 'Record a problem of a connection',
  params: Type.Object({ dialect, error: Type.String(), message: Type.String() }),
  result: Type.Object({}),
  mode: 'write',
  isInternal: true,
  mayExceedQuota: true,
  allow: receivingOnly,
  run(call, { dialect: dialectId, error, message }) {
    const { arrivals, connection } = requireOwn(call, dialectId)
    call.store.connections.updateArrivals({
      connection,
      arrivals: addProblem(arrivals, call.now, { id: error, message })
    })
    return {}
  }
})

/** Returns the level of the calling access, which has one permission; `undefined` once its stream was deleted. */
function getLevel({ caller }: Call): Level | undefined {
  return caller.access?.permissions?.find(isStreamPermission)?.level
}

/**
 * Returns the connection of the calling access. Error: `invalid-access-token` if it has none, or a connection of another
 * dialect.
 */
function requireOwn({ caller, store }: Call, dialectId: string): StoredConnection {
  const found = store.connections.findByAccess(caller.accessId)
  if (found?.connection.dialect !== dialectId)
    fail('invalid-access-token', 'The token does not belong to a connection of this app')
  return found
}
