/** `authRequest.poll`: the state of an authorisation request. (docs/spec/app-authorization.md#polling) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { AuthState, toAuthState, findRequest } from '../../accesses/auth-requests.js'
import { serviceMethod } from '../../call/method.js'

/** Returns the state of the request, with the token once the user has accepted. The key is all that is needed. */
export const poll = serviceMethod({
  id: 'authRequest.poll',
  summary: 'Get the state of an access request',
  params: Type.Object({ key: Type.String() }),
  result: AuthState,
  allow: anyone,
  facts: ({ code }: AuthState) => ({ code }),
  run: ({ services, credentials, now }, { key }) =>
    toAuthState(services, findRequest(services, credentials, key, now), now)
})
