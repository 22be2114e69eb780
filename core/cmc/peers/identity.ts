/** Checks that a peer is who it claims to be: its host has to vouch for it. (docs/spec/consent.md#identity) */
import ipaddr from 'ipaddr.js'
import type { Person } from '../../permissions/peer-access.js'
import { cmcInbox } from '../../cmc-ids.js'
import { parseUrl } from '../../parse-url.js'
import { isObject } from '../../validation/is-object.js'
import { PeerUnavailable } from '../failures.js'
import { getOwnName, isSamePerson, readPerson } from '../names.js'
import { isTransient, type Endpoint, type PeerAnswer, type PeerCalls } from './peer-calls.js'
import type { Config } from '../../settings/config.js'

/** Who the account of an endpoint is said to be and, if its access is to be a data grant, whom that is for. */
interface Claim {
  readonly claimed: Person
  readonly holder?: Person
}

/**
 * Returns whether the account of an endpoint is the claimed one. Throws `PeerUnavailable` if its server cannot be asked at the
 * moment.
 */
export async function isWho(
  peers: PeerCalls,
  config: Config,
  endpoint: Endpoint,
  { claimed, holder }: Claim
): Promise<boolean> {
  const local = peers.findLocalUser(endpoint)
  if (local !== undefined) {
    const own = getOwnName(config, local)
    if (own.host !== claimed.host || own.username !== claimed.username) return false
  } else if (!isWithin(endpoint.host, claimed.host)) return false
  // A host vouches for its own accounts only, not the server to which one of them says it has moved.
  const access = await peers.callOnce(endpoint, 'getAccessInfo')
  if (access.status === 301) return false
  assertAvailable(access)
  if (holder && !isGrantFor(access.body, holder)) return false
  const { user } = access.body
  const username = isObject(user) ? user['username'] : undefined
  if (typeof username !== 'string' || username.toLowerCase() !== claimed.username) return false
  if (local !== undefined) return true
  const info = await peers.callOnce(endpoint, 'service.info')
  assertAvailable(info)
  const { api } = info.body
  if (typeof api !== 'string') return false
  // The endpoint may be older than the name.
  return [claimed.username, endpoint.host.split('.', 1)[0]!].some(
    name => parseUrl(api.replace('{username}', name))?.hostname.toLowerCase() === endpoint.host
  )
}

/**
 * Returns whether an access is a data grant for an account. Another peer, or a reader of shared data, has a token of the same account: with
 * it, they would accept in its name.
 */
function isGrantFor({ clientData, permissions }: PeerAnswer['body'], holder: Person): boolean {
  const mark = isObject(clientData) ? clientData['cmc'] : undefined
  if (isObject(mark)) {
    const peer = mark['role'] === 'counterparty' ? readPerson(mark['counterparty']) : undefined
    return peer !== undefined && isSamePerson(holder, peer)
  }
  // Whatever else the server tells of its accesses: a data grant writes to the inbox.
  return (
    !Array.isArray(permissions) ||
    permissions.some((each: unknown) => isObject(each) && each['streamId'] === cmcInbox)
  )
}

function assertAvailable(answer: PeerAnswer): void {
  if (isTransient(answer)) throw new PeerUnavailable('the server of the peer', answer.retryAfter)
}

/**
 * Returns whether a host is the claimed one, or lies below it. Nothing lies below an IP address, a top-level
 * domain or a public suffix.
 */
export function isWithin(host: string, claimed: string): boolean {
  if (host === claimed) return true
  return (
    !ipaddr.isValid(claimed) &&
    claimed.includes('.') &&
    !isPublicSuffix(claimed) &&
    host.endsWith(`.${claimed}`)
  )
}

/** Second-level domains below which anyone can register; with a country code, or below a provider of hosting. */
const registries = new Set('ac co com edu gob gov gouv mil ne net nom or org'.split(' '))
const providers = new Set(
  (
    'github.io gitlab.io pages.dev workers.dev vercel.app netlify.app herokuapp.com fly.dev onrender.com web.app ' +
    'firebaseapp.com appspot.com cloudfront.net amazonaws.com azurewebsites.net ngrok.io ngrok.app ngrok.dev ' +
    'ngrok-free.app trycloudflare.com duckdns.org dyndns.org no-ip.org nip.io sslip.io'
  ).split(' ')
)

function isPublicSuffix(host: string): boolean {
  const labels = host.split('.')
  if (providers.has(host)) return true
  return labels.length === 2 && labels[1]!.length === 2 && registries.has(labels[0]!)
}
