/** `hfs.deletePoints`: ranges, effects on the holder event, permissions, and concurrency. */
import t, { type Test } from 'tap'
import type { Change } from '../../../../core/changes.js'
import { openCoffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import { Random } from '../../../support/random.js'
import { inRotation } from '../../../support/rotation.js'

const format = 'flatJSON'
const fields = ['deltaTime', 'value']

async function service(t: Test): Promise<Service & { alice: Client }> {
  const coffer = await openCoffer(t)
  await coffer.alice.stream('diary')
  return coffer
}

/** Creates a holder event with a point per second, some of them in the future. */
async function holder(client: Client, time: number, count: number): Promise<string> {
  const { id } = await client.event({ type: 'series:mass/kg', content: undefined, time })
  for (let start = 0; start < count; start += 100_000) {
    const points = Array.from({ length: Math.min(100_000, count - start) }, (_, i) => [
      start + i,
      (start + i) % 101
    ])
    await client.do('hfs.add', { id, format, fields, points })
  }
  return id
}

const timesOf = async (client: Client, id: string, params: object = {}): Promise<number[]> =>
  (await client.do('hfs.get', { id, toDeltaTime: 1e9, ...params })).points.map(([at]: number[]) => at)

t.test('hfs.deletePoints', async t => {
  const coffer = await service(t)
  const { alice, clock, server } = coffer
  const store = (): Answer =>
    coffer.server.services.accounts.openStore(coffer.server.services.accounts.find('alice')!)

  t.test('removes exactly what hfs.get returns for the same range', async t => {
    const seed = Number(process.env['COFFER_TEST_SEED'] ?? 7)
    const random = new Random(seed)
    for (let round = 0; round < 25; round++) {
      const id = await holder(alice, clock.now() - 3000, 1 + random.below(5000))
      for (let again = 0; again < 3; again++) {
        const from = random.below(5000) + random.pick([0, 0.5])
        const range = {
          ...(random.chance(0.8) && { fromDeltaTime: from - random.pick([0, 0, 6000]) }),
          ...(random.chance(0.8) && { toDeltaTime: from + random.below(3000) })
        }
        const all = await timesOf(alice, id)
        const shown: number[] = (await alice.do('hfs.get', { id, ...range })).points.map(
          ([at]: number[]) => at
        )
        const gone = new Set(shown)
        const left = all.filter(at => !gone.has(at))
        const what = `seed ${seed}, round ${round}: ${JSON.stringify(range)}`
        const { event, removed } = await alice.do('hfs.deletePoints', { id, ...range })
        t.equal(removed, shown.length, what)
        t.equal(event.duration ?? 0, left.at(-1) ?? 0, what)
        if (JSON.stringify(await timesOf(alice, id)) !== JSON.stringify(left))
          t.same(await timesOf(alice, id), left, what)
      }
    }
  })

  t.test('updates the holder event immediately, and publishes the change', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    await server.settle()
    const sensor = await alice.grant('contribute', 'diary')
    clock.advance(10)
    const told: Change[] = []
    const stop = server.services.bus.subscribe((_, change) => void told.push(change))
    const { event, removed } = await sensor.do('hfs.deletePoints', { id, fromDeltaTime: 20 })
    stop()
    t.match({ event, removed }, { removed: 30, event: { id, duration: 19, modifiedBy: sensor.access.id } })
    t.match(told, [{ kind: 'events', places: [[['diary']]] }])
    t.same((await alice.do('events.getOne', { id })).event, event)
    const { auditLogs } = await alice.do('audit.get', { limit: 5 })
    t.equal(auditLogs.filter(({ content }: Answer) => content.action === 'hfs.deletePoints').length, 1)
  })

  t.test('changes nothing if no point is removed', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    const { event: before } = await alice.do('hfs.deletePoints', { id, fromDeltaTime: 20 })
    clock.advance(5)
    const answer = await alice.do('hfs.deletePoints', { id, fromDeltaTime: 20 })
    t.same([answer.removed, answer.event], [0, before])
  })

  t.test('leaves an emptied series as if it had never had points', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    const used = store().storageUsed().documents
    t.match(await alice.do('hfs.deletePoints', { id, toDeltaTime: 1e9 }), { removed: 50 })
    t.match(await alice.do('hfs.get', { id, toDeltaTime: 1e9 }), { fields: [], points: [] })
    t.ok(store().storageUsed().documents < used - 200, 'what they took is given back')
    t.same(store().storageUsed(), store().recountStorageUsed())
    await alice.do('hfs.add', { id, format, fields, points: [[3, 4]] })
    t.same(await timesOf(alice, id), [3])
  })

  t.test('is refused without write permission, and for holder events in the trash', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    await alice.stream('other')
    for (const [level, streamId] of [
      ['read', 'diary'],
      ['create-only', 'diary'],
      ['manage', 'other']
    ] as const) {
      const client = await alice.grant(level, streamId)
      t.match(await client.call('hfs.deletePoints', { id }), { status: 403, error: { id: 'forbidden' } })
    }
    for (const token of [undefined, 'wrong'])
      t.match(await coffer.call('alice', 'hfs.deletePoints', { id }, token), { status: 401 })
    const note = await alice.event()
    t.match(await alice.call('hfs.deletePoints', { id: note.id }), {
      status: 400,
      error: { id: 'invalid-operation' }
    })
    t.equal((await timesOf(alice, id)).length, 50)
    await alice.do('events.delete', { id })
    t.match(await alice.call('hfs.deletePoints', { id }), {
      status: 400,
      error: { id: 'invalid-operation', data: { trashedReference: 'eventId' } }
    })
    t.equal((await timesOf(alice, id)).length, 50)
  })

  t.test('has its own names: hfs.delete deletes the event, and accepts no range', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    t.match(await alice.call('hfs.delete', { id, fromDeltaTime: 1, toDeltaTime: 2 }), {
      status: 400,
      error: { id: 'invalid-parameters-format' }
    })
    t.match(await alice.do('series.deletePoints', { id, fromDeltaTime: 1, toDeltaTime: 2 }), { removed: 1 })
    t.match((await alice.do('hfs.delete', { id })).event, { trashed: true })
  })

  t.test('accepts null for optional params, and refuses contradictory ones', async t => {
    const id = await holder(alice, clock.now() - 100, 50)
    for (const params of [
      { fromDeltaTime: 'x' },
      { toDeltaTime: 'x' },
      { fromDeltaTime: 2, toDeltaTime: 1 },
      { limit: 1 },
      { id: 7 }
    ])
      t.match(await alice.call('hfs.deletePoints', { id, ...params }), {
        status: 400,
        error: { id: 'invalid-parameters-format' }
      })
    t.equal((await timesOf(alice, id)).length, 50)
    t.match(await alice.do('hfs.deletePoints', { id, fromDeltaTime: null, toDeltaTime: null }), {
      removed: 50
    })
  })
})

t.test('hfs.deletePoints with many points', async t => {
  const count = 500_000

  const test = inRotation(t, 2)
  test('does not block other reads and writes of the account', async t => {
    const { alice, clock } = await service(t)
    const id = await holder(alice, clock.now() - 1e6, count)
    const call = { isUnderWay: true }
    const deletion = alice
      .do('hfs.deletePoints', { id, fromDeltaTime: 1000 })
      .finally(() => (call.isUnderWay = false))
    const lengths: number[] = []
    while (call.isUnderWay) {
      await alice.do('events.create', { streamIds: ['diary'], type: 'count/generic', content: 1 })
      if (call.isUnderWay)
        lengths.push((await timesOf(alice, id, { limit: 1, fromDeltaTime: 1000 }))[0] ?? Infinity)
    }
    t.ok(lengths.length >= 1, `${lengths.length} writes meanwhile`)
    t.same(
      lengths,
      lengths.toSorted((a, b) => a - b),
      'from the first on'
    )
    t.match(await deletion, { removed: count - 1000, event: { duration: 999 } })
    t.equal((await timesOf(alice, id)).length, 1000)
  })

  test('keeps concurrent reads consistent', async t => {
    const { alice, clock } = await service(t)
    const id = await holder(alice, clock.now() - 1e6, count)
    const [times, sample, { removed }] = await Promise.all([
      timesOf(alice, id),
      alice.do('hfs.get', { id, sample: 50, summary: true }),
      alice.do('hfs.deletePoints', { id, fromDeltaTime: 100_000, toDeltaTime: 400_000 })
    ])
    t.equal(removed, 300_000)
    t.ok(
      times.every((at, index) => index === 0 || at > times[index - 1]!),
      'in order, none twice'
    )
    t.equal(times.filter(at => at < 100_000 || at >= 400_000).length, 200_000, 'and all that stay')
    t.ok(sample.points.length >= 20)
    t.equal((await timesOf(alice, id)).length, 200_000)
  })

  t.test("stops when the caller's access is revoked", async t => {
    const { alice, clock } = await service(t)
    const id = await holder(alice, clock.now() - 1e6, count)
    const app = await alice.grant('contribute', 'diary')
    const deletion = app.call('hfs.deletePoints', { id })
    await alice.do('accesses.delete', { id: app.access.id })
    t.match(await deletion, { status: 401, error: { id: 'invalid-access-token' } })
    const times = await timesOf(alice, id)
    t.ok(times.length > 0 && times.length < count, `${times.length} left`)
    t.equal(times.at(-1), count - 1, 'those at the end')
    t.same(
      times,
      Array.from({ length: times.length }, (_, i) => count - times.length + i)
    )
  })
})
