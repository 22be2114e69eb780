/** `system.getBreachScope`: what an access has read, and from where. (docs/spec/administration.md#breach-scope) */
import { Type } from 'typebox'
import { closed, Identifier, Timestamp } from '../../../schemas/scalars.js'
import { AccountElsewhere } from '../../../storage/errors.js'
import { runInTurns } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { BreachScope, computeBreachScope } from '../../audit/breach-scope.js'
import { operatorMethod } from '../../auth/admin.js'
import { byteOrderMark, formatLine } from '../../exports/csv.js'
import {
  OwnedAccess,
  parseAccessId,
  readStoredAccess,
  refuseUnknownAccess,
  requireKeptAccount
} from '../../platform/find-access.js'

/**
 * `GET /system/users/{username}/accesses/{id}/breach-scope?since=&until=`; with `format=csv` also as a table.
 * Throws `unknown-resource` if the account never had the access.
 */
export const getBreachScope = operatorMethod({
  id: 'system.getBreachScope',
  summary: 'List what an access of a user has read',
  params: Type.Object(
    {
      username: Type.String(),
      id: Identifier,
      since: Type.Optional(Timestamp),
      until: Type.Optional(Timestamp),
      format: Type.Optional(Type.Enum(['json', 'csv']))
    },
    closed
  ),
  result: Type.Object({
    ...OwnedAccess.properties,
    breachScope: BreachScope,
    csv: Type.Optional(Type.String())
  }),
  describeAction: ({ id }) => ({ access: id }),
  async run({ services }, { format, id, since, until, username }) {
    const { accounts } = services
    const account = requireKeptAccount(services, username)
    if (!accounts.owns(account)) throw new AccountElsewhere(account.username)
    await accounts.waitUntilReady(account)
    const base = parseAccessId(id)
    const getStore = (): UserStore => accounts.openStore(account)
    const owned = readStoredAccess(getStore(), account, base) ?? refuseUnknownAccess(id)
    const breachScope = await runInTurns(computeBreachScope(getStore, base, { since, until }))
    return { ...owned, breachScope, ...(format === 'csv' && { csv: toCsv(breachScope) }) }
  }
})

const columns = [
  'stream',
  'name',
  'kinds',
  'calls',
  'items',
  'data from',
  'data to',
  'first call',
  'last call',
  'addresses'
]

/** Formats a table with one line for each stream, safe to open in a spreadsheet. */
function toCsv({ streams }: BreachScope): string {
  const lines = streams.map(
    ({ addresses, calls, first, fromTime, id, kinds, last, name, recordCount, toTime }) =>
      formatLine([
        id,
        name ?? '',
        kinds.join(' '),
        calls,
        recordCount,
        formatTime(fromTime),
        formatTime(toTime),
        formatTime(first),
        formatTime(last),
        addresses.join(' ')
      ])
  )
  return byteOrderMark + formatLine(columns) + lines.join('')
}

/** Formats a time in seconds; empty if there is none, or if it is beyond the times that can be written. */
function formatTime(time: number | null): string {
  const date = new Date((time ?? NaN) * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
