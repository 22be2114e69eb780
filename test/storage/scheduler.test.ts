import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Scheduler, type Party } from '../../storage/scheduler.js'

/** Creates a scheduler with 10 ms per turn of the event loop, and work that takes time on a clock of the test. */
function create() {
  let nowMs = 0
  const scheduler = new Scheduler(10, () => nowMs)
  /** What ran, in order; a bar ends each turn of the event loop. */
  const log: string[] = []
  const spend = (name: string, ms: number): void => {
    log.push(name)
    nowMs += ms
  }
  return { scheduler, log, spend }
}

const party = (account: string, access = ''): Party => ({ account, access })

async function turns(log: string[], count: number): Promise<string> {
  for (let at = 0; at < count; at++) {
    await turn()
    log.push('|')
  }
  return log.join(' ')
}

t.test('Scheduler', async t => {
  t.test('runs work within its budget, turn by turn', async t => {
    const { log, scheduler, spend } = create()
    for (let n = 1; n <= 5; n++) scheduler.add(party('a'), () => spend(`a${n}`, 4))
    t.equal(await turns(log, 3), 'a1 a2 a3 | a4 a5 | |')
  })

  t.test('counts the time of all continuations of a promise', async t => {
    const { log, scheduler, spend } = create()
    const work = async (name: string): Promise<void> => {
      await scheduler.next(party('a'))
      for (let n = 0; n < 10; n++) await Promise.resolve()
      spend(name, 6)
    }
    for (const name of ['a1', 'a2', 'a3']) void work(name)
    t.equal(await turns(log, 2), 'a1 a2 | a3 |')
  })

  t.test('alternates between accounts, and between accesses within an account', async t => {
    const { log, scheduler, spend } = create()
    const add = (account: string, access: string, count: number): void => {
      for (let n = 0; n < count; n++)
        scheduler.add(party(account, access), () => spend(`${account}${access}`, 10))
    }
    add('a', 'x', 200)
    add('a', 'y', 2)
    add('b', 'x', 2)
    t.equal(await turns(log, 7), 'ax | bx | ay | bx | ax | ay | ax |')
  })

  t.test('queues work that continues behind other work', async t => {
    const { log, scheduler, spend } = create()
    const again = (name: string, ms: number): void =>
      scheduler.add(party(name), () => {
        spend(name, ms)
        if (log.length < 30) again(name, ms)
      })
    again('a', 10)
    again('b', 2)
    t.equal(await turns(log, 6), 'a | b a | b a | b a | b a | b a |')
  })

  t.test('starts work immediately while there is time', async t => {
    const { log, scheduler, spend } = create()
    const work = async (name: string): Promise<void> => {
      const waiting = scheduler.createTurns(party(name))()
      if (waiting) await waiting
      spend(name, 6)
    }
    for (const name of ['a', 'b', 'c', 'd']) void work(name)
    t.equal(log.join(' '), 'a b')
    t.equal(await turns(log, 2), 'a b c d | |')
    scheduler.add(party('f'), () => spend('f', 1))
    void work('e')
    t.equal(log.at(-1), 'e', 'others that wait for the next turn do not matter')
    t.equal(await turns(log, 2), 'a b c d | | e f | |')
  })

  t.test('continues after work that throws', async t => {
    const { log, scheduler, spend } = create()
    const failed = new Promise(resolve => process.once('uncaughtException', resolve))
    scheduler.add(party('a'), () => {
      throw new Error('no')
    })
    scheduler.add(party('b'), () => spend('b', 1))
    t.match(await failed, { message: 'no' })
    t.equal(await turns(log, 1), 'b |')
  })
})
