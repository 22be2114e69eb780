/** Copies of many streams in an account with many accesses, as a doctor has: each is read once, not once for each stream. */
import t from 'tap'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { follow, reaches, root, startWorld } from './world.js'

t.setTimeout(300_000)

const [streams, accesses] = [400, 1000]

/** Returns calls of a batch. */
function list(method: string, from: number, toParams: (number: number) => object): object[] {
  return Array.from({ length: 100 }, (_, at) => ({ method, params: toParams(from + at) }))
}

const toStream = (number: number) => ({ id: `s${number}`, name: `s${number}`, parentId: 'health' })
const permissions = [{ streamId: '*', level: 'read' }]
const toAccess = (number: number) => ({ name: `app ${number}`, type: 'app', permissions })

t.test('copies of many streams', async t => {
  const world = await startWorld(t, { workers: 0 })
  const { dora, paul } = world
  for (let from = 0; from < streams; from += 100)
    await paul.do('callBatch', list('streams.create', from, toStream))
  for (let from = 0; from < accesses; from += 100)
    await dora.do('callBatch', list('accesses.create', from, toAccess))
  await follow(world)
  await assertTakesLessThan(t, 800, async () => {
    const { mirrors } = await dora.do('mirrors.get')
    const { id } = mirrors.find(({ state }: { state: string }) => state === 'live')
    const elapsed = stopwatch()
    await dora.do('mirrors.delete', { id })
    await reaches(world, id, ({ state }) => state === 'erased')
    await follow(world)
    return elapsed()
  })
  const { streams: shared } = await dora.do('streams.get', { parentId: root })
  t.equal(shared.length, 2)
  t.equal(shared.find(({ id }: { id: string }) => id === `${root}:health`).children.length, streams)
})
