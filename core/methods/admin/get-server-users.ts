/** `admin.getServerUsers`: the accounts of one server. (docs/spec/administration.md#users-and-servers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { ListedUser, listUsers } from '../../platform/user-listing.js'

/** `GET /reg/admin/servers/{server}/users`, by the names that `admin.getServers` returns. */
export const getServerUsers = operatorMethod({
  id: 'admin.getServerUsers',
  summary: 'List the users of a server',
  params: Type.Object({ server: Type.String() }, closed),
  result: Type.Object({ users: Type.Array(ListedUser) }),
  run: async (call, { server }) => ({ users: await listUsers(call, server) })
})
