import t from 'tap'
import { DerivedDataCache } from '../../../core/permissions/derived-data-cache.js'

t.test('DerivedDataCache drops the least recently registered data above its limit', async t => {
  const warm = new DerivedDataCache(1000)
  const cooled: string[] = []
  const derived = (name: string): { dropCache(): void } => ({ dropCache: () => void cooled.push(name) })
  const all = ['a', 'b', 'c', 'd'].map(derived)
  warm.register(all[0]!, 300)
  warm.register(all[1]!, 300)
  t.same(cooled, [])
  warm.register(all[2]!, 300)
  t.same(cooled, ['a'])
  // Data above the limit is kept, and everything else dropped.
  warm.register(all[3]!, 5000)
  t.same(cooled, ['a', 'b', 'c'])
  warm.register(all[3]!, 100)
  t.same(cooled, ['a', 'b', 'c'], 'nothing cools while it begins again')
})

t.test('data that is registered repeatedly, as after each change of streams, counts once', async t => {
  const warm = new DerivedDataCache(1000)
  const cooled: string[] = []
  const derived = (name: string): { dropCache(): void } => ({ dropCache: () => void cooled.push(name) })
  const [other, busy, late] = ['other', 'busy', 'late'].map(derived)
  warm.register(other!, 300)
  for (let times = 0; times < 10; times++) warm.register(busy!, 300)
  t.same(cooled, [])
  warm.register(late!, 300)
  t.same(cooled, ['other'], 'that began first')
})
