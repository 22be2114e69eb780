/** `registration.app`: one of the apps that the operator lists. (docs/spec/registration.md#apps) */
import { Type } from 'typebox'
import { App } from '../../../schemas/app.js'
import { anyone } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { serviceMethod } from '../../call/method.js'

/**
 * `GET {register}apps/{appid}`. Apps that are not listed work as well, but are unknown here:
 * `unknown-resource`.
 */
export const app = serviceMethod({
  id: 'registration.app',
  summary: 'Get an app',
  params: Type.Object({ appid: Type.String() }),
  result: Type.Object({ app: App }),
  allow: anyone,
  run({ services }, { appid }) {
    const found = services.config.access.apps.find(({ id }) => id === appid)
    const { oauth: _oauth, ...shown } = found ?? fail('unknown-resource', `No app "${appid.slice(0, 99)}"`)
    return { app: shown }
  }
})
