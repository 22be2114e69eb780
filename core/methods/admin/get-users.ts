/** `admin.getUsers`: all accounts, for the operator. (docs/spec/administration.md#users-and-servers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { ListedUser, listUsers } from '../../platform/user-listing.js'

/** `GET /reg/admin/users`, newest first. With `toHTML=true` the same as a table. */
export const getUsers = operatorMethod({
  id: 'admin.getUsers',
  summary: 'List the users of the platform',
  params: Type.Object({ toHTML: Type.Optional(Type.Boolean()) }, closed),
  result: Type.Object({ users: Type.Array(ListedUser) }),
  facts: ({ users }: { users: readonly object[] }) => ({ rows: users }),
  run: async call => ({ users: await listUsers(call) })
})
