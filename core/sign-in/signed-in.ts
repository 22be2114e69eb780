/** What those who have signed in are told, however they did. (docs/spec/authentication.md#signing-in) */
import { Type, type Static } from 'typebox'
import type { Call } from '../call/method.js'
import { passwordTimes } from './password-rules.js'
import { openSession } from '../auth/personal-access.js'
import { apiEndpoint } from '../service-info.js'

export const SignedIn = Type.Object({
  token: Type.String(),
  apiEndpoint: Type.String(),
  preferredLanguage: Type.String(),
  passwordExpires: Type.Optional(Type.Number()),
  passwordCanBeChanged: Type.Optional(Type.Number())
})
export type SignedIn = Static<typeof SignedIn>

/** Opens a session of an app, or prolongs it, and answers its token. Only within a write. */
export function signIn({ account, core, now, store }: Call, appId: string): SignedIn {
  const { token } = openSession(core.config, store, appId, now)
  return {
    token,
    apiEndpoint: apiEndpoint(core.config, account.username, token),
    preferredLanguage: primaryLanguage(store.account.field('language')),
    ...passwordTimes(core.config, store.account.password())
  }
}

/** `fr` of `fr-CH`. */
function primaryLanguage(language: unknown): string {
  return (typeof language === 'string' ? language : 'en').split(/[-_]/)[0]!
}
