/** Copies of other accounts' streams in FHIR, measures and feeds: what they hold is about another person than the user. */
import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import { writeAsService } from '../../../core/cmc/service-calls.js'
import { insertRoot } from '../../../core/mirrors/copied-streams.js'
import { createId } from '../../../core/ids.js'
import type { Request } from '../../../core/call/outcome.js'
import { contact, follow, root, startWorld } from '../../core/mirrors/world.js'
import type { Answer, Client } from '../../support/coffer.js'
import { ask, ids } from '../../support/fhir.js'
import { until } from '../../support/socket.js'

t.setTimeout(120_000)

const person = 'paul-patient@127.0.0.1'

t.test('what others have measured is not the user’s', async t => {
  const world = await startWorld(t, { workers: 0 })
  const { dora, paul } = world
  const time = 1.7e9
  const pressure = { type: 'blood-pressure/mmhg-bpm', content: { systolic: 190, diastolic: 110 }, time }
  await paul.event({ ...pressure, streamIds: ['health'] })
  const { id } = await paul.event({
    streamIds: ['health'],
    type: 'series:frequency/bpm',
    content: null,
    time
  })
  await paul.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[1, 160]] })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['health'], type: 'file/attached', time }))
  form.append('file', new Blob(['Dear Paul'], { type: 'text/plain' }), 'letter.txt')
  await paul.http('POST', '/events', form)
  const mirrorId = await follow(world)
  let copies: Answer[] = []
  const find = (type: string): Answer => copies.find(each => each.type === type)
  const list = { streams: [root], fromTime: 0, toTime: 2e9 }
  await until(async () => {
    copies = (await dora.do('events.get', list)).events
    if (copies.length < 3 || find('file/attached').attachments?.length !== 1) return false
    return (
      (await dora.do('hfs.get', { id: find('series:frequency/bpm').id, toDeltaTime: 9 })).points.length === 1
    )
  }, 'the copy')

  await dora.stream('own')
  const own = await dora.event({ ...pressure, streamIds: ['own'], content: { systolic: 120, diastolic: 80 } })
  const { accounts } = dora.service.server.services
  const store = accounts.openStore(accounts.find(dora.username)!)
  const holder = store.events.find(find('series:frequency/bpm').id)!
  await store.write(() => {
    for (let n = 0; n < 300; n++) store.events.insert({ ...holder, id: createId(), time: time + n })
  })
  const apps: Record<string, Client> = {
    'the keeper': dora,
    'an app that may read the copy': await dora.grantAll([
      { streamId: 'own', level: 'read' },
      { streamId: root, level: 'read' }
    ])
  }
  for (const [name, client] of Object.entries(apps)) {
    for (const query of ['', '_count=1', 'date=ge2000', `_id=${own.id},${find(pressure.type).id}`])
      t.same(ids((await ask(t, client, `Observation?${query}`)).body), [own.id], `${name}: ${query}`)
    const points = 'Observation?code=8867-4&date=ge2023-11-14&date=lt2023-11-16'
    t.same(ids((await ask(t, client, points)).body), [], name)
    t.equal((await ask(t, client, 'Observation?_summary=count')).body.total, 1, name)
    t.same(ids((await ask(t, client, 'DocumentReference')).body), [], name)
    for (const [type, id] of [
      ['Observation', find(pressure.type).id],
      ['Observation', `${find('series:frequency/bpm').id}.p1000000`],
      ['DocumentReference', find('file/attached').id]
    ])
      t.equal((await ask(t, client, `${type}/${id}`)).status, 404, `${name}: ${id}`)

    t.ok((await countReads(client, points)) < 8, `${name}: series of copies are read together`)

    const streams = `own&streams=${encodeURIComponent(root)}`
    const path = `/events/export?format=fhir-ndjson&series=true&types=blood-pressure/*&types=series:frequency/bpm&streams=${streams}`
    const lines: string[] = (await client.http('GET', path)).body.trim().split('\n')
    const subjects = lines.map((line): [string, string] => {
      const { code, component, subject }: Answer = JSON.parse(line)
      return [`${code.coding[0].code} ${component?.[0].valueQuantity.value ?? ''}`, subject.display]
    })
    t.same(
      new Map(subjects),
      new Map([
        ['85354-9 190', person],
        ['8867-4 ', person],
        ['85354-9 120', dora.username]
      ]),
      name
    )
  }

  await t.test('measures and feeds are of one person', async t => {
    for (const [client, streamId, content] of [
      [dora, 'own', 60],
      [paul, 'health', 90]
    ] as const) {
      for (const day of [-2, -1, 0, 1, 2])
        await client.event({ streamIds: [streamId], type: 'mass/kg', content, time: time + day * 86_400 })
      await client.event({ streamIds: [streamId], type: 'note/txt', content: `note ${content}`, time })
    }
    await contact(world, mirrorId)
    const isCopied = async (): Promise<boolean> =>
      (await dora.do('events.get', { ...list, types: ['mass/kg'] })).events.length === 5
    await until(isCopied, 'the weight')
    const grant = async (...streamIds: readonly string[]): Promise<Client> =>
      await dora.grantAll(
        streamIds.map(streamId => ({ streamId, level: 'read' })),
        { type: 'app' }
      )
    const other = ':_followed:anna--elsewhere-example'
    const { services } = world.requesterService.server as unknown as { services: Services }
    const account = services.accounts.find(dora.username)!
    await writeAsService(services, account, call =>
      insertRoot(call, {
        streamId: other,
        person: { username: 'anna', host: 'elsewhere.example' }
      } as Parameters<typeof insertRoot>[1])
    )
    const both = await grant('own', root)
    const several = await grant(root, other)
    const range = { measure: 'weight', fromTime: time - 10, toTime: time + 10, parts: 1 }
    const dates = { measure: 'weight', from: '2023-11-14', to: '2023-11-14' }
    const readAll = async (client: Client, streams?: readonly string[]): Promise<Answer[]> => {
      const named = streams && { streams }
      const { days } = await client.do('measures.days', { ...dates, ...named })
      const { samples } = await client.do('measures.sample', { ...range, ...named })
      const { facts } = await client.do('measures.facts', { measures: ['weight'], ...named })
      const { samples: raw } = await client.do('events.sample', {
        fromTime: range.fromTime,
        toTime: range.toTime,
        parts: 1,
        types: ['mass/kg'],
        ...named
      })
      return [days[0]?.value, samples[0]?.mean, facts[0]?.latest.value, raw[0]?.mean]
    }
    const ownValues = Array(4).fill(60)
    const copied = Array(4).fill(90)
    t.same(await readAll(dora), ownValues, 'the keeper')
    t.same(await readAll(both), ownValues, 'an app with both')
    t.same(await readAll(both, ['*']), ownValues, 'all streams are nobody’s by name')
    t.same(await readAll(await grant('*', root)), ownValues, 'an app with everything')
    t.same(await readAll(both, [root]), copied, 'streams that are named')
    t.equal((await readAll(both, ['own', root]))[3], 75, 'those of both, if both are named')
    t.same(await readAll(await grant(root)), copied, 'an app with the copy')
    t.same(await readAll(await grant(`${root}:health`, ':_cmc:apps')), copied, 'its messages are no data')
    t.same(await readAll(several, [root]), copied, 'one of several who is named')
    for (const [client, value] of [
      [both, 60],
      [await grant(root), 90]
    ] as const)
      t.match((await client.do('measures.week', { to: '2023-11-15' })).measures, [
        { measure: 'weight', value }
      ])
    const calls: readonly (readonly [string, object])[] = [
      ['measures.days', dates],
      ['measures.sample', range],
      ['measures.sample', { ...range, streams: ['*'] }],
      ['measures.facts', {}],
      ['measures.week', {}],
      ['measures.compare', { ...dates, other: 'steps' }],
      ['events.sample', { fromTime: 0, toTime: 1e9, parts: 1 }],
      [
        'rules.create',
        { name: 'x', channelIds: [], condition: { kind: 'above', measure: 'weight', value: 1 } }
      ]
    ]
    for (const [method, params] of calls) {
      const { error } = await several.call(method, params)
      t.match(error, { id: 'invalid-operation', message: /several people/ }, method)
      t.same(error.data.streams, [root, other], method)
    }

    // Around an event, the measures are those of the person whom it is about.
    const note = (await dora.do('events.get', { ...list, types: ['note/txt'] })).events[0]
    for (const client of [dora, both, several])
      for (const about of [{ eventId: note.id }, { streamId: note.streamIds[0], type: 'note/txt' }]) {
        const { around } = await client.do('measures.around', { measure: 'weight', ...about })
        t.match(around, [{ events: 1, before: { count: 2, median: 90 }, after: { count: 2, median: 90 } }])
      }

    const query = `${range.fromTime + 10}`
    const prometheus = async (client: Client): Promise<Answer> =>
      (await client.http('GET', `/prometheus/api/v1/query?query=coffer_measure_weight&time=${query}`)).body
    t.match((await prometheus(both)).data.result, [{ value: [time, '60'] }])
    t.match((await prometheus(await grant(root))).data.result, [{ value: [time, '90'] }])
    t.match(await prometheus(several), { status: 'error', errorType: 'bad_data', error: /several people/ })

    t.same(await readTitles(both), ['own, note 60', `${person}: health, note 90`])
    t.same(await readTitles(await grant(`${root}:health`)), ['paul-patient--127-0-0-1: health, note 90'])

    // What was not read is not reported to its owner.
    const mixed = [{ any: ['*'] }, { any: [`${root}:health`] }]
    await dora.do('events.get', { streams: mixed })
    await both.do('measures.days', { ...dates, streams: mixed })
    await both.do('measures.days', dates)
    const listRead = async (action: string, limit: number): Promise<unknown> =>
      (await dora.do('events.get', { streams: [`:_audit:action-${action}`], limit })).events.map(
        ({ content }: Answer) => content.read.streamIds
      )
    t.same(await listRead('events.get', 1), [['*', `${root}:health`]])
    t.same(await listRead('measures.days', 2), [['own'], ['own', `${root}:health`]])
  })
})

/** Returns the titles of notes in the feed. */
async function readTitles(client: Client): Promise<string[]> {
  const feed: string = (await client.http('GET', '/feed.atom?types=note/txt')).body
  return [...feed.matchAll(/<title>(.*note.*) \(/g)].map(([, title]) => title!).toSorted()
}

/** Returns the number of times that a search reads events. */
async function countReads(client: Client, search: string): Promise<number> {
  const { dispatcher } = client.service.server
  const call = dispatcher.call.bind(dispatcher)
  let count = 0
  Object.assign(dispatcher, {
    call(request: Request) {
      if (request.method === 'events.get') count++
      return call(request)
    }
  })
  t.equal((await ask(t, client, search)).status, 200)
  Object.assign(dispatcher, { call })
  return count
}

/** Returns the measures in a stream, with the number of their values. */
async function readCounts(client: Client, streamId: string): Promise<[string, number][]> {
  const { facts } = await client.do('measures.facts', { streams: [streamId] })
  return facts.map(({ count, measure }: Answer) => [measure, count]).toSorted()
}

t.test('what others have measured is of the measure that they marked it with', async t => {
  const world = await startWorld(t, { workers: 0 })
  const { dora, paul } = world
  const streams: readonly (readonly [
    name: string,
    mark: string | undefined,
    type: string,
    content: number,
    code?: string
  ])[] = [
    ['Strap', 'heart-rate', 'frequency/bpm', 60, '8867-4'],
    ['Bicycle', 'cadence', 'frequency/bpm', 85],
    ['After a minute', 'heart-rate-recovery', 'frequency/bpm', 110],
    ['Balance', 'weight', 'mass/kg', 70, '29463-7'],
    ['Weight', 'weight-lifted', 'mass/kg', 140],
    ['Body weight', ':none', 'mass/kg', 15],
    ['My weight', 'anything', 'mass/kg', 30],
    ['Gewicht', undefined, 'mass/kg', 71, '29463-7']
  ]
  for (const [name, mark, type, content] of streams) {
    const clientData = mark === undefined ? {} : { 'coffer:measure': mark }
    const { stream } = await paul.do('streams.create', { name, parentId: 'health', clientData })
    await paul.event({ streamIds: [stream.id], type, content, time: 1.7e9 })
  }
  const mirrorId = await follow(world)
  const before = [
    ['heart-rate', 2],
    ['heart-rate-recovery', 1],
    ['weight', 2],
    ['weight-lifted', 1]
  ]
  t.same(await readCounts(paul, 'health'), before)
  t.same(await readCounts(dora, root), before)
  // He lifts it, but she does not see where.
  const diary = `${root}:diary`
  await paul.do('streams.create', {
    id: 'secret-gym',
    name: 'Gym',
    clientData: { 'coffer:measure': 'weight-lifted', private: 1 }
  })
  await paul.do('streams.update', { id: 'diary', update: { parentId: 'secret-gym' } })
  const path = `/events/export?format=fhir-ndjson&streams=${encodeURIComponent(root)}`
  const lines: string[] = (await dora.http('GET', path)).body.trim().split('\n')
  t.same(
    new Map(
      lines.map((line): [number, unknown] => {
        const { code, valueQuantity }: Answer = JSON.parse(line)
        return [valueQuantity.value, code.coding?.[0].code]
      })
    ),
    new Map(streams.map(([, , , content, code]) => [content, code]))
  )

  // A mark that is added, changed or removed later counts from the next contact on.
  const all = (await paul.do('streams.get', { parentId: 'health' })).streams
  const change = async (name: string, mark: string | null): Promise<void> => {
    const { id } = all.find((each: Answer) => each.name === name)
    await paul.do('streams.update', { id, update: { clientData: { 'coffer:measure': mark } } })
  }
  await change('Bicycle', null)
  await change('After a minute', 'heart-rate')
  await change('Gewicht', 'weight-lifted')
  await contact(world, mirrorId)
  const after = [
    ['heart-rate', 3],
    ['weight', 1],
    ['weight-lifted', 2]
  ]
  t.same(await readCounts(paul, 'health'), after)
  t.same(await readCounts(dora, `${root}:health`), after)
  const [stream] = (await dora.do('streams.get', { parentId: root })).streams.filter(
    ({ id }: Answer) => id === diary
  )
  t.same(stream.clientData, {
    'coffer:followed': { id: 'diary' },
    'coffer:measure': 'weight-lifted'
  })
  await paul.event({ streamIds: ['diary'], type: 'mass/kg', content: 80, time: 1.7e9 })
  // A measure of his own is none.
  await paul.do('streams.update', {
    id: 'secret-gym',
    update: { clientData: { 'coffer:measure': 'his-own' } }
  })
  await contact(world, mirrorId)
  await until(
    async () =>
      (await dora.do('events.get', { streams: [diary], fromTime: 0, toTime: 2e9 })).events.length === 1,
    'the event'
  )
  t.same(await readCounts(dora, diary), [])
})
