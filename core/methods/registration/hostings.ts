/** `registration.hostings`: where accounts can be created. (docs/spec/service-information.md#hostings) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { getCoreUrl } from '../../service-info.js'
import { getOwnServerUrl } from '../../platform/find-account.js'

/** `GET {register}hostings`. A single server is one hosting, in the only zone of the only region. */
export const hostings = serviceMethod({
  id: 'registration.hostings',
  summary: 'List hostings for new accounts',
  params: Type.Object({}),
  result: Type.Object({ regions: Type.Record(Type.String(), Type.Unknown()) }),
  allow: anyone,
  run({ services }) {
    const { hosting, home, name } = services.config.service
    const url = getOwnServerUrl(services)
    const only = {
      url: home || getCoreUrl(services.config),
      name,
      description: '',
      localizedDescription: {},
      available: true,
      availableCore: url
    }
    const zone = { name, localizedName: {}, hostings: { [hosting]: only } }
    const region = { name, localizedName: {}, zones: { [hosting]: zone } }
    return { regions: { [hosting]: region } }
  }
})
