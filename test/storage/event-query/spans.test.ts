/** Duration classes. */
import t from 'tap'
import {
  getEarliestStart,
  runningClass,
  getDurationClass,
  getPeriodEnd
} from '../../../storage/event-query/spans.js'

t.test('getDurationClass', t => {
  const cases: [number | null | undefined, number | undefined][] = [
    [undefined, undefined],
    [0, undefined],
    [null, runningClass],
    [5e-324, 0],
    [1, 0],
    [1.1, 1],
    [2, 1],
    [3600, 12],
    [Number.MAX_VALUE, 1024]
  ]
  for (const [duration, span] of cases) t.equal(getDurationClass(duration), span, String(duration))
  t.end()
})

t.test('getEarliestStart never misses a period that reaches the time', t => {
  for (const time of [0, 1, 1.7e9, 1.7e9 + 0.1, -1e12, 1e300])
    for (const duration of [1e-9, 1, 2, 2.0000000000000004, 3, 4.1, 1e5, 1e300]) {
      const began = time - duration
      const until = getPeriodEnd(began, duration)!
      if (until >= time)
        t.ok(getEarliestStart(getDurationClass(duration)!, time) <= began, `${time} ${duration}`)
    }
  t.equal(getEarliestStart(runningClass, 5), -Infinity)
  t.end()
})

t.test('getPeriodEnd is finite unless the event is ongoing', t => {
  t.equal(getPeriodEnd(1.7e308, 1.7e308), Number.MAX_VALUE)
  t.equal(getPeriodEnd(0, null), Infinity)
  t.equal(getPeriodEnd(0, 0), undefined)
  t.end()
})
