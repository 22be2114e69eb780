import { mock } from 'node:test'
import t from 'tap'
import { systemClock } from '../../core/time.js'

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
