/** Positions in the order of events. */
import t from 'tap'
import {
  isBefore,
  nextDouble,
  getRemainder,
  getRemainderFrom
} from '../../../storage/event-query/position.js'

t.test('nextDouble returns the adjacent double', t => {
  for (const value of [0, -0, 1, -1, 0.1, 1.7e9, 1.7e308, -1.7e308, 5e-324, -5e-324]) {
    const up = nextDouble(value, 'ASC')
    const down = nextDouble(value, 'DESC')
    t.ok(up > value && down < value, `${value}`)
    t.equal(nextDouble(up, 'DESC'), value + 0)
    t.equal(nextDouble(down, 'ASC'), value + 0)
  }
  t.equal(nextDouble(Number.MAX_VALUE, 'ASC'), Infinity)
  t.equal(nextDouble(Infinity, 'ASC'), Infinity)
  t.equal(nextDouble(-Infinity, 'DESC'), -Infinity)
  t.end()
})

t.test('getRemainder continues after a key', t => {
  const key = { time: 5, number: 3 }
  t.same(getRemainder({ start: 0, end: 9 }, key, 'ASC'), [
    { start: 5, end: 5, after: 3 },
    { start: nextDouble(5, 'ASC'), end: 9 }
  ])
  t.same(getRemainder({ start: 9, end: 5 }, key, 'DESC'), [{ start: 5, end: 5, after: 3 }])
  t.same(getRemainder({ start: 5, end: 5, after: 1 }, key, 'DESC'), [{ start: 5, end: 5, after: 3 }])
  t.end()
})

t.test('getRemainderFrom keeps ranges that are ahead, and drops those that are behind', t => {
  const ahead = { start: 10, end: 20 }
  t.same(getRemainderFrom(ahead, undefined, 'ASC'), [ahead])
  t.same(getRemainderFrom(ahead, { time: 5, number: 1 }, 'ASC'), [ahead])
  t.same(getRemainderFrom(ahead, { time: 25, number: 1 }, 'ASC'), [])
  t.same(getRemainderFrom({ start: 20, end: 10 }, { time: 5, number: 1 }, 'DESC'), [])
  t.end()
})

t.test('isBefore compares times, then numbers', t => {
  t.ok(isBefore({ time: 1, number: 9 }, { time: 2, number: 1 }, 'ASC'))
  t.ok(isBefore({ time: 1, number: 9 }, { time: 1, number: 8 }, 'DESC'))
  t.notOk(isBefore({ time: 1, number: 9 }, { time: 1, number: 9 }, 'ASC'))
  t.end()
})
