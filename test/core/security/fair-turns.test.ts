import t from 'tap'
import type { Party } from '../../../storage/scheduler.js'
import { FairScheduler } from '../../../core/security/fair-scheduler.js'

const party = (account: string, access = ''): Party => ({ account, access })

t.test('FairScheduler', async t => {
  t.test('serves each key in turn, however much work others have', async t => {
    const turns = new FairScheduler(2)
    const order: string[] = []
    let running = 0
    const busy = new Set<string>()
    const work = (key: string, n: number): Promise<void> =>
      turns.run(party(key), async () => {
        t.ok(++running <= 2 && !busy.has(key), `${key}${n} runs with one other, of another key`)
        busy.add(key)
        order.push(`${key}${n}`)
        await new Promise(setImmediate)
        busy.delete(key)
        running--
      })
    const all = [0, 1, 2, 3].map(n => work('a', n))
    await Promise.all([...all, ...[0, 1].map(n => work('b', n)), work('c', 0)])
    t.equal(order.length, 7)
    t.ok(order.indexOf('c0') < order.indexOf('a2'), order.join())
    t.ok(order.indexOf('b1') < order.indexOf('a3'), order.join())
  })

  t.test('serves the accesses of an account in turn', async t => {
    const turns = new FairScheduler(1)
    const order: string[] = []
    const run = (access: string): Promise<number> =>
      turns.run(party('a', access), async () => await Promise.resolve(order.push(access)))
    await Promise.all(['x', 'x', 'x', 'x', 'y'].map(run))
    t.same(order, ['x', 'x', 'y', 'x', 'x'])
  })

  t.test('continues after work that fails', async t => {
    const turns = new FairScheduler(1)
    const failed = turns.run(party('a'), () => Promise.reject(new Error('no')))
    const next = turns.run(party('a'), () => Promise.resolve('yes'))
    await t.rejects(failed, { message: 'no' })
    t.equal(await next, 'yes')
  })

  t.test('drops work that nobody waits for any more', async t => {
    const turns = new FairScheduler(1)
    const gone = new AbortController()
    let end: (() => void) | undefined
    const running = turns.run(party('a'), () => new Promise<void>(resolve => (end = resolve)), gone.signal)
    const ran: string[] = []
    const run = (name: string, signal?: AbortSignal): Promise<unknown> =>
      turns.run(party('a', name), async () => await Promise.resolve(ran.push(name)), signal)
    const waiting = run('x', gone.signal)
    const other = run('y')
    t.equal(turns.countWaiting('a'), 2)
    t.equal(turns.countWaiting('a', 'x'), 1)
    gone.abort(new Error('gone'))
    await t.rejects(waiting, { message: 'gone' })
    await t.rejects(run('z', gone.signal), { message: 'gone' })
    t.equal(turns.countWaiting('a'), 1)
    end?.()
    await Promise.all([running, other])
    t.same(ran, ['y'])
  })
})
