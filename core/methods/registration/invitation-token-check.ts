/** `registration.invitationTokenCheck`: whether an invitation allows registration. (docs/spec/registration.md#invitations) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { getAdmission } from '../../registration/register.js'
import { refuseParams } from '../../validation/params.js'

const Token = Type.String({ maxLength: 99 })

/**
 * `POST {register}access/invitationtoken/check`: `isValid` as plain text. Older clients spell the param like the path. Guesses are
 * throttled as in registration.
 */
export const invitationTokenCheck = serviceMethod({
  id: 'registration.invitationTokenCheck',
  summary: 'Check whether an invitation is valid',
  params: Type.Object({ invitationToken: Type.Optional(Token), invitationtoken: Type.Optional(Token) }),
  result: Type.Object({ isValid: Type.Boolean() }),
  allow: anyone,
  facts: ({ isValid }: { isValid: boolean }) => ({ text: String(isValid) }),
  run({ services, credentials }, { invitationToken, invitationtoken }) {
    const token = invitationToken ?? invitationtoken ?? refuseParams([missing])
    return { isValid: getAdmission(services, credentials, token) !== undefined }
  }
})

const missing = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'Missing property "invitationToken"',
  path: '#',
  params: ['invitationToken']
}
