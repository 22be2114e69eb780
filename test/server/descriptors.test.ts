/** The service stays within its limit of open files. */
import t from 'tap'
import { silentLog } from '../../core/log.js'
import { applyDescriptorLimit } from '../../server/descriptor-limit.js'
import { testConfig } from '../support/coffer.js'

t.test('applyDescriptorLimit', async t => {
  const settings = testConfig('unused')
  const cases: [limit: number, users: number, connections: number, warnings: number][] = [
    [Infinity, 300, 8000, 0],
    [20_000, 300, 8000, 0],
    [1024, 96, 240, 2],
    [10, 1, 2, 2]
  ]
  for (const [limit, users, connections, warnings] of cases)
    t.test(`allows ${users} users with a limit of ${limit}`, async t => {
      const told: string[] = []
      const log = { ...silentLog, warn: (message: string) => void told.push(message) }
      const fitting = applyDescriptorLimit(settings, log, limit)
      t.equal(fitting.storage.maxOpenUsers, users)
      t.equal(fitting.limits.connections, connections)
      t.equal(told.length, warnings)
    })
})
