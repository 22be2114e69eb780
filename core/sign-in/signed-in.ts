/** The result of signing in, by any method. (docs/spec/authentication.md#signing-in) */
import { Type, type Static } from 'typebox'
import type { Call } from '../call/method.js'
import type { Facts } from '../call/outcome.js'
import { getPasswordTimes } from './password-rules.js'
import type { Access } from '../../schemas/access.js'
import { recordSignIn, openPageSession, openSession } from '../auth/personal-access.js'
import { isOwnApp } from '../auth/trusted-apps.js'
import { describeBrowser } from './notices/devices.js'
import { notifyNewDevice } from './notices/notices.js'
import { apiEndpoint } from '../service-info.js'

export const SignedIn = Type.Object({
  token: Type.String(),
  apiEndpoint: Type.String(),
  preferredLanguage: Type.String(),
  passwordExpires: Type.Optional(Type.Number()),
  passwordCanBeChanged: Type.Optional(Type.Number()),
  /** When the account will be deleted, in seconds: the token only serves to keep it, or to sign out. */
  deletion: Type.Optional(Type.Number())
})
export type SignedIn = Static<typeof SignedIn>

/** Returns what transports need to know of the result; `username` where the call did not name the user. */
export function toSignedInFacts(
  { token, apiEndpoint: _holdsIt, ...rest }: SignedIn,
  username?: string
): Facts {
  if (username === undefined) return { signedIn: { token, publicResult: rest } }
  return { signedIn: { token, username, publicResult: { username, ...rest } } }
}

/**
 * Opens a session, or prolongs the session of an app, and returns its token. A session of the service's own
 * pages replaces that of the browser. Records the sign-in, and notifies the user of a new device. `provider`:
 * the provider of the identity with which the user signed in. Must run within a transaction.
 */
export function signIn(call: Call, appId: string, provider?: string): SignedIn {
  const { account, services, now, store } = call
  const { id, token } = isOwnApp(appId)
    ? openOwnPageSession(call, appId)
    : openSession(services.config, store, appId, now)
  recordSignIn(store, id, call, provider)
  notifyNewDevice(call)
  return {
    token,
    apiEndpoint: apiEndpoint(services.config, account.username, token),
    preferredLanguage: getPrimaryLanguage(store.account.field('language')),
    ...getPasswordTimes(services.config, store.account.password()),
    ...(account.deletion !== null && { deletion: account.deletion })
  }
}

/** Opens a session of one of the service's own pages, in place of the session whose cookie the browser sent. */
function openOwnPageSession(
  { account, changes, credentials, now, services, store }: Call,
  appId: string
): Access {
  const { config } = services
  // Found by name: two-factor authentication has a token of its own, and passkeys name no user.
  const session = credentials.pageSessions?.find(
    ({ username }) => services.accounts.findServed(username)?.id === account.id
  )
  const former = session && store.accesses.findByToken(session.token)
  const replaced = former?.type === 'personal' ? former : undefined
  const browser = describeBrowser(credentials)
  const { access, ended } = openPageSession(config, store, { appId, browser, now, replaced })
  if (ended !== undefined) changes.add('sessions', [], ended)
  return access
}

/** Returns `fr` for `fr-CH`. */
function getPrimaryLanguage(language: unknown): string {
  return (typeof language === 'string' ? language : 'en').split(/[-_]/)[0]!
}
