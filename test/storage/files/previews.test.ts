/** The cache of previews: its size for each account, and what it stores while the disk is full. */
import { mkdirSync } from 'node:fs'
import t, { type Test } from 'tap'
import { createId } from '../../../core/ids.js'
import { DiskReserve } from '../../../storage/files/disk-reserve.js'
import { Layout } from '../../../storage/files/layout.js'
import { PreviewCache, type PreviewKey } from '../../../storage/files/previews.js'

const account = createId()
const bytes = Buffer.alloc(300)

function createLayout(t: Test): Layout {
  const layout = new Layout(t.testdir())
  mkdirSync(layout.userDirectory(account), { recursive: true })
  return layout
}

function createKey(): PreviewKey {
  return { fileId: createId(), frame: 'box-256', modified: 1 }
}

t.test('the least recently used previews of an account are removed if it has too many bytes', async t => {
  const layout = createLayout(t)
  // An earlier process stored the first ones.
  const [former, cache] = [new PreviewCache(layout), new PreviewCache(layout, 1000)]
  const keys = Array.from({ length: 5 }, createKey)
  const find = async (): Promise<boolean[]> =>
    await Promise.all(keys.map(async key => (await cache.find(account, key)) !== undefined))
  for (const [at, key] of keys.entries()) {
    if (at === 3) await cache.touch(account, keys[0]!, 20)
    await (at < 2 ? former : cache).insert(account, key, bytes, at + 1)
    if (at === 2) t.same(await find(), [true, true, true, false, false])
  }
  t.same(await find(), [true, false, false, true, true])
})

t.test('no preview is stored while the reserve of the disk is released', async t => {
  const layout = createLayout(t)
  const [cache, reserve, key] = [new PreviewCache(layout), new DiskReserve(layout), createKey()]
  reserve.create()
  reserve.release()
  await cache.insert(account, key, bytes, 1)
  t.equal(await cache.find(account, key), undefined)
})
