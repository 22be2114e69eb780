/** The order in which a fair queue takes items: accounts take turns, and so do the accesses within an account. */
import t from 'tap'
import { FairQueue, type Party } from '../../storage/scheduler.js'

const party = (account: string, access = ''): Party => ({ account, access })
const [alice, bob, carol] = [party('alice'), party('bob'), party('carol')]
const isNotAlice = (account: string): boolean => account !== 'alice'

t.test('an account with many items does not hold up the others', async t => {
  const queue = new FairQueue<string>()
  for (let at = 0; at < 10; at++) queue.add(alice, `a${at}`)
  queue.add(bob, 'b0')
  queue.add(bob, 'b1')
  const taken: (string | undefined)[] = []
  for (let at = 0; at < 4; at++) taken.push(queue.take()?.item)
  queue.add(carol, 'c0')
  for (let at = 0; at < 3; at++) taken.push(queue.take()?.item)
  t.same(taken, ['a0', 'b0', 'a1', 'b1', 'a2', 'c0', 'a3'])
})

t.test('an access with many items does not hold up the others of its account', async t => {
  const queue = new FairQueue<string>()
  for (let at = 0; at < 3; at++) queue.add(party('alice', 'app'), `app${at}`)
  queue.add(alice, 'own')
  queue.addFirst(party('alice', 'app'), 'again')
  t.equal(queue.countItems('alice'), 5)
  t.equal(queue.countItems('alice', 'app'), 4)
  t.equal(queue.countItems('alice', 'other'), 0)
  const taken = Array.from({ length: 5 }, () => queue.take()?.item)
  t.same(taken, ['again', 'own', 'app0', 'app1', 'app2'])
  t.equal(queue.size, 0)
})

t.test('an account whose items may not be taken keeps its turn', async t => {
  const queue = new FairQueue<string>()
  queue.add(alice, 'a0')
  queue.add(bob, 'b0')
  t.equal(queue.take(isNotAlice)?.item, 'b0')
  t.equal(queue.take(isNotAlice), undefined)
  queue.add(bob, 'b1')
  t.equal(queue.take()?.item, 'a0')
})

t.test('an account that is moved to the end waits for later arrivals', async t => {
  const queue = new FairQueue<string>()
  queue.add(alice, 'a0')
  queue.add(alice, 'a1')
  t.equal(queue.take()?.item, 'a0')
  queue.add(bob, 'b0')
  queue.moveToEnd('alice')
  queue.moveToEnd('carol')
  t.equal(queue.take()?.item, 'b0')
  t.equal(queue.take()?.item, 'a1')
})

t.test('removed items are not taken', async t => {
  const queue = new FairQueue<string>()
  for (const item of ['a0', 'a1']) queue.add(alice, item)
  queue.remove(item => item === 'a0')
  queue.remove(item => item === 'b0')
  t.same([...queue], ['a1'])
  queue.remove(item => item === 'a1')
  t.equal(queue.countItems('alice'), 0)
  t.equal(queue.size, 0)
  t.equal(queue.take(), undefined)
})
