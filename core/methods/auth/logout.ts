/** `auth.logout`: ends a session. (docs/spec/authentication.md#signing-out) */
import { Type } from 'typebox'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { endSession } from '../../auth/sessions.js'
import { findProvider, signOutUrl } from '../../identities/provider.js'

/**
 * Ends the session of the token used: the access stays, its token becomes invalid. Returns where to sign out
 * at the provider of the sign-in, if there was one.
 */
export const logout = method({
  id: 'auth.logout',
  summary: 'Sign out',
  params: Type.Object({}),
  result: Type.Object({
    /** Where to sign out at the provider that vouched for the user, if one did. */
    signOutUrl: Type.Optional(Type.String())
  }),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: personalOnly,
  run(call) {
    const { caller, services, store } = call
    const { provider } = store.sessions.findSignIn(caller.accessId) ?? {}
    endSession(call, caller.accessId)
    return provider !== undefined && findProvider(services.config, provider)
      ? { signOutUrl: signOutUrl(services.config, provider) }
      : {}
  }
})
