/** The order in which waiting imports are worked on: accounts take turns. */
import t from 'tap'
import { ImportQueue } from '../../../core/imports/queue.js'
import { newStanding, type Account } from '../../../storage/platform/account.js'

const accounts: readonly Account[] = ['alice', 'bob', 'carol'].map(username => ({
  id: `id-of-${username}`,
  username,
  state: 'active',
  created: 0,
  ...newStanding
}))
const [alice, bob, carol] = accounts as [Account, Account, Account]
const noneIsBusy = (): boolean => false

t.test('an account with many imports does not hold up the others', async t => {
  const queue = new ImportQueue()
  for (let at = 0; at < 10; at++) queue.add({ account: alice, id: `a${at}` })
  queue.add({ account: bob, id: 'b0' })
  queue.add({ account: bob, id: 'b1' })
  const taken: (string | undefined)[] = []
  for (let at = 0; at < 4; at++) taken.push(queue.takeNext(noneIsBusy)?.id)
  queue.add({ account: carol, id: 'c0' })
  for (let at = 0; at < 3; at++) taken.push(queue.takeNext(noneIsBusy)?.id)
  t.same(taken, ['a0', 'b0', 'a1', 'b1', 'a2', 'c0', 'a3'])
})

t.test('an account that is busy keeps its turn', async t => {
  const queue = new ImportQueue()
  queue.add({ account: alice, id: 'a0' })
  queue.add({ account: bob, id: 'b0' })
  const isAlice = (id: string): boolean => id === alice.id
  t.equal(queue.takeNext(isAlice)?.id, 'b0')
  t.equal(queue.takeNext(isAlice), undefined)
  queue.add({ account: bob, id: 'b1' })
  t.equal(queue.takeNext(noneIsBusy)?.id, 'a0')
})

t.test('an account whose import has ended waits for those that came meanwhile', async t => {
  const queue = new ImportQueue()
  queue.add({ account: alice, id: 'a0' })
  queue.add({ account: alice, id: 'a1' })
  t.equal(queue.takeNext(noneIsBusy)?.id, 'a0')
  queue.add({ account: bob, id: 'b0' })
  queue.endTurn(alice.id)
  t.equal(queue.takeNext(noneIsBusy)?.id, 'b0')
  t.equal(queue.takeNext(noneIsBusy)?.id, 'a1')
})

t.test('what is removed is not worked on', async t => {
  const queue = new ImportQueue()
  for (const id of ['a0', 'a1']) queue.add({ account: alice, id })
  queue.remove({ account: alice, id: 'a0' })
  queue.remove({ account: bob, id: 'b0' })
  t.notOk(queue.has('a0'))
  t.same(
    queue.list().map(({ id }) => id),
    ['a1']
  )
  queue.remove({ account: alice, id: 'a1' })
  t.notOk(queue.hasAccount(alice.id))
  t.equal(queue.takeNext(noneIsBusy), undefined)
})
