/** `auth.login`: a personal token for user name and password. (docs/spec/authentication.md#signing-in) */
import { Type } from 'typebox'
import { trustedApp } from '../../auth/allow.js'
import {
  LoginParams,
  assertPasswordCurrent,
  verifyLogin,
  refuseUnknownUser
} from '../../sign-in/verify-login.js'
import { method } from '../../call/method.js'
import { getFactor } from '../../sign-in/mfa/factor.js'
import { openMfaSession } from '../../sign-in/mfa/sessions.js'
import { SignedIn, toSignedInFacts, signIn } from '../../sign-in/signed-in.js'
import { requirePasswordsEnabled } from '../../sign-in/passwords.js'

/**
 * Signs in. An unknown user and a wrong password get the same error after the same work; both are throttled. The
 * password is checked before the transaction, which makes sure that the password is still the current one. With a
 * second factor the result is not a session but a token with which to prove the factor. (docs/spec/mfa.md#signing-in)
 */
export const login = method({
  id: 'auth.login',
  summary: 'Sign in with username and password',
  params: Type.Object(LoginParams),
  result: Type.Union([SignedIn, Type.Object({ mfaToken: Type.String() })]),
  mode: 'write',
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: requirePasswordsEnabled(trustedApp),
  facts: (result: SignedIn | { mfaToken: string }) =>
    'mfaToken' in result ? { isPending: true } : toSignedInFacts(result),
  auditActor: 'valid-password',
  prepare: verifyLogin,
  run(call, { appId }, hash) {
    const { services, now, store } = call
    assertPasswordCurrent(call, hash)
    if (!getFactor(store)) return signIn(call, appId)
    return { mfaToken: openMfaSession(services.config, store, { purpose: 'login', appId }, now) }
  },
  handleUnknownUser: refuseUnknownUser
})
