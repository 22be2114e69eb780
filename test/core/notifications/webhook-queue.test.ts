import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { Probe } from '../../support/probe.js'
import { receiver } from '../../support/receiver.js'
import { inRotation } from '../../support/rotation.js'

const settings = { webhooks: { allowInternalTargets: true } }

// Creating thousands of streams is slow.
t.setTimeout(900_000)

const test = inRotation(t, 2)

test('a change in thousands of streams', async t => {
  const service = await coffer(t, settings)
  const { alice } = service
  const bob = await service.user('bobby')
  const ids = Array.from({ length: 6000 }, (_, n) => `s${n}`)
  await alice.do(
    'callBatch',
    ids.map(id => ({ method: 'streams.create', params: { id, name: id } }))
  )
  const app = await alice.grant('manage', '*', { type: 'app' })
  const heard = await receiver(t)
  const unheard = await receiver(t)
  // All but the first see streams that do not contain the events below.
  for (let n = 0; n < 60; n++) {
    const access = await app.grant('read', n === 0 ? 's9' : `s${5999 - n}`)
    const { url } = n === 0 ? heard : n === 1 ? unheard : { url: `http://127.0.0.1:9/${n}` }
    await access.do('webhooks.create', { url })
  }
  const content = 'many'
  const event = { streamIds: ids.slice(0, 5500), type: 'note/txt', content }
  const form = (): FormData => {
    const data = new FormData()
    data.append('event', JSON.stringify(event))
    data.append('file', new Blob(['x']), 'x.txt')
    return data
  }
  const ways: Record<string, () => Promise<void>> = {
    'made by itself': async () => {
      const { id } = (await app.do('events.create', event)).event
      t.match(await alice.call('events.getOne', { id }), { event: { streamIds: event.streamIds } })
    },
    'made with a file': async () => {
      const { body } = await app.http('POST', '/events', form())
      t.match(body, { event: { content, attachments: [{ fileName: 'x.txt' }] } })
    },
    'made in the middle of a batch': async () => {
      const large = { method: 'events.create', params: event }
      const small = { method: 'events.create', params: { ...event, streamIds: ['s9'] } }
      const { results } = await app.do('callBatch', [small, large, small, large])
      t.same(
        results.map((result: { event: { streamIds: string[] } }) => result.event.streamIds.length),
        [1, 5500, 1, 5500]
      )
      const times = results.map((result: { event: { modified: number } }) => result.event.modified)
      t.same(times, times.toSorted(), 'in order')
    },
    'that is a deletion': async () => {
      const { id } = (await app.do('events.create', event)).event
      await app.do('events.delete', { id })
      t.match(await alice.call('events.getOne', { id }), { event: { trashed: true } })
    }
  }
  let holder = ''
  let points = 0
  ways['that follows a series'] = async () => {
    if (!holder) {
      const series = { ...event, type: 'series:mass/kg', content: null }
      holder = (await app.do('events.create', series)).event.id
    }
    const added = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[++points, 70]] }
    await app.do('hfs.add', { id: holder, ...added })
    await service.server.settle()
    t.match(await alice.call('events.getOne', { id: holder }), { event: { duration: points } })
  }
  const test = inRotation(t, 3)
  for (const [way, change] of Object.entries(ways))
    test(`${way} is queued for many webhooks while other calls are served`, async t => {
      const before = heard.deliveries.length
      await new Probe(bob).assertServed(t, 250, change)
      service.clock.advance(60)
      await heard.received(before + 1)
      t.equal(unheard.deliveries.length, 0, 'nothing is told of what is hidden')
    })
})

test('webhooks with many streams in their scopes add almost no cost to a change', async t => {
  const service = await coffer(t, settings)
  const { alice } = service
  const bob = await service.user('bobby')
  const ids = Array.from({ length: 1000 }, (_, n) => `s${n}`)
  await alice.do(
    'callBatch',
    ids.map(id => ({ method: 'streams.create', params: { id, name: id } }))
  )
  await alice.stream('x'.repeat(1000))
  const app = await alice.grant('manage', '*', { type: 'app' })
  const long = {
    a: { kind: 'events', query: { streams: Array.from({ length: 101 }, () => 'x'.repeat(1000)) } }
  }
  t.match(await app.call('webhooks.create', { url: 'http://127.0.0.1:9', scopes: long }), {
    error: { id: 'invalid-operation' }
  })
  const scopes = { a: { kind: 'events', query: { streams: ids } } }
  for (let n = 0; n < 70; n++) await app.do('webhooks.create', { url: `http://127.0.0.1:9/${n}`, scopes })
  const change = async (): Promise<unknown> =>
    await app.do('events.create', { streamIds: ['s5'], type: 'note/txt', content: 'x' })
  await new Probe(bob).assertServed(t, 100, change)
})
