/** `system.getAccess`: one access and its owner, by the id of the access. (docs/spec/administration.md#accesses) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import {
  findAccess,
  OwnedAccess,
  parseAccessId,
  readAccess,
  refuseUnknownAccess,
  requireKeptAccount
} from '../../platform/find-access.js'

/**
 * `GET /system/accesses/{id}`; with `username`, only that account is searched, else all. Throws
 * `unknown-resource` if there is none.
 */
export const getAccess = operatorMethod({
  id: 'system.getAccess',
  summary: 'Find an access of any user',
  params: Type.Object({ id: Identifier, username: Type.Optional(Type.String()) }, closed),
  result: OwnedAccess,
  async run(call, { id, username }) {
    if (username === undefined) return await findAccess(call, id)
    const account = requireKeptAccount(call.services, username)
    return (await readAccess(call.services, account, parseAccessId(id))) ?? refuseUnknownAccess(id)
  }
})
