import t from 'tap'
import { DerivedDataCache } from '../../../core/permissions/derived-data-cache.js'

t.test('what has been worked out makes room for what others ask for', async t => {
  const warm = new DerivedDataCache(1000)
  const cooled: string[] = []
  const derived = (name: string): { cool(): void } => ({ cool: () => void cooled.push(name) })
  const all = ['a', 'b', 'c', 'd'].map(derived)
  warm.register(all[0]!, 300)
  warm.register(all[1]!, 300)
  t.same(cooled, [])
  warm.register(all[2]!, 300)
  t.same(cooled, ['a'])
  // One that is too large for all is worked out all the same, and makes others go.
  warm.register(all[3]!, 5000)
  t.same(cooled, ['a', 'b', 'c'])
  warm.register(all[3]!, 100)
  t.same(cooled, ['a', 'b', 'c'], 'nothing cools while it begins again')
})

t.test('who begins again and again, as with each change of the streams, takes room once', async t => {
  const warm = new DerivedDataCache(1000)
  const cooled: string[] = []
  const derived = (name: string): { cool(): void } => ({ cool: () => void cooled.push(name) })
  const [other, busy, late] = ['other', 'busy', 'late'].map(derived)
  warm.register(other!, 300)
  for (let times = 0; times < 10; times++) warm.register(busy!, 300)
  t.same(cooled, [])
  warm.register(late!, 300)
  t.same(cooled, ['other'], 'that began first')
})
