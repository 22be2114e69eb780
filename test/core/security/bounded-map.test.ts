/** What a bounded map keeps. */
import t from 'tap'
import { BoundedMap } from '../../../core/security/bounded-map.js'

t.test('a bounded map', async t => {
  t.test('drops the entry that was least recently used', async t => {
    const map = new BoundedMap<string, number>(3)
    for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value)
    map.get('a')
    map.set('d', 3)
    t.same(
      ['a', 'b', 'c', 'd'].map(key => map.get(key)),
      [0, undefined, 2, 3]
    )
  })

  t.test('keeps one value per key', async t => {
    const map = new BoundedMap<string, number>(2)
    for (const value of [1, 2, 3]) map.set('a', value)
    map.set('b', 1)
    t.equal(map.get('a'), 3)
    map.delete('a')
    t.equal(map.get('a'), undefined)
    t.equal(map.get('b'), 1)
  })
})
