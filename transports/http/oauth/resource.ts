/** Tells assistants that come without a token where to sign in: in the header of a 401, and in a document. (RFC 9728) */
import type { Config } from '../../../core/settings/config.js'
import { buildResourceMetadata } from '../../../core/oauth/metadata.js'
import { getAccountUrl } from '../../../core/service-info.js'
import type { Exchange } from '../exchange.js'
import { replyJson } from './reply.js'

const wellKnown = '.well-known/oauth-protected-resource'

/** The value of `WWW-Authenticate` for a request to an endpoint of a user. */
export function challengeFor(exchange: Exchange, config: Config, endpoint: string): string {
  const { publicUrl } = config
  const user = exchange.state.address.user ?? ''
  const place = isByHost(exchange, config)
    ? `${getAccountUrl(config, user)}${wellKnown}/${endpoint}`
    : `${publicUrl}/${wellKnown}/${user}/${endpoint}`
  return `Bearer resource_metadata="${place}"`
}

/**
 * Answers a request for the document of an endpoint, at the root or at the host of a user; `false` for any other. Whether the
 * user exists is not told: the document is made of the address alone.
 */
export function repliesResource(exchange: Exchange, config: Config, endpoint: string): boolean {
  const { address } = exchange.state
  const { user, segments } = address
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false
  if (segments.slice(0, 2).join('/') !== wellKnown) return false
  const rest = segments.slice(2)
  const { pathname } = new URL(config.publicUrl)
  const own = pathname.split('/').filter(part => part !== '')
  // Clients put the name before the path of the service, which a proxy may leave in place.
  const isBelow = user === undefined && own.length > 0 && own.every((part, index) => rest[index] === part)
  const [name = '', last, ...more] = isBelow
    ? rest.slice(own.length)
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

/** Whether a request names its user by the host. */
function isByHost({ req, state }: Exchange, { domain }: Config): boolean {
  return domain !== '' && (req.headers.host ?? '').toLowerCase().startsWith(`${state.address.user}.${domain}`)
}
