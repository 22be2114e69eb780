/** Tokens that may see all of an account's own data, or one stream of a copy: nothing else of copies, by any method or format. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { noPictures, picture as drawPicture } from '../../support/pictures.js'
import { socketOf, until } from '../../support/socket.js'
import { aimsAt } from '../../isolation/aims.js'
import type { Secrets } from '../../isolation/secrets.js'
import { contact, follow, root, startWorld, type World } from './world.js'

t.setTimeout(300_000)

const diary = `${root}:diary`
const everything = { state: 'all', fromTime: -1e12, toTime: 1e12, limit: 1000 }
/** Contents of the copy of `diary`, which no answer may contain. */
const marks = ['canary', '73137.5']

/** Lets Paul share a note, points, a weight, a picture and a file; Dora keeps a copy. Returns ids of the copy. */
async function plant(world: World): Promise<Readonly<Record<string, string>>> {
  const { dora, paul } = world
  const at = { streamIds: ['diary'], time: 1.7e9 }
  const texts = { description: 'canary description', clientData: { canary: 'canary' } }
  await paul.do('events.create', { ...at, type: 'note/txt', content: 'canary note', ...texts })
  await paul.do('events.create', { ...at, type: 'mass/kg', content: 73_137.5 })
  const { event } = await paul.do('events.create', { ...at, type: 'series:mass/kg' })
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 73_137.5]] }
  await paul.do('hfs.add', { id: event.id, ...points })
  const form = new FormData()
  form.append('event', JSON.stringify({ ...at, type: 'picture/attached' }))
  const bytes = noPictures ? 'canary' : new Uint8Array(await drawPicture(30, 20))
  form.append('file', new Blob([bytes], { type: 'image/png' }), 'canary.png')
  form.append('file', new Blob(['canary bytes'], { type: 'text/plain' }), 'canary.txt')
  await paul.http('POST', '/events', form)
  await paul.do('events.create', { ...at, streamIds: ['health'], type: 'note/txt', content: 'shown note' })
  const mirror = await follow(world)
  let copies: Answer[] = []
  const find = (type: string): Answer => copies.find(each => each.type === type)
  await until(async () => {
    copies = (await dora.do('events.get', { ...everything, streams: [diary] })).events
    if (copies.length < 4 || find('picture/attached').attachments?.length !== 2) return false
    return (await dora.do('hfs.get', { id: find('series:mass/kg').id, toDeltaTime: 1e9 })).points.length === 1
  }, 'the copy')
  const [image, text] = find('picture/attached').attachments
  const [note, picture, holder] = ['note/txt', 'picture/attached', 'series:mass/kg'].map(
    type => find(type).id
  )
  return { mirror, note, picture, holder, image: image.id, text: text.id, token: text.readToken }
}

/** Returns an object whose members, named in a list, have one value. */
function each(names: string, id: string): object {
  return Object.fromEntries(names.split(' ').map(name => [name, id]))
}

/** Returns what the calls of the isolation test aim at: everything hidden is of the copy. */
function listTargets(ids: Readonly<Record<string, string>>, event: string): Secrets {
  const nothing = 'cnothing0000000000000000'
  const { holder = '', image = '', mirror = '', note = '', picture = '', text = '' } = ids
  return {
    inner: [],
    hook: undefined as never,
    open: { event, file: nothing, holder: nothing },
    ids: {
      ...each(
        'app shared former session webhook slice connection channel reminder form rule passkey',
        nothing
      ),
      ...each('below binned gone closed followedDiary', diary),
      ...each('hidden followed', root),
      ...each('note both lower trashed deleted followedNote', note),
      ...each('picture followedPicture', picture),
      ...each('holder followedHolder', holder),
      ...each('fileId followedText', text),
      ...each('pictureFile followedFile', image),
      mirror
    }
  }
}

function leaksIn(text: string): string[] {
  return marks.filter(mark => text.replaceAll('text=canary', '').includes(mark))
}

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

  for (const [name, client] of Object.entries(callers))
    await t.test(name, async t => {
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
