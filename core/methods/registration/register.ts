/** `auth.register`: a new account. (docs/spec/registration.md#creating-an-account) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { registerAccount, type Registered } from '../../registration/register.js'

/**
 * `POST {register}users`, `POST /users` at the root: 201. `register` itself validates the fields, after renaming the
 * fields with older names.
 */
export const register = serviceMethod({
  id: 'auth.register',
  summary: 'Create an account',
  params: Type.Object({}),
  result: Type.Object({ username: Type.String(), apiEndpoint: Type.String() }),
  allow: anyone,
  auditActor: 'public',
  facts: ({ apiEndpoint, username }: Registered) => {
    const token = new URL(apiEndpoint).username
    return { signedIn: { token, username, publicResult: { username } } }
  },
  run: async (call, params) => await registerAccount(call, params)
})
