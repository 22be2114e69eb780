import t from 'tap'
import { FairTurns } from '../../../core/security/fair-turns.js'

t.test('FairTurns', async t => {
  t.test('gives each key its turn, however much others have to do', async t => {
    const turns = new FairTurns(2)
    const order: string[] = []
    let running = 0
    const busy = new Set<string>()
    const work = (key: string, n: number): Promise<void> =>
      turns.run(key, async () => {
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

  t.test('goes on after work that fails', async t => {
    const turns = new FairTurns(1)
    const failed = turns.run('a', () => Promise.reject(new Error('no')))
    const next = turns.run('a', () => Promise.resolve('yes'))
    await t.rejects(failed, { message: 'no' })
    t.equal(await next, 'yes')
  })
})
