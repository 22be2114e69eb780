/** `admin.getServerUsers`: the accounts of one server. (docs/spec/administration.md#users-and-servers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { adminOnly } from '../../auth/admin.js'
import { serviceMethod } from '../../call/method.js'
import { ListedUser, listUsers } from '../../platform/user-listing.js'

/** `GET /reg/admin/servers/{server}/users`, by the names that `admin.getServers` returns. */
export const getServerUsers = serviceMethod({
  id: 'admin.getServerUsers',
  summary: 'List the users of a server',
  params: Type.Object({ server: Type.String() }, closed),
  result: Type.Object({ users: Type.Array(ListedUser) }),
  mode: 'service',
  allow: adminOnly,
  auditActor: 'admin',
  run: async (call, { server }) => ({ users: await listUsers(call, server) })
})
