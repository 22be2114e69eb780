/** `auth.registerOlder`: a new account, for older clients. (docs/spec/compatibility.md#older-registration-routes) */
import { Type } from 'typebox'
import { getCoreUrl } from '../../service-info.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { registerAccount } from '../../registration/register.js'

/** `POST {register}user`: 201. Older clients read `server` as well. */
export const registerOlder = serviceMethod({
  id: 'auth.registerOlder',
  summary: 'Create an account, with parameter names of older clients',
  params: Type.Object({}),
  result: Type.Object({ username: Type.String(), apiEndpoint: Type.String(), server: Type.String() }),
  allow: anyone,
  auditActor: 'public',
  async run(call, params) {
    const registered = await registerAccount(call, params)
    return { ...registered, server: getCoreUrl(call.services.config) }
  }
})
