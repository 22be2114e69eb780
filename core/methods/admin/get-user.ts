/** `admin.getUser`: one account, for the operator. (docs/spec/administration.md#users-and-servers) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireAccount } from '../../platform/find-account.js'
import { toListedUser, ListedUser } from '../../platform/user-listing.js'

/** `GET /reg/admin/users/{username}`. */
export const getUser = operatorMethod({
  id: 'admin.getUser',
  summary: 'Get the platform data of a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ user: ListedUser }),
  run: ({ services }, { username }) => ({ user: toListedUser(services, requireAccount(services, username)) })
})
