/**
 * Consent to where the access of an app is delivered. Any client can make a request in an app's name and would get the
 * app's existing access once the user signs in: it is delivered without asking only to destinations that the user has
 * agreed to.
 */
import { Type, type Static } from 'typebox'
import type { StoredRequest } from '../../storage/platform/auth-requests.js'
import type { Destination } from '../../storage/repositories/consents.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import { getPresentedToken } from '../auth/authenticate.js'
import type { Access } from '../../schemas/access.js'
import { requestLifetime } from './auth-requests.js'
import { parseUrl } from '../parse-url.js'
import { isSessionOpen } from '../auth/personal-access.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { isExpired } from '../permissions/access.js'
import { recordNotice, type ShownNotice } from './notices.js'
import { getNetwork } from '../security/network.js'
import type { Account } from '../../storage/platform/account.js'

/** A destination as pages show it. */
const PublicDestination = Type.Object({
  returnTo: Type.Optional(Type.String()),
  origin: Type.Optional(Type.String()),
  network: Type.String()
})

/** What a page that asks for consent needs to know about where the access is delivered. */
export const Consent = Type.Object({
  /** Whether the user has to be asked, even if the app already has its access. */
  isNeeded: Type.Boolean(),
  asked: Type.Object({
    ...PublicDestination.properties,
    /** Whether the request comes from the user's network. */
    isNear: Type.Boolean()
  }),
  /** Destinations agreed to before, the latest first. */
  agreed: Type.Array(PublicDestination)
})
export type Consent = Static<typeof Consent>

/**
 * Returns the IP address that a call comes from; empty for the address of a proxy that the operator has not configured:
 * all callers behind such a proxy would seem to share a network.
 */
export function getClientAddress({ http }: Pick<Config, 'http'>, { headers, ip }: Credentials): string {
  const isOfProxy = http.trustedProxies.length === 0 && headers?.['x-forwarded-for'] !== undefined
  return isOfProxy ? '' : ip
}

/** Returns the destination of a request's outcome. */
function getDestination({ asker, request: { returnURL } }: StoredRequest): Destination {
  return {
    returnTo: typeof returnURL === 'string' ? getUrlOwner(returnURL) : '',
    origin: asker?.origin === undefined ? '' : getUrlOwner(asker.origin),
    network: getNetwork(asker?.ip ?? '', '')
  }
}

/**
 * Compares a request's destination with those agreed to for `access`, if the app has one. `clientIp`: the user's IP
 * address.
 */
export function compareConsent(
  store: UserStore,
  access: Access | undefined,
  request: StoredRequest,
  clientIp: string
): Consent {
  const asked = getDestination(request)
  const agreed = access ? store.consents.list(access.id) : []
  const isSameNetwork = asked.network !== '' && asked.network === getNetwork(clientIp, '')
  const isKnown = agreed.some(
    each =>
      each.returnTo === asked.returnTo &&
      each.origin === asked.origin &&
      // The sender of the request can make up both of these, but not the network it asks from.
      (isSameNetwork || (asked.network !== '' && each.network === asked.network))
  )
  return {
    isNeeded: !isKnown,
    asked: { ...toPublicDestination(asked), isNear: isSameNetwork },
    agreed: agreed.map(toPublicDestination)
  }
}

/**
 * Records consent to the destination of a request if the user is signed in, or has created the access for
 * this request, and for a signed-in user the notice that the page has shown. A failure is logged only.
 * Third-party authorisation pages do not ask for consent: the user is asked once more on the service's own
 * page after using such a page.
 */
export async function recordConsent(
  services: Services,
  account: Account,
  { access, credentials, known, notice, now }: Delivery
): Promise<void> {
  const store = services.accounts.openStore(account)
  try {
    const isOwner = isSignedInOwner(services, store, credentials, now)
    // An update may have withdrawn what the user had agreed to.
    const isNew =
      access.created >= known.expires - requestLifetime &&
      access.serial === undefined &&
      store.consents.list(access.id).length === 0
    const isAgreed = isOwner || isNew
    if (!isAgreed) return
    await store.write(() => {
      store.consents.add(access.id, getDestination(known), now)
      // Only the user says what the user has seen.
      if (notice && isOwner) recordNotice(services, store, { access, credentials, notice, now })
    })
  } catch (cause) {
    // The decision stands; the user is merely asked again next time.
    services.log.warn('a consent could not be saved', { accountId: account.id, cause })
  }
}

/** An access that is being delivered. */
interface Delivery {
  readonly access: Access
  readonly known: StoredRequest
  readonly credentials: Credentials
  /** What the user has seen, if the page says so. */
  readonly notice: ShownNotice | undefined
  readonly now: number
}

/** Returns whether a call carries a personal token of this account with an open session. */
function isSignedInOwner(
  { config }: Services,
  store: UserStore,
  credentials: Credentials,
  now: number
): boolean {
  const token = getPresentedToken(credentials)
  const access = token === undefined ? undefined : store.accesses.findByToken(token)
  return (
    access?.type === 'personal' && !isExpired(access, now) && isSessionOpen(config, store, access.id, now)
  )
}

/** Returns the part of a URL that identifies its owner: an origin, or the scheme of an app. */
function getUrlOwner(url: string): string {
  const parsed = parseUrl(url)
  if (!parsed) return url.slice(0, 200)
  const { origin, protocol } = parsed
  return origin === 'null' ? protocol : origin
}

function toPublicDestination({
  network: from,
  origin,
  returnTo
}: Destination): Static<typeof PublicDestination> {
  return { ...(returnTo !== '' && { returnTo }), ...(origin !== '' && { origin }), network: from }
}
