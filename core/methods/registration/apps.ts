/** `registration.apps`: the apps that the platform presents. (docs/spec/registration.md#apps) */
import { Type } from 'typebox'
import { App } from '../../../schemas/app.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'

/** `GET {register}apps`. */
export const apps = serviceMethod({
  id: 'registration.apps',
  summary: 'List apps',
  params: Type.Object({}),
  result: Type.Object({ apps: Type.Array(App) }),
  allow: anyone,
  run: ({ services }) => ({
    apps: services.config.access.apps.map(({ oauth: _oauth, ...app }) => app)
  })
})
