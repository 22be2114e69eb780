/** `auth.login`: a personal token for user name and password. (service.md, Authentication 5; supplement 4.1, 26) */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { apiEndpoint } from '../../service-info.js'
import { trustedApp } from '../../allow.js'
import { fail } from '../../errors.js'
import { method } from '../../method.js'
import { mustNotHaveExpired, passwordTimes } from '../../password-rules.js'
import { openSession } from '../../personal-access.js'
import { mustKnowPassword } from '../../prove.js'

/**
 * Signs in. An unknown user and a wrong password get the same answer after the same work; both count for the throttle.
 * The password is checked before the transaction and has to be in force still when that runs.
 */
export const login = method({
  id: 'auth.login',
  params: Type.Object({
    username: Type.String({ minLength: 1, maxLength: 100 }),
    password: Type.String({ minLength: 1, maxLength: 1000 }),
    appId: AppId
  }),
  result: Type.Object({
    token: Type.String(),
    apiEndpoint: Type.String(),
    preferredLanguage: Type.String(),
    passwordExpires: Type.Optional(Type.Number()),
    passwordCanBeChanged: Type.Optional(Type.Number())
  }),
  mode: 'write',
  mayExceedQuota: true,
  allow: trustedApp,
  auditAs: 'valid-password',
  async prepare({ core, account, credentials, store }, { username, password }) {
    mustBeSame(account.username, username)
    const hash = store.account.password()?.hash
    await mustKnowPassword(core, credentials, account.username, password, hash)
    return hash
  },
  run({ core, account, store, now }, { appId }, hash) {
    const password = store.account.password()
    if (password?.hash !== hash) fail('invalid-credentials')
    const times = passwordTimes(core.config, password)
    mustNotHaveExpired(times, now)
    const { token } = openSession(core.config, store, appId, now)
    return {
      token,
      apiEndpoint: apiEndpoint(core.config, account.username, token),
      preferredLanguage: primaryLanguage(store.account.field('language')),
      ...times
    }
  },
  async unknownUser({ core, credentials }, known, { username, password }) {
    mustBeSame(known, username)
    await mustKnowPassword(core, credentials, known, password, undefined)
    return fail('invalid-credentials')
  }
})

/** The user of the path and that of the body. */
function mustBeSame(addressed: string, given: string): void {
  if (given.toLowerCase() !== addressed)
    fail('invalid-operation', 'The user name differs from the one that the request is addressed to.')
}

/** `fr` of `fr-CH`. */
function primaryLanguage(language: unknown): string {
  return (typeof language === 'string' ? language : 'en').split(/[-_]/)[0]!
}
