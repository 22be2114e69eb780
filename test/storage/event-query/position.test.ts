/** Places in the order of events. */
import t from 'tap'
import { isBefore, next, rest, restFrom } from '../../../storage/event-query/position.js'

t.test('next is the neighbour among doubles', t => {
  for (const value of [0, -0, 1, -1, 0.1, 1.7e9, 1.7e308, -1.7e308, 5e-324, -5e-324]) {
    const up = next(value, 'ASC')
    const down = next(value, 'DESC')
    t.ok(up > value && down < value, `${value}`)
    t.equal(next(up, 'DESC'), value + 0)
    t.equal(next(down, 'ASC'), value + 0)
  }
  t.equal(next(Number.MAX_VALUE, 'ASC'), Infinity)
  t.equal(next(Infinity, 'ASC'), Infinity)
  t.equal(next(-Infinity, 'DESC'), -Infinity)
  t.end()
})

t.test('rest goes on after a key', t => {
  const key = { time: 5, number: 3 }
  t.same(rest({ start: 0, end: 9 }, key, 'ASC'), [
    { start: 5, end: 5, after: 3 },
    { start: next(5, 'ASC'), end: 9 }
  ])
  t.same(rest({ start: 9, end: 5 }, key, 'DESC'), [{ start: 5, end: 5, after: 3 }])
  t.same(rest({ start: 5, end: 5, after: 1 }, key, 'DESC'), [{ start: 5, end: 5, after: 3 }])
  t.end()
})

t.test('restFrom leaves alone what is still ahead, and drops what is behind', t => {
  const ahead = { start: 10, end: 20 }
  t.same(restFrom(ahead, undefined, 'ASC'), [ahead])
  t.same(restFrom(ahead, { time: 5, number: 1 }, 'ASC'), [ahead])
  t.same(restFrom(ahead, { time: 25, number: 1 }, 'ASC'), [])
  t.same(restFrom({ start: 20, end: 10 }, { time: 5, number: 1 }, 'DESC'), [])
  t.end()
})

t.test('isBefore compares times, then numbers', t => {
  t.ok(isBefore({ time: 1, number: 9 }, { time: 2, number: 1 }, 'ASC'))
  t.ok(isBefore({ time: 1, number: 9 }, { time: 1, number: 8 }, 'DESC'))
  t.notOk(isBefore({ time: 1, number: 9 }, { time: 1, number: 9 }, 'ASC'))
  t.end()
})
