/** `system.getGrowth`: how the service has grown. (docs/spec/administration.md#growth) */
import { Type } from 'typebox'
import { closed, Timestamp } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'

const daySeconds = 86_400

const NumberOrNull = Type.Union([Type.Integer(), Type.Null()])

/** One day in UTC. A figure that was not measured on that day is `null`. */
const Day = Type.Object({
  /** The beginning of the day. */
  time: Timestamp,
  accounts: NumberOrNull,
  /** Bytes of databases of accounts, of their attachments, of their previews, and of everything else. */
  documents: NumberOrNull,
  attachments: NumberOrNull,
  previews: NumberOrNull,
  others: NumberOrNull,
  /** Events added since they were counted before, about a day earlier. */
  events: Type.Integer()
})

/** `GET /system/growth`, oldest day first. The last day may not be over. */
export const getGrowth = operatorMethod({
  id: 'system.getGrowth',
  summary: 'Get the growth of the service',
  params: Type.Object({}, closed),
  result: Type.Object({ growth: Type.Array(Day) }),
  run({ now, services: { platform } }) {
    const { accounts } = platform.accountStatuses.counts()
    const today = Math.floor(now / daySeconds)
    const growth = platform.growth.list().map(({ day, ...rest }) => ({
      time: day * daySeconds,
      ...rest,
      // The day began before the first accounts were created, and has not ended.
      ...(day === today && rest.accounts !== null && { accounts })
    }))
    return { growth }
  }
})
