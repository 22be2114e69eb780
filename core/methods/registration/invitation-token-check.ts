/** `registration.invitationTokenCheck`: whether an invitation lets somebody register. (supplement 6.1) */
import { Type } from 'typebox'
import { anyone } from '../../allow.js'
import { serviceMethod } from '../../method.js'
import { admission } from '../../registration.js'

/** `POST {register}access/invitationtoken/check`: `isValid` as plain text. Guesses are throttled as at the registration. */
export const invitationTokenCheck = serviceMethod({
  id: 'registration.invitationTokenCheck',
  params: Type.Object({ invitationtoken: Type.String({ maxLength: 99 }) }),
  result: Type.Object({ isValid: Type.Boolean() }),
  mode: 'service',
  allow: anyone,
  run: ({ core, credentials }, { invitationtoken }) => ({
    isValid: admission(core, credentials, invitationtoken) !== undefined
  })
})
