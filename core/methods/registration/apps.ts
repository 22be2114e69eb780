/** `registration.apps`: the apps that the platform presents. (supplement 6.1) */
import { Type } from 'typebox'
import { anyone } from '../../allow.js'
import { serviceMethod } from '../../method.js'

/** `GET {register}apps`. This platform presents none. */
export const apps = serviceMethod({
  id: 'registration.apps',
  params: Type.Object({}),
  result: Type.Object({ apps: Type.Array(Type.Unknown()) }),
  mode: 'service',
  allow: anyone,
  run: () => ({ apps: [] })
})
