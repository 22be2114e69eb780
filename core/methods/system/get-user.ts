/** `system.getUser`: one account, as operators see it. (docs/spec/administration.md#people) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireAccount } from '../../platform/find-account.js'
import { Person, toPerson } from '../../platform/person.js'

/** `GET /system/users/{username}`. */
export const getUser = operatorMethod({
  id: 'system.getUser',
  summary: 'Get the usage of a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({ user: Person }),
  run: (call, { username }) => ({ user: toPerson(call, requireAccount(call.services, username)) })
})
