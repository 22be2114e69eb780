/** Exports while their data or the access changes. */
import t from 'tap'
import { ApiError } from '../../../core/errors.js'
import type { Success } from '../../../core/call/outcome.js'
import { coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'

/** Starts an export: its first page has been created. */
async function begun(client: Client, params: object): Promise<Success> {
  const outcome = await client.service.server.dispatcher.call({
    user: client.username,
    method: 'events.export',
    params,
    credentials: { authorization: client.token, ip: '127.0.0.1', via: 'http' },
    isDocument: true
  })
  if (!outcome.ok) throw outcome.error
  return outcome
}

async function whole({ members, remainder }: Success): Promise<string> {
  let text = members
  for await (const more of remainder ?? []) text += more
  return text
}

const forms = ['csv', 'csv-wide', 'json', 'ndjson', 'fhir', 'fhir-ndjson', 'gpx'] as const

/** Creates positions in `open` by day, then in `closing` by night, each with coordinates that show where it was. */
async function filled(alice: Client): Promise<void> {
  for (const id of ['open', 'closing']) await alice.stream(id)
  for (const [at, id] of ['open', 'closing'].entries())
    await alice.do(
      'callBatch',
      Array.from({ length: 1500 }, (_, n) => ({
        method: 'events.create',
        params: {
          streamIds: [id],
          type: 'position/wgs84',
          content: { latitude: at === 0 ? 10 : 77.25, longitude: n / 100 },
          time: at * 1e6 + n * 60,
          description: 'x'.repeat(200)
        }
      }))
    )
}

t.test('an export of much', async t => {
  const { alice } = await openCoffer(t)
  await filled(alice)
  const some = rotate(t, forms, 2)

  await t.test('does not contain data hidden meanwhile', async t => {
    for (const format of some) {
      const reader = await alice.grantAll([
        { streamId: 'open', level: 'read' },
        { streamId: 'closing', level: 'read' }
      ])
      t.match(await whole(await begun(reader, { format, sortAscending: true })), '77.25', format)
      const outcome = await begun(reader, { format, sortAscending: true })
      t.ok(outcome.remainder, 'long enough')
      t.notMatch(outcome.members, '77.25')
      await alice.do('streams.update', { id: 'closing', update: { parentId: null, trashed: true } })
      const text = await whole(outcome)
      t.notMatch(text, '77.25', `${format} after`)
      t.ok(text.length > 100_000)
      await alice.do('streams.update', { id: 'closing', update: { trashed: false } })
    }
  })

  await t.test('ends when its access is revoked', async t => {
    for (const format of some) {
      const reader = await alice.grant('read', '*')
      const outcome = await begun(reader, { format })
      await alice.do('accesses.delete', { id: reader.access.id })
      await t.rejects(whole(outcome), new ApiError('invalid-access-token'))
    }
  })
})

t.test('an export fails rather than contain half of a series that is hidden meanwhile', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('heart')
  await alice.stream('private')
  const holder = await alice.event({
    streamIds: ['heart'],
    type: 'series:frequency/bpm',
    content: undefined,
    time: 0
  })
  for (let part = 0; part < 10; part++)
    await alice.do('hfs.add', {
      id: holder.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: Array.from({ length: 10_000 }, (_, n) => [part * 10_000 + n, 60])
    })
  const reader = await alice.grant('read', 'heart')
  for (const format of rotate(t, ['csv', 'ndjson', 'fhir', 'fhir-ndjson'], 2)) {
    const outcome = await begun(reader, { format, series: true })
    await alice.do('events.update', { id: holder.id, update: { streamIds: ['private'] } })
    await t.rejects(whole(outcome), new ApiError('forbidden'))
    t.notMatch(await whole(await begun(reader, { format, series: true })), holder.id)
    await alice.do('events.update', { id: holder.id, update: { streamIds: ['heart'] } })
  }
})

t.test('exports contain no names of streams that the caller may not see', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'root', name: 'Secret name' })
  await alice.do('streams.create', { id: 'middle', name: 'Middle', parentId: 'root' })
  await alice.do('streams.create', { id: 'leaf', name: 'Leaf', parentId: 'middle' })
  await alice.do('streams.create', { id: 'other', name: 'Another secret' })
  const position = { type: 'position/wgs84', content: { latitude: 1, longitude: 1 } }
  await alice.event({ ...position, streamIds: ['leaf', 'other'], time: 1 })
  await alice.event({ ...position, streamIds: ['leaf'], time: 2 })
  const reader = await alice.grant('read', 'middle')
  for (const format of forms) {
    const text = await whole(await begun(reader, { format }))
    t.notMatch(text, /secret/i, format)
    if (format !== 'json' && format !== 'ndjson') t.match(text, 'Leaf')
    t.match(await whole(await begun(alice, { format: 'csv' })), 'Secret name / Middle / Leaf')
  }
})

t.test('the audit log records what was exported', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let n = 0; n < 40; n++) await alice.event({ time: n })
  const app = await alice.grant('read', 'diary', { type: 'app', name: 'an-app' })
  for (const format of ['csv', 'gpx'])
    await whole(await begun(app, { format, streams: ['diary'], fromTime: 10, toTime: 19 }))
  const { events } = await alice.do('events.get', { streams: [':_audit:action-events.export'] })
  t.match(
    events.map(({ content }: Answer) => content.read),
    [
      { streamIds: ['diary'], from: 10, to: 19, count: 0 },
      { streamIds: ['diary'], from: 10, to: 19, count: 10 }
    ]
  )
  // Data points count as they do where they are read as such.
  const { id } = await alice.event({
    streamIds: ['diary'],
    type: 'series:mass/kg',
    content: undefined,
    time: 100
  })
  const points = Array.from({ length: 50 }, (_, at) => [at, 70])
  await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  for (const format of ['csv', 'ndjson', 'parquet', 'fhir'])
    await whole(await begun(app, { format, series: true, types: ['series:mass/kg'] }))
  const { events: latest } = await alice.do('events.get', {
    streams: [':_audit:action-events.export'],
    limit: 4
  })
  t.same(
    latest.map(({ content }: Answer) => content.read.count),
    [51, 51, 51, 51]
  )
  const csv = await whole(
    await begun(alice, {
      format: 'csv-wide',
      columns: ['type', 'content.action'],
      streams: [':_audit:'],
      types: ['audit-log/*']
    })
  )
  t.match(csv, 'audit-log/coffer-api,events.export\r\n')
})
