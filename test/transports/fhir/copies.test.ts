/** Copies of other accounts' streams in FHIR: what they hold is about another person than the user. */
import t from 'tap'
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
  await follow(world)
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
})

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
  t.same(await readCounts(dora, root), after)
})
