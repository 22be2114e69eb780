/** `system.getUsers`: the accounts, page by page, as operators see them. (docs/spec/administration.md#people) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { type ServiceCall } from '../../call/method.js'
import { listPersons, Person } from '../../platform/person.js'
import type { Account } from '../../../storage/platform/account.js'

const pageSize = 25

/**
 * `GET /system/users?search=&after=&limit=`, by name. `search`: a part of the name, or a whole email address. `next`: the
 * `after` of the next page, if there is one.
 */
export const getUsers = operatorMethod({
  id: 'system.getUsers',
  summary: 'List users and their usage',
  params: Type.Object(
    {
      search: Type.Optional(Type.String({ maxLength: 300 })),
      after: Type.Optional(Type.String({ maxLength: 100 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))
    },
    closed
  ),
  result: Type.Object({ users: Type.Array(Person), next: Type.Optional(Type.String()) }),
  async run(call, { after = '', limit = pageSize, search = '' }) {
    const query = search.trim().toLowerCase()
    const found = query.includes('@')
      ? findByAddress(call, search.trim())
      : call.services.platform.accountStatuses.search(query, after, limit + 1)
    const page = found.slice(0, limit)
    const users = await listPersons(call, page)
    return found.length > limit ? { users, next: page.at(-1)!.username } : { users }
  }
})

function findByAddress({ services }: ServiceCall, email: string): Account[] {
  const account = services.platform.findByUnique('email', email)
  return account?.state === 'active' ? [account] : []
}
