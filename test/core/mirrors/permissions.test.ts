/** Tokens that may see all of an account's own data, or one stream of a copy: nothing else of copies, by any method or format. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { inRotation } from '../../support/rotation.js'
import { socketOf, until } from '../../support/socket.js'
import { aimsAt } from '../../isolation/aims.js'
import { diary, everything, leaksIn, listTargets, plant } from './planted-copy.js'
import { contact, root, startWorld } from './world.js'

t.setTimeout(300_000)

/** Returns what is to be asked for besides the methods, below the user's root. */
function listPaths({
  holder,
  image,
  note,
  picture,
  text,
  token
}: Readonly<Record<string, string>>): string[] {
  const file = (id: string): string[] => [
    `events/${picture}/${id}`,
    `events/${picture}/${id}?readToken=${token}`
  ]
  const formats = ['csv', 'csv-wide', 'json', 'ndjson', 'gpx', 'fhir', 'fhir-ndjson', 'parquet', 'folder']
  const resources = [
    'Observation',
    'DocumentReference',
    'Patient',
    'QuestionnaireResponse',
    'Consent',
    'Media'
  ]
  const all = 'fromTime=-1e12&toTime=1e12&state=all'
  return [
    ...file(image!),
    ...file(text!),
    ...formats.flatMap(each =>
      ['', `&streams[]=${root}`, `&streams[]=${diary}`, '&streams[]=*'].map(
        streams => `events/export?format=${each}&${all}${streams}`
      )
    ),
    ...['feed.ics', 'feed.atom'].flatMap(path => [path, `${path}?streams=${diary}`]),
    ...resources.flatMap(type => [
      `fhir/${type}?_count=100`,
      `fhir/${type}/${note}`,
      `fhir/${type}/${holder}`,
      `fhir/${type}/${picture}`,
      `fhir/${type}?category=${diary}`
    ]),
    'fhir/Patient/$everything',
    ...['coffer_measure_weight', `{__name__=~".+"}`, `{stream="${diary}"}`].flatMap(query => [
      `prometheus/api/v1/query?time=1700000001&query=${encodeURIComponent(query)}`,
      `prometheus/api/v1/query_range?start=1699990000&end=1700010000&step=60&query=${encodeURIComponent(query)}`,
      `prometheus/api/v1/series?start=0&end=2e9&match[]=${encodeURIComponent(query)}`
    ]),
    'prometheus/api/v1/label/__name__/values',
    'prometheus/api/v1/label/stream/values',
    'prometheus/api/v1/labels',
    `previews/events/${picture}`,
    `previews/events/${picture}.jpg`,
    `events/${holder}/series?sample=10&summary=true`,
    `audit/logs?fromTime=0&toTime=2e10`,
    'streams?state=all&includeDeletionsSince=0',
    `events?${all}&text=canary`,
    `events?${all}&text=canary&streams[]=${root}`
  ]
}

t.test('copies are closed to tokens that do not name them', async t => {
  const world = await startWorld(t, { workers: 0, hf: { port: 0 } })
  const { dora, paul } = world
  const ids = await plant(world)
  await dora.stream('open')
  await dora.stream('open-child', 'open')
  const open = (await dora.do('events.create', { streamIds: ['open'], type: 'note/txt', content: 'own' }))
    .event.id
  const star = (level: 'read' | 'manage', type: string): Promise<Client> => dora.grant(level, '*', { type })
  const health = `${root}:health`
  const manager = await star('manage', 'app')
  const callers: Readonly<Record<string, Client>> = {
    'an app with * read': await star('read', 'app'),
    'a share with * read': await star('read', 'shared'),
    'an app with * manage': manager,
    'a share of an app with *': await manager.grant('manage', '*', { type: 'shared' }),
    'an app with one stream of the copy': await dora.grant('read', health, { type: 'app' }),
    'a share of one stream of the copy': await dora.grant('read', health, { type: 'shared' }),
    'an app with * and one stream of the copy': await dora.grantAll(
      [
        { streamId: '*', level: 'manage' },
        { streamId: health, level: 'read' }
      ],
      { type: 'app' }
    )
  }
  const aims = aimsAt(listTargets(ids, open))
  const describe = async (): Promise<string> =>
    JSON.stringify([
      (await dora.do('events.get', { ...everything, streams: [root] })).events.map(
        ({ attachments, ...rest }: Answer) => [attachments?.length, rest]
      ),
      (await dora.do('hfs.get', { id: ids['holder'], toDeltaTime: 1e9 })).points,
      (await dora.do('streams.get', { parentId: root, state: 'all' })).streams
    ])
  // The event of a series shows its last write a little later.
  await world.requesterService.server.settle()
  const before = await describe()
  t.match(before, 'canary')
  const sawAll: string[] = []
  for (const path of listPaths(ids)) {
    const { body } = await dora.http('GET', `/${path}`)
    if (leaksIn(typeof body === 'string' ? body : JSON.stringify(body)).length > 0) sawAll.push(path)
  }
  t.ok(sawAll.length > 15, `the owner sees the contents by ${sawAll.length} paths`)

  // Of each kind of token, an app or a share.
  const test = inRotation(t, 2)
  for (const [name, client] of Object.entries(callers))
    await test(name, async t => {
      const leaks: string[] = []
      const look = (what: string, answer: unknown, asked = ''): void => {
        const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '')
        for (const leak of leaksIn(text)) leaks.push(`${leak} by ${what}: ${text.slice(0, 300)}`)
        const isNamed =
          asked.includes(':_followed') || name.includes('of the copy') || what.startsWith('audit')
        if (!isNamed && text.includes(':_followed')) leaks.push(`a stream by ${what}: ${text.slice(0, 300)}`)
      }
      for (const [method, list] of Object.entries(aims))
        for (const params of list) {
          const asked = JSON.stringify(params)
          if (asked.includes('"canary')) continue
          look(`${method} ${asked}`, await client.call(method, params), asked)
        }
      for (const path of listPaths(ids)) {
        if (path.includes('readToken')) continue
        const url = `${client.service.server.url}/${client.username}/${path}`
        const answer = await fetch(url, { headers: { authorization: client.token } })
        const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
        look(path, text, path)
        if (path.startsWith('previews') || path.startsWith(`events/${ids['picture']}/`))
          t.equal(answer.status, 403, path)
      }
      const atSeries = `${client.service.server.seriesUrl}/${client.username}/events/${ids['holder']}/series`
      const answer = await fetch(atSeries, { headers: { authorization: client.token } })
      look('the port for series', await answer.text())
      t.equal(answer.status, 403)
      t.same(leaks, [])
      t.equal(await describe(), before, 'nothing has changed')
    })

  await t.test('and so are messages to their sockets', async t => {
    const named = Object.entries(callers).filter(([name]) => !name.includes('of the copy'))
    const sockets = await Promise.all(named.map(async ([, client]) => await socketOf(t, client)))
    await Promise.all(sockets.map(async socket => await socket.news()))
    await paul.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'canary later' })
    await contact(world, ids['mirror']!)
    await until(
      async () => JSON.stringify(await dora.do('events.get', { streams: [diary] })).includes('later'),
      'it'
    )
    for (const [index, socket] of sockets.entries()) t.same(await socket.news(), [], named[index]![0])
  })
})
