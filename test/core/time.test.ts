import { mock } from 'node:test'
import t from 'tap'
import { ManualClock, systemClock } from '../../core/time.js'

t.test('timers of the system clock', async t => {
  t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 }))
  t.afterEach(() => mock.timers.reset())

  t.test('run soon after the clock was set forward, or the machine has slept', async t => {
    let runs = 0
    systemClock.after(7200, () => runs++)
    mock.timers.tick(60_000)
    t.equal(runs, 0)
    mock.timers.setTime(Date.now() + 7200_000)
    mock.timers.tick(60_000)
    t.equal(runs, 1)
    mock.timers.tick(600_000)
    t.equal(runs, 1, 'once')
  })

  t.test('run at their time, also after months, unless they are cancelled', async t => {
    let runs = 0
    const days = 100 * 86_400
    systemClock.after(days, () => runs++)
    systemClock.after(days, () => (runs += 100))()
    const cancel = systemClock.after(days, () => (runs += 100))
    mock.timers.tick((days - 1) * 1000)
    t.equal(runs, 0)
    cancel()
    mock.timers.tick(2000)
    t.equal(runs, 1)
  })
})

t.test('clocks tell that they were set back, except for corrections', t => {
  let [ms, runs] = [1_800_000_000_000, 0]
  mock.timers.enable({ apis: ['setInterval'] })
  mock.method(Date, 'now', () => ms)
  t.teardown(() => {
    mock.timers.reset()
    mock.restoreAll()
  })
  const cancel = systemClock.onSetBack(() => runs++)
  const set = (seconds: number): void => {
    ms += 60_000 + seconds * 1000
    mock.timers.tick(60_000)
  }
  for (const seconds of [-120, 7200]) set(seconds)
  t.equal(runs, 0)
  set(-7200)
  t.equal(runs, 1)
  set(60)
  t.equal(runs, 1, 'once')
  cancel()
  set(-7200)
  t.equal(runs, 1)
  const clock = new ManualClock()
  clock.onSetBack(() => runs++)
  clock.advance(-60)
  t.equal(runs, 1)
  clock.advance(-61)
  t.equal(runs, 2)
  t.end()
})

t.test('a timer runs in a later turn, and once', async t => {
  let runs = 0
  // Timers of the clock keep no process alive.
  const keeping = setInterval(() => {}, 1000)
  systemClock.after(-1, () => runs++)
  t.equal(runs, 0)
  await new Promise<void>(resolve => systemClock.after(0.02, resolve))
  clearInterval(keeping)
  t.equal(runs, 1)
})
