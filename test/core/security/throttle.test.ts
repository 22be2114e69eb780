/** Throttling of guesses and registrations, with a manual clock. */
import t from 'tap'
import type { ApiError } from '../../../core/errors.js'
import { createThrottle, type Guess, type Throttle } from '../../../core/security/throttle.js'
import { ManualClock } from '../../../core/time.js'
import { testConfig } from '../../support/coffer.js'
import { measureHeap } from '../../support/heap.js'

const config = testConfig('/nowhere', {
  throttle: { failures: 3, window: 60, perAddress: 10, perAccount: 20, invalidTokens: 4 },
  registration: { maxPerHour: 2 },
  access: { maxRequestsPerHour: 3 }
})

function start() {
  const clock = new ManualClock()
  const throttle = createThrottle(config, clock)
  const guess: Guess = { subject: 'login:alice', ip: '192.0.2.1' }
  const fail = (times: number, more: Partial<Guess> = {}) => {
    for (let count = 0; count < times; count++) throttle.failed({ ...guess, ...more })
  }
  const wait = (more: Partial<Guess> = {}): number => retryAfter(() => throttle.check({ ...guess, ...more }))
  return { clock, throttle, guess, fail, wait }
}

/** Returns the seconds after which to retry a refused attempt; 0 if it is allowed. */
function retryAfter(attempt: () => void): number {
  try {
    attempt()
    return 0
  } catch (error) {
    t.match(error, { id: 'too-many-requests', status: 429 })
    return (error as ApiError).details.retryAfter ?? Number.NaN
  }
}

t.test('a guess', async t => {
  t.test('is not delayed by a few failures', async t => {
    const { fail, wait } = start()
    fail(2)
    t.equal(wait(), 0)
    fail(1)
    t.equal(wait(), 2)
  })

  t.test('is delayed twice as long after each further failure, up to the window', async t => {
    const { clock, fail, wait } = start()
    fail(3)
    const waits = []
    for (let count = 0; count < 7; count++) {
      waits.push(wait())
      clock.advance(wait())
      t.equal(wait(), 0, 'one attempt is let through')
      fail(1)
    }
    t.same(waits, [2, 4, 8, 16, 32, 60, 60])
  })

  t.test('is not delayed until a time of a clock that was ahead', async t => {
    const { clock, fail, throttle, wait } = start()
    clock.advance(1e8)
    fail(9)
    const register = (): number => retryAfter(() => throttle.register('192.0.2.1'))
    for (let count = 0; count < 2; count++) register()
    clock.advance(-1e8)
    t.equal(wait(), 0)
    fail(1)
    t.equal(wait(), 60, 'its failures still count')
    t.same([register(), register(), register()], [0, 0, 3600])
  })

  t.test('is not delayed once its failures have expired', async t => {
    const { clock, fail, wait } = start()
    fail(3)
    clock.advance(63)
    fail(2)
    t.equal(wait(), 0)
  })

  t.test('is not delayed after a success for the same subject from the same address', async t => {
    const { throttle, guess, fail, wait } = start()
    fail(3)
    throttle.succeeded(guess)
    t.equal(wait(), 0)
    fail(2)
    t.equal(wait(), 0)
  })

  t.test('is delayed neither from other addresses nor for other subjects', async t => {
    const { fail, wait } = start()
    fail(5)
    t.equal(wait({ ip: '192.0.2.2' }), 0)
    t.equal(wait({ subject: 'login:robert' }), 0)
  })

  t.test('is delayed for any subject once an address has failed too often, even after a success', async t => {
    const { throttle, fail, wait } = start()
    for (let count = 0; count < 9; count++) fail(1, { subject: `login:user${count}` })
    throttle.succeeded({ subject: 'login:mine', ip: '192.0.2.1' })
    t.equal(wait({ subject: 'login:other' }), 0)
    fail(1, { subject: 'login:user10' })
    t.equal(wait({ subject: 'login:other' }), 2)
    t.equal(wait({ subject: 'login:other', ip: '192.0.2.2' }), 0)
  })

  t.test(
    'is delayed a minute at most by failures from elsewhere, and not at all at a known address',
    async t => {
      const { clock, throttle, guess, wait } = start()
      throttle.succeeded({ ...guess, ip: '203.0.113.1' })
      for (let count = 0; count < 19; count++) throttle.failed({ ...guess, ...elsewhere(count) })
      t.equal(wait(elsewhere(1000)), 0)
      throttle.failed({ ...guess, ...elsewhere(19) })
      t.equal(wait(elsewhere(1000)), 2)
      for (let count = 20; count < 300; count++) throttle.failed({ ...guess, ...elsewhere(count) })
      t.equal(wait(elsewhere(1000)), 60)
      t.equal(wait({ ip: '203.0.113.1' }), 0, 'where the password was known')
      t.equal(wait({ subject: 'login:robert', ...elsewhere(1000) }), 0)
      clock.advance(60)
      t.equal(wait(elsewhere(1000)), 0)
      throttle.failed({ ...guess, ...elsewhere(300) })
      throttle.forget('alice')
      t.equal(wait(elsewhere(1000)), 0)
    }
  )

  t.test('that concerns no account is not delayed by failures from elsewhere', async t => {
    const { fail, wait } = start()
    for (let count = 0; count < 50; count++) fail(1, { subject: 'invitation', ip: `198.51.100.${count}` })
    t.equal(wait({ subject: 'invitation', ip: '192.0.2.9' }), 0)
  })

  const same = [
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['not an address', 'nor is this', false]
  ] as const
  for (const [one, other, isSame] of same)
    t.test(`is counted ${isSame ? 'alike' : 'apart'} at ${one} and ${other}`, async t => {
      const { fail, wait } = start()
      fail(3, { ip: one })
      t.equal(wait({ ip: other }) > 0, isSame)
    })
})

t.test('registrations', async t => {
  t.test('from one address are refused above the limit, until an hour has passed', async t => {
    const { clock, throttle } = start()
    throttle.register('192.0.2.1')
    clock.advance(600)
    throttle.register('192.0.2.1')
    t.equal(
      retryAfter(() => throttle.register('192.0.2.1')),
      3000
    )
    throttle.register('192.0.2.2')
    clock.advance(3000)
    throttle.register('192.0.2.1')
  })

  t.test('that fail are not counted', async t => {
    const { throttle } = start()
    for (let count = 0; count < 5; count++) throttle.register('192.0.2.1')()
    t.pass()
  })

  t.test('from loopback are not limited', async t => {
    const { throttle } = start()
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.5.5.5'])
      for (let count = 0; count < 5; count++) throttle.register(ip)
    t.pass()
  })
})

t.test('access requests from one address have their own limit', async t => {
  const { clock, throttle } = start()
  const ask = (ip = '192.0.2.1'): number => retryAfter(() => throttle.ask(ip))
  throttle.register('192.0.2.1')
  t.same([ask(), ask(), ask(), ask()], [0, 0, 0, 3600])
  t.equal(ask('192.0.2.2'), 0)
  for (let count = 0; count < 9; count++) t.equal(ask('127.0.0.1'), 0)
  clock.advance(3600)
  t.equal(ask(), 0)
})

t.test('invalid tokens and keys', async t => {
  t.test('delay further ones from their address, with growing delays', async t => {
    const { clock, throttle } = start()
    t.same(
      Array.from({ length: 6 }, () => stray(throttle)),
      [0, 0, 0, 0, 2, 2]
    )
    clock.advance(2)
    t.same([stray(throttle), stray(throttle)], [0, 4])
    t.equal(stray(throttle, '192.0.2.2'), 0)
    clock.advance(64)
    t.equal(stray(throttle), 0, 'until they are long past')
  })

  t.test('neither block signing in nor are blocked by it', async t => {
    const { fail, throttle, wait } = start()
    for (let count = 0; count < 50; count++) stray(throttle)
    t.equal(wait(), 0)
    fail(30, { ip: '192.0.2.3' })
    t.equal(stray(throttle, '192.0.2.3'), 0)
  })
})

t.test('the admin key', async t => {
  t.test('delays its address after several wrong ones, a minute at most, and no other address', async t => {
    const { clock, use, wrong } = startKeys()
    t.same(wrong(5), [0, 0, 0, 0, 2])
    t.equal(use(true), 2, 'the right one too: otherwise waiting would keep nobody from guessing')
    t.equal(use(true, '192.0.2.2'), 0)
    const waits = []
    for (let count = 0; count < 6; count++) {
      clock.advance(use(false))
      use(false)
      waits.push(use(false))
    }
    t.same(waits, [4, 8, 16, 32, 60, 60])
    clock.advance(60)
    t.equal(use(true), 0)
    t.same(wrong(5), [0, 0, 0, 0, 2], 'and is forgiven once it was right')
  })

  t.test('is independent of passwords and tokens', async t => {
    const { throttle, use, wrong } = startKeys()
    for (let count = 0; count < 50; count++) {
      throttle.failed({ subject: 'login:alice', ip: '192.0.2.1' })
      stray(throttle)
    }
    t.equal(use(true), 0)
    wrong(10)
    t.equal(stray(throttle, '192.0.2.3'), 0)
    t.equal(
      retryAfter(() => throttle.check({ subject: 'login:robert', ip: '192.0.2.4' })),
      0
    )
  })
})

/** Like {@link start}, for uses of the admin key: returns functions that return the seconds to wait. */
function startKeys() {
  const { clock, throttle } = start()
  const use = (isRight: boolean, ip = '192.0.2.1') => retryAfter(() => throttle.operator(ip, isRight))
  return { clock, throttle, use, wrong: (times: number) => Array.from({ length: times }, () => use(false)) }
}

/** Returns the seconds to wait before another invalid token. */
function stray(throttle: Throttle, ip = '192.0.2.1'): number {
  return retryAfter(() => throttle.unknownToken(ip))
}

/** Returns one of many addresses. */
function elsewhere(count: number): { ip: string } {
  return { ip: `198.51.${count >> 8}.${count & 255}` }
}

t.test('the throttle stores only digests of subjects', async t => {
  const { throttle, guess } = start()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 300; count++)
    throttle.failed({
      ...guess,
      ip: `198.51.100.${count % 250}`,
      subject: `ask:${count}${'x'.repeat(500_000)}`
    })
  const megabytes = (measureHeap() - before) / 1024 ** 2
  t.ok(megabytes < 60, `${megabytes.toFixed()} MB`)
})
