/** Connections as the API returns them. (docs/api/connections.md) */
import { Type, type Static } from 'typebox'
import { Arrivals, Connection } from '../../schemas/connection.js'
import type { StoredConnection } from '../../storage/connections/connection-repository.js'
import type { Call } from '../call/method.js'
import type { DialectInfo } from '../call/dialects.js'
import { fail, quoteText } from '../errors.js'
import { getAccountUrl } from '../service-info.js'
import { refuseParams } from '../validation/params.js'

const {
  friends: _friends,
  mapping: _mapping,
  passphrase: _passphrase,
  secretKey: _key,
  ...shown
} = Connection.properties

/** A connection as the API returns it. */
export const PublicConnection = Type.Object({
  ...shown,
  /** Where the app sends to; without the token, which only `connections.create` returns. */
  url: Type.String(),
  /** Whether encrypted payloads can be decrypted. */
  hasPassphrase: Type.Boolean(),
  /** User names of those whose positions the app shows. */
  friends: Type.Optional(Type.Array(Type.String())),
  /** The mapping as it was given. */
  mapping: Type.Optional(Type.Unknown()),
  ...Arrivals.properties
})
export type PublicConnection = Static<typeof PublicConnection>

type Context = Pick<Call, 'account' | 'services'>

/** Converts a connection to what the API returns. */
export function toPublicConnection(
  call: Context,
  { arrivals, connection }: StoredConnection
): PublicConnection {
  const { friends, passphrase, secretKey: _secretKey, ...rest } = connection
  return {
    ...rest,
    url: getConnectionUrl(call, connection.dialect),
    hasPassphrase: passphrase !== undefined,
    ...(friends && { friends: friends.map(({ username }) => username) }),
    ...arrivals
  }
}

/** Returns the address to which an app sends; with the token, if that is part of it. */
export function getConnectionUrl({ account, services }: Context, dialect: string, token?: string): string {
  const base = `${getAccountUrl(services.config, account.username)}from/${dialect}`
  return token !== undefined && services.dialects.get(dialect)?.hasTokenInUrl ? `${base}/~${token}` : base
}

/** Returns the dialect with this id. Error: `invalid-parameters-format`. */
export function requireDialect({ services }: Pick<Call, 'services'>, id: string): DialectInfo {
  return (
    services.dialects.get(id) ??
    refuseParams([
      {
        code: 'UNKNOWN_DIALECT',
        message: `Unknown dialect. Known are: ${[...services.dialects.keys()].join(', ')}`,
        path: '#/dialect'
      }
    ])
  )
}

/** Returns the connection with this id. Error: `unknown-resource`. */
export function requireConnection({ store }: Pick<Call, 'store'>, id: string): StoredConnection {
  return store.connections.find(id) ?? fail('unknown-resource', `Unknown connection ${quoteText(id)}`)
}
