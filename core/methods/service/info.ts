/**
 * `service.info`: service information, for clients that know only one URL of the service.
 * (docs/spec/service-information.md#reading-the-service-information)
 */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { ServiceInfo, serviceInfo } from '../../service-info.js'

/** Returns the service information, whose members are the body itself. */
export const info = serviceMethod({
  id: 'service.info',
  summary: 'Get the service information',
  params: Type.Object({}),
  result: ServiceInfo,
  allow: anyone,
  isConstant: true,
  run: ({ services }) => serviceInfo(services.config)
})
