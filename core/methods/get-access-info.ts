/** Tells an access about itself. (service.md, Service and general; supplement 14.1, 26) */
import { Type } from 'typebox'
import { PublicAccess, publicAccess } from '../access-view.js'
import { anyAccess } from '../allow.js'
import { fail } from '../errors.js'
import { method } from '../method.js'

/** The access, how often it called what, and whose account it opens. */
export const getAccessInfo = method({
  id: 'getAccessInfo',
  params: Type.Object({}),
  result: Type.Object({
    ...PublicAccess.properties,
    calls: Type.Record(Type.String(), Type.Integer()),
    user: Type.Object({ username: Type.String() })
  }),
  mode: 'read',
  allow: anyAccess,
  run(call) {
    const access = call.caller.access ?? fail('invalid-access-token')
    return {
      ...publicAccess(call, access),
      calls: call.store.usage.calls(access.id),
      user: { username: call.account.username }
    }
  }
})
