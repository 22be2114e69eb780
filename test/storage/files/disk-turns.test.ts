/** How many files are put on disk at a time, and whose. */
import t from 'tap'
import { DiskTurns } from '../../../storage/files/disk-turns.js'
import type { Party } from '../../../storage/scheduler.js'

const party = (account: string): Party => ({ account, access: '' })

t.test('a limited number runs at a time, and accounts take turns', async t => {
  const turns = new DiskTurns()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const run = (account: string): Promise<void> =>
    turns.run(party(account), async () => {
      begun.push(account)
      await new Promise<void>(resolve => ends.push(resolve))
    })
  const all = [...Array.from({ length: 20 }, () => run('alice')), run('bob')]
  t.equal(begun.length, 8)
  ends.shift()!()
  await all[0]
  ends.shift()!()
  await all[1]
  t.same(begun.slice(8), ['alice', 'bob'])
  while (begun.length < all.length || ends.length > 0) {
    ends.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(all)
  t.equal(begun.length, all.length)
})

t.test('work that fails leaves its turn to the next', async t => {
  const turns = new DiskTurns()
  const failures = Array.from({ length: 30 }, () =>
    turns.run(party('alice'), async () => await Promise.reject(new Error('full')))
  )
  const results = await Promise.allSettled(failures)
  t.ok(results.every(({ status }) => status === 'rejected'))
  t.equal(await turns.run(party('alice'), async () => await Promise.resolve('done')), 'done')
})
