/** Tells assistants without a token where to sign in: in the header of a 401, and in a metadata document. (RFC 9728) */
import type { Config } from '../../../core/settings/config.js'
import { buildResourceMetadata } from '../../../core/oauth/metadata.js'
import { getAccountUrl } from '../../../core/service-info.js'
import type { Exchange } from '../exchange.js'
import { replyJson } from './reply.js'

const wellKnown = '.well-known/oauth-protected-resource'

/** Returns the value of `WWW-Authenticate` for a request to an endpoint of a user. */
export function buildChallenge(exchange: Exchange, config: Config, endpoint: string): string {
  const { publicUrl } = config
  const user = exchange.state.address.user ?? ''
  const url = namesUserByHost(exchange, config)
    ? `${getAccountUrl(config, user)}${wellKnown}/${endpoint}`
    : `${publicUrl}/${wellKnown}/${user}/${endpoint}`
  return `Bearer resource_metadata="${url}"`
}

/**
 * Answers a request for the metadata of an endpoint, at the root or at the host of a user; returns `false` for any
 * other request. The response does not reveal whether the user exists: the document depends on the address alone.
 */
export function replyResourceMetadata(exchange: Exchange, config: Config, endpoint: string): boolean {
  const { address } = exchange.state
  const { user, segments } = address
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false
  if (segments.slice(0, 2).join('/') !== wellKnown) return false
  const rest = segments.slice(2)
  const { pathname } = new URL(config.publicUrl)
  const base = pathname.split('/').filter(part => part !== '')
  // Clients insert the well-known path before the path of the service, which a proxy may not remove.
  const isBelow = user === undefined && base.length > 0 && base.every((part, index) => rest[index] === part)
  const [name = '', last, ...more] = isBelow
    ? rest.slice(base.length)
    : user === undefined
      ? rest
      : [user, ...rest]
  if (last !== endpoint || more.length > 0 || !/^[a-z0-9-]{1,60}$/i.test(name)) return false
  const root = user === undefined ? `${config.publicUrl}/${name.toLowerCase()}/` : getAccountUrl(config, user)
  replyJson(
    exchange,
    200,
    JSON.stringify(buildResourceMetadata(config, `${root}${endpoint}`)),
    'public, max-age=3600'
  )
  return true
}

/** Returns whether a request names its user by the host. */
function namesUserByHost({ req, state }: Exchange, { domain }: Config): boolean {
  return domain !== '' && (req.headers.host ?? '').toLowerCase().startsWith(`${state.address.user}.${domain}`)
}
