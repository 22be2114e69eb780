/** `auth.usernameCheckPost`: the check of older clients. (docs/spec/compatibility.md#older-registration-routes) */
import { Type } from 'typebox'
import { Username } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { isTakenUsername } from '../../registration/availability.js'
import { fail } from '../../errors.js'
import { serviceMethod } from '../../call/method.js'
import { checker } from '../../validation/params.js'

const check = checker(Type.Object({ username: Username }))

/** `POST {register}username/check`: `isFree` as plain text. Gone where users have no host names of their own, whatever is sent. */
export const usernameCheckPost = serviceMethod({
  id: 'auth.usernameCheckPost',
  summary: 'Tell whether a user name is free, the older way',
  params: Type.Unknown(),
  result: Type.Object({ isFree: Type.Boolean() }),
  mode: 'service',
  allow: anyone,
  facts: ({ isFree }: { isFree: boolean }) => ({ text: String(isFree) }),
  run({ core, credentials }, params) {
    if (core.config.domain === '') fail('removed-method')
    check(params)
    core.throttle.lookUp(credentials.ip)
    return { isFree: !isTakenUsername(core, (params as { username: string }).username) }
  }
})
