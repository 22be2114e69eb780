/** `system.getOperator`: whether a user operates the service. (docs/spec/administration.md#operators) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { authenticateOperator } from '../../auth/operators.js'
import { serviceMethod } from '../../call/method.js'

/**
 * `GET /system/operators/{username}`, with a personal token of that account. For other callers the route does not seem
 * to exist.
 */
export const getOperator = serviceMethod({
  id: 'system.getOperator',
  summary: 'Check whether the user is an operator',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ operator: Type.Object({ username: Type.String() }) }),
  allow: anyone,
  run: async (call, params) => {
    const { username } = await authenticateOperator(call, params.username.toLowerCase())
    return { operator: { username } }
  }
})
