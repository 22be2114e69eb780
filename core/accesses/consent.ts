/**
 * Where the access of an app goes. Whoever asks in an app's name would get the access that the app has already, by a sign-in
 * alone: it is handed out without a question only to where the person has agreed to.
 */
import ipaddr from 'ipaddr.js'
import { Type, type Static } from 'typebox'
import type { KnownRequest } from '../../storage/platform/auth-requests.js'
import type { Destination } from '../../storage/repositories/consents.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import { presentedToken } from '../auth/authenticate.js'
import type { Access } from '../../schemas/access.js'
import { requestLife } from './auth-requests.js'
import { parsedUrl } from '../parsed-url.js'
import { isSessionOpen } from '../auth/personal-access.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { isExpired } from '../permissions/access.js'
import type { Account } from '../../storage/platform/account.js'

/** A place as pages show it. */
const Place = Type.Object({
  returnTo: Type.Optional(Type.String()),
  origin: Type.Optional(Type.String()),
  network: Type.String()
})

/** What a page that asks the person has to know about where the access goes. */
export const Consent = Type.Object({
  /** Whether the person has to be asked, also where the app has its access already. */
  isNeeded: Type.Boolean(),
  asked: Type.Object({
    ...Place.properties,
    /** Whether the request comes from where the person is. */
    isNear: Type.Boolean()
  }),
  /** What was agreed to before, the latest first. */
  agreed: Type.Array(Place)
})
export type Consent = Static<typeof Consent>

/**
 * The address that a call comes from; empty where it is that of a proxy which the operator has not named: behind it everybody
 * would be near to everybody.
 */
export function addressOf({ http }: Pick<Config, 'http'>, { headers, ip }: Credentials): string {
  const isOfProxy = http.trustedProxies.length === 0 && headers?.['x-forwarded-for'] !== undefined
  return isOfProxy ? '' : ip
}

/** Where a request's outcome goes. */
export function destinationOf({ asker, request: { returnURL } }: KnownRequest): Destination {
  return {
    returnTo: typeof returnURL === 'string' ? placeOf(returnURL) : '',
    origin: asker?.origin === undefined ? '' : placeOf(asker.origin),
    network: networkOf(asker?.ip ?? '')
  }
}

/** What was agreed to of an access, held against what is asked for; of no access nothing was. */
export function consentOf(
  store: UserStore,
  access: Access | undefined,
  known: KnownRequest,
  person: string
): Consent {
  const asked = destinationOf(known)
  const agreed = access ? store.consents.list(access.id) : []
  const isNear = asked.network !== '' && asked.network === networkOf(person)
  const isKnown = agreed.some(
    each =>
      each.returnTo === asked.returnTo &&
      each.origin === asked.origin &&
      // Both are what the asker says; where it asks from it cannot choose.
      (isNear || (asked.network !== '' && each.network === asked.network))
  )
  return { isNeeded: !isKnown, asked: { ...shown(asked), isNear }, agreed: agreed.map(shown) }
}

/**
 * Notes that an access goes where a request asks for it: the person is there to say so, or has made it for this request.
 * Pages of others know nothing of this: what they hand out is asked about once more here.
 */
export async function noteConsent(
  core: Services,
  account: Account,
  { access, credentials, known, now }: Handing
): Promise<void> {
  const store = core.accounts.store(account)
  try {
    const isAgreed =
      isPerson(core, store, credentials, now) ||
      (access.created >= known.expires - requestLife && store.consents.list(access.id).length === 0)
    if (isAgreed) await store.write(() => store.consents.add(access.id, destinationOf(known), now))
  } catch (cause) {
    // The decision stands; the person is asked once more next time.
    core.log.warn('a consent could not be kept', { accountId: account.id, cause })
  }
}

/** An access that is being handed out. */
interface Handing {
  readonly access: Access
  readonly known: KnownRequest
  readonly credentials: Credentials
  readonly now: number
}

/** Whether a call comes with the token of somebody who has signed in to this account. */
function isPerson({ config }: Services, store: UserStore, credentials: Credentials, now: number): boolean {
  const token = presentedToken(credentials)
  const access = token === undefined ? undefined : store.accesses.findByToken(token)
  return (
    access?.type === 'personal' && !isExpired(access, now) && isSessionOpen(config, store, access.id, now)
  )
}

/** What belongs to one connection: an IPv4 address, or the front half of an IPv6 one, as `2001:db8:0:1::/64`. */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ''
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  const { parts } = address as ipaddr.IPv6
  return `${parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

/** The part of an address that tells whose it is: an origin, or the scheme of an app. */
function placeOf(url: string): string {
  const parsed = parsedUrl(url)
  if (!parsed) return url.slice(0, 200)
  const { origin, protocol } = parsed
  return origin === 'null' ? protocol : origin
}

function shown({ network: from, origin, returnTo }: Destination): Static<typeof Place> {
  return { ...(returnTo !== '' && { returnTo }), ...(origin !== '' && { origin }), network: from }
}
