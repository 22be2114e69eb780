/** `registration.app`: one of the apps that the platform presents. (supplement 6.1) */
import { Type } from 'typebox'
import { anyone } from '../../allow.js'
import { fail } from '../../errors.js'
import { serviceMethod } from '../../method.js'

/** `GET {register}apps/{appid}`. There are none to be found; see `registration.apps`. */
export const app = serviceMethod({
  id: 'registration.app',
  params: Type.Object({ appid: Type.String() }),
  result: Type.Object({ app: Type.Unknown() }),
  mode: 'service',
  allow: anyone,
  run: (_call, { appid }) => fail('unknown-resource', `No app "${appid.slice(0, 99)}"`)
})
