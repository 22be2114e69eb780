/** `authRequest.poll`: what has become of a request for an access. (docs/spec/app-authorization.md#polling) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { AuthState, authState, requestOf } from '../../accesses/auth-requests.js'
import { serviceMethod } from '../../call/method.js'

/** The state of the request, with the token once the user has accepted. Whoever knows the key may ask. */
export const poll = serviceMethod({
  id: 'authRequest.poll',
  summary: 'Learn what has become of such a request',
  params: Type.Object({ key: Type.String() }),
  result: AuthState,
  mode: 'service',
  allow: anyone,
  facts: ({ code }: AuthState) => ({ code }),
  run: ({ core, credentials, now }, { key }) => authState(core, requestOf(core, credentials, key, now), now)
})
