/** Verifies the proof of a key that comes with a request, before its call is made. (docs/api/oauth.md#proof-of-possession) */
import type { Credentials, KeyProof } from '../../../core/call/credentials.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { getAccountUrl } from '../../../core/service-info.js'
import type { Config } from '../../../core/settings/config.js'
import type { Exchange } from '../exchange.js'

/** Returns whether the token of a request has to come with a proof. Only the header counts, not what stands for it in a form. */
export function hasBoundToken({ req, state }: Exchange): boolean {
  return state.form?.authorization === undefined && /^\s*dpop\s/i.test(req.headers.authorization ?? '')
}

/** Returns the proof in the header of a request, and what it has to be about; `undefined` if there is none. */
export function readProof({ req, state }: Exchange, config: Config): KeyProof | undefined {
  const { dpop } = req.headers
  if (typeof dpop !== 'string') return undefined
  const urls = listOutsideUrls(config, req, state.address.user)
  return { text: dpop, verb: req.method ?? '', urls }
}

/**
 * Lists the URLs by which clients may know the resource of a request. Only the settings decide which host these are on. An account with
 * a host of its own is reached by that host or by a path, and a proxy may turn one into the other.
 */
function listOutsideUrls(config: Config, req: Exchange['req'], user: string | undefined): readonly string[] {
  const path = getPath(req.url ?? '/')
  if (user === undefined || config.domain === '') return [`${config.publicUrl}${path}`]
  const [, first = ''] = path.split('/', 2)
  const isNamed = decodeName(first) === user
  const below = isNamed ? path.slice(first.length + 1) : path
  const whole = isNamed ? path : `/${user}${path}`
  const host = getAccountUrl(config, user).replace(/\/$/, '')
  const byHost = [`${host}${below}`, `${host}${whole}`]
  const byPath = `${config.publicUrl}${whole}`
  const isByHost = (req.headers.host ?? '').toLowerCase().startsWith(`${user}.${config.domain}`)
  return isByHost ? [...byHost, byPath] : [byPath, ...byHost]
}

function decodeName(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).toLowerCase()
  } catch {
    return undefined
  }
}

/** Returns the path of a request without its query. Proxies may send the absolute form. */
function getPath(url: string): string {
  const scheme = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = scheme < 0 ? 0 : Math.max(url.indexOf('/', scheme + 3), 0)
  const path = url.slice(start)
  const mark = path.indexOf('?')
  return mark < 0 ? path : path.slice(0, mark)
}

/**
 * Returns the credentials with the key that the request has proven, or with what is wrong with its proof, as the method
 * `oauth.prove` finds. If that method refuses the call, the credentials are returned as they are. Throws errors of 500 and above.
 */
export async function proveCredentials(
  dispatcher: Dispatcher,
  user: string | undefined,
  credentials: Credentials,
  proof: KeyProof | undefined
): Promise<Credentials> {
  const { authorization = '', ip, via } = credentials
  const asked = { authorization, ip, via, ...(proof && { proof }) }
  const outcome = await dispatcher.call({
    user,
    method: 'oauth.prove',
    params: {},
    credentials: asked,
    isWhole: true
  })
  if (!outcome.ok) {
    // Other errors would also occur in the call itself, which is about to be made.
    if (outcome.error.status >= 500) throw outcome.error
    return credentials
  }
  const { key, problem } = JSON.parse(`{${outcome.members}}`) as { key?: string; problem?: string }
  return {
    ...credentials,
    ...(key !== undefined && { provenKey: key }),
    ...(problem !== undefined && { proofProblem: problem })
  }
}
