/** `auth.login`: a personal token for user name and password. (docs/spec/authentication.md#signing-in) */
import { Type } from 'typebox'
import { trustedApp } from '../../auth/allow.js'
import { LoginParams, mustStillHold, verifyLogin, verifyNobody } from '../../sign-in/verify-login.js'
import { method } from '../../call/method.js'
import { factorOf } from '../../sign-in/mfa/factor.js'
import { openMfaSession } from '../../sign-in/mfa/sessions.js'
import { SignedIn, signIn } from '../../sign-in/signed-in.js'

/**
 * Signs in. An unknown user and a wrong password get the same answer after the same work; both count for the throttle.
 * The password is checked before the transaction and has to be in force still when that runs. With a second factor there
 * is not a session yet, but a token to prove that factor with. (docs/spec/mfa.md#signing-in)
 */
export const login = method({
  id: 'auth.login',
  summary: 'Sign in with user name and password',
  params: Type.Object(LoginParams),
  result: Type.Union([SignedIn, Type.Object({ mfaToken: Type.String() })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: trustedApp,
  facts: result => ({ isPending: 'mfaToken' in result }),
  auditAs: 'valid-password',
  prepare: verifyLogin,
  run(call, { appId }, hash) {
    const { core, now, store } = call
    mustStillHold(call, hash)
    if (!factorOf(store)) return signIn(call, appId)
    return { mfaToken: openMfaSession(core.config, store, { purpose: 'login', appId }, now) }
  },
  unknownUser: verifyNobody
})
