/** Compares `events.get` with `text` with a simple model, and checks that removed texts leave no trace. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import type { Event } from '../../../../schemas/event.js'
import { userMigrations } from '../../../../storage/migrations/user/index.js'
import { openFile } from '../../../../storage/sqlite/open.js'
import { EventTexts } from '../../../../storage/text-search/event-texts.js'
import { listStatements } from '../../../../storage/sqlite/statements.js'
import type { UserStore } from '../../../../storage/user/user-store.js'
import { Layout } from '../../../../storage/files/layout.js'
import { Client, coffer, openCoffer, type Answer } from '../../../support/coffer.js'
import { command } from '../../../support/command.js'
import { EventModel, type ModelQuery, type Permissions } from '../../../support/event-model.js'
import { ForgedBackup } from '../../../support/forged-backup.js'
import { Random } from '../../../support/random.js'
import { inRotation } from '../../../support/rotation.js'
import { connect } from '../../../support/socket.js'
import { meetsText, someHtml, someText, someWord, wordsOfModel } from '../../../support/text-model.js'
import { assertTakesLessThan, stopwatch } from '../../../support/probe.js'

t.setTimeout(900_000)

const isLong = Boolean(process.env['COFFER_TEST_LONG'])
/** Of 20 seeds, the long form runs half, the short form one, in rotation. */
const rounds = isLong ? 10 : 1
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? 1 + (Date.now() % (21 - rounds)))
const steps = isLong ? 1500 : 200

function storeOf({ service, username }: Client): UserStore {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!)
}

/** Returns pairs of a word and an event id once everything is indexed. */
async function pairsOf(client: Client): Promise<string[]> {
  await client.service.server.settle()
  return pairsIn(client)
}

/** Returns the pairs that an account's file contains. */
function pairsIn(client: Client, directory = client.service.directory): string[] {
  const { id } = client.service.server.services.accounts.find(client.username)!
  const db = new SQLite(new Layout(directory).userFile(id), { readonly: true })
  const sql = "SELECT term, id FROM event_vocabulary LEFT JOIN event ON number = doc WHERE term NOT LIKE '·%'"
  const pairs = (db.prepare(sql).raw().all() as string[][]).map(pair => pair.join(' '))
  db.close()
  return pairs.toSorted()
}

function expectedPairs(events: readonly Event[]): string[] {
  return events.flatMap(event => Array.from(wordsOfModel(event), word => `${word} ${event.id}`)).toSorted()
}

for (let seed = firstSeed; seed < firstSeed + rounds; seed++)
  t.test(`a text search matches the model, seed ${seed}`, async t => {
    const random = new Random(seed)
    const { alice, clock, server } = await openCoffer(t)
    const model = new EventModel()
    for (const [id, parentId] of [
      ['diary', null],
      ['walks', 'diary'],
      ['work', null],
      ['secret', 'work']
    ] as const)
      // oxfmt-ignore
      model.streams.set(id, (await alice.stream(id, parentId)) as never)
    const granted: Exclude<Permissions, undefined>[] = [
      { '*': 'read' },
      { diary: 'read' },
      { '*': 'manage', secret: 'none' },
      { work: 'read', secret: 'create-only' },
      { walks: 'contribute', secret: 'read' }
    ]
    const readers: { client: Client; permissions: Permissions }[] = [
      { client: alice, permissions: undefined }
    ]
    for (const permissions of granted) {
      const list = Object.entries(permissions).map(([streamId, level]) => ({ streamId, level }))
      readers.push({ client: await alice.grantAll(list), permissions })
    }
    for (let step = 0; step < steps; step++) {
      clock.advance(random.below(100))
      await change(alice, model, random)
      for (let count = 0; count < 4; count++) {
        const { client, permissions } = random.pick(readers)
        const query = someQuery(random, model, permissions)
        const expected = model.get(query, permissions, clock.now())
        const { error, events } = await client.call('events.get', query)
        const found = error ?? events.map(({ id }: Event) => id)
        if (JSON.stringify(found) === JSON.stringify(expected)) continue
        t.same(found, expected, `step ${step}: ${JSON.stringify({ query, permissions })}`)
        throw new Error('the first difference is enough')
      }
      if (random.chance(0.05)) await server.settle()
      if (step % 100 === 99) t.same(await pairsOf(alice), expectedPairs(model.events), `step ${step}`)
    }
    // All in one stream, and many in one call.
    await alice.do('streams.delete', { id: 'walks' })
    await alice.do('streams.delete', { id: 'walks', mergeEventsWithParent: false })
    const left = model.events.filter(({ streamIds }) => streamIds.some(id => id !== 'walks'))
    t.same(await pairsOf(alice), expectedPairs(left))
    await server.settle()
  })

async function change(alice: Client, model: EventModel, random: Random): Promise<void> {
  const { events } = model
  const at = random.below(Math.max(events.length, 1))
  if (events.length < 20 || random.chance(0.5)) {
    events.push(
      await alice.event({ streamIds: someStreams(random), ...someTime(random), ...someFields(random) })
    )
  } else if (random.chance(0.2)) {
    const form = new FormData()
    form.append('file', new Blob(['x']), `${someWord(random)}.x`)
    events[at] = (await alice.http('POST', `/events/${events[at]!.id}`, form)).body.event
  } else if (random.chance(0.3)) {
    const { event } = await alice.do('events.delete', { id: events[at]!.id })
    if (event) events[at] = event
    else events.splice(at, 1)
  } else {
    const update = {
      ...(random.chance(0.5) && { streamIds: someStreams(random) }),
      ...(random.chance(0.5) && someTime(random)),
      ...(random.chance(0.3) && { trashed: random.chance(0.5) }),
      ...(random.chance(0.5) && { description: random.pick(['', null, someText(random)]) }),
      ...(random.chance(0.6) && someFields(random))
    }
    const call = { method: 'events.update', params: { id: events[at]!.id, update } }
    // Undoing the import leaves no trace.
    const undone = {
      method: 'events.update',
      params: { id: events[at]!.id, update: { streamIds: ['none'] } }
    }
    const { body } = await alice.http('POST', '/', [undone, call, undone])
    events[at] = body.results[1].event
  }
}

function someFields(random: Random): Partial<Event> {
  const description = random.chance(0.2) && { description: someText(random, 4) }
  const form = random.below(6)
  if (form < 3) return { type: 'note/txt', content: someText(random), ...description }
  if (form === 3) return { type: 'note/html', content: someHtml(random), ...description }
  if (form === 4)
    return { type: 'note/webclip', content: { url: 'https://a.example/head', content: someHtml(random) } }
  return { type: random.pick(['mass/kg', 'test/any']), content: random.below(100), ...description }
}

function someStreams(random: Random): string[] {
  return [...new Set(random.some(['diary', 'walks', 'work', 'secret'], 2))]
}

function someTime(random: Random): Partial<Event> {
  const time = 1000 * random.below(50)
  return { time, duration: random.pick([0, 0, 0, 1500, 20_000, null]) }
}

function someQuery(random: Random, model: EventModel, permissions: Permissions): ModelQuery {
  const event = random.pick(model.events)
  const known = [...wordsOfModel(event)]
  const word = (): string => {
    if (known.length === 0 || random.chance(0.3)) return someWord(random)
    const whole = random.pick(known)
    return random.chance(0.5)
      ? whole
      : Array.from(whole)
          .slice(0, 1 + random.below(4))
          .join('')
  }
  const spelt = (text: string): string =>
    random.chance(0.3) ? text.toUpperCase() : random.chance(0.3) ? text.normalize('NFC') : text
  const text = Array.from({ length: 1 + random.below(3) }, () => spelt(word())).join(
    random.pick([' ', '*', '" OR "'])
  )
  const streams = ['diary', 'walks', 'work', 'secret'].filter(id =>
    ['read', 'contribute', 'manage'].includes(model.level(id, permissions)!)
  )
  return {
    text: /[\p{L}\p{N}]/u.test(text.normalize('NFKD')) ? text : 'head',
    ...(random.chance(0.3) && { streams: random.some(streams, 2) }),
    ...(random.chance(0.2) && { types: random.some(['note/*', 'note/txt', 'mass/kg'], 2) }),
    ...(random.chance(0.3) && { fromTime: 1000 * random.below(50) }),
    ...(random.chance(0.3) && { toTime: 1000 * random.below(50) }),
    ...(random.chance(0.1) && { running: true }),
    ...(random.chance(0.5) && { sortAscending: true }),
    ...(random.chance(0.2) && { skip: random.below(30) }),
    ...(random.chance(0.4) && { limit: random.pick([0, 1, 5, 1000]) }),
    ...(random.chance(0.4) && { state: random.pick(['default', 'trashed', 'all'] as const) }),
    ...(random.chance(0.1) && { content: [{ path: '$', exists: true }] }),
    ...(random.chance(0.2) && { modifiedSince: event.modified })
  }
}

const test = inRotation(t, 2)

t.test('events.get with text', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const add = (content: unknown, fields = {}): Promise<Answer> => alice.event({ content, ...fields })
  const found = async (text: unknown, more = {}): Promise<unknown> => {
    const { error, events } = await alice.call('events.get', { text, sortAscending: true, ...more })
    return error?.id ?? events.map(({ content, description }: Answer) => content ?? description)
  }
  await add('Migraine with aura, took 2 pills')
  await add('Kopfschmerzen in der Straße; CAFÉ')
  await add('NEAR("x" OR y*) ^z {a b} : - + "quoted"')
  await add('<p>Slept <b>bad</b>ly</p><script>hidden()</script><!-- unseen -->&Uuml;bel', {
    type: 'note/html'
  })
  await add(null, { type: 'test/nothing', description: 'of a number' })

  const cases: [string, unknown, number[]][] = [
    ['a word', 'migraine', [0]],
    ['the beginning of a word', 'migr', [0]],
    ['not its middle', 'graine', []],
    ['all words, in any order', 'pills aur', [0]],
    ['not some of them', 'pills strasse', []],
    ['without accents and case', 'strasse cafe KOPFSCHMERZEN', [1]],
    ['accents that are sought', 'càfé', [1]],
    ['a number', '2', [0]],
    ['what stands in the syntax of SQLite', 'NEAR', [2]],
    ['with quotes', '"quoted" "', [2]],
    ['with a single quote', "x' OR '1", []],
    ['with stars and carets', '*y* ^z', [2]],
    ['with a column', 'words: migraine', []],
    ['with NEAR(', 'NEAR(x y)', [2]],
    ['with AND, which is a word', 'migraine AND aura', []],
    ['with a NUL between words', 'migraine\0aura', [0]],
    ['with half a character', 'migraine \ud83d', [0]],
    ['with an emoji', '🤕 migraine 😀', [0]],
    ['across tags within a word', 'slept badly', [3]],
    ['not what is not seen', 'hidden', []],
    ['nor comments', 'unseen', []],
    ['nor names of tags', 'script', []],
    ['references to characters', 'übel', [3]],
    ['a description', 'number', [4]],
    ['200 characters', 'migraine '.repeat(22), [0]]
  ]
  const all = (await found('', { text: undefined, limit: 100 })) as unknown[]
  for (const [name, text, indexes] of cases)
    t.test(`finds ${name}`, async t => {
      const expected = indexes.map(index => all[index])
      t.same(await found(text), expected)
      const { body } = await alice.http(
        'GET',
        `/events?sortAscending=true&text=${encodeURIComponent(String(text).toWellFormed())}`
      )
      t.equal(body.events.length, expected.length, 'over HTTP')
      const call = { method: 'events.get', params: { text } }
      t.equal(
        (await alice.http('POST', '/', [call])).body.results[0].events.length,
        expected.length,
        'in a batch'
      )
    })

  const refused: [string, unknown][] = [
    ['nothing', ''],
    ['blanks', ' \n\t'],
    ['signs', '"*" - ^ ()'],
    ['an emoji', '😀'],
    ['half a character', '\udc00'],
    ['a NUL', '\0'],
    ['an accent', '\u0301'],
    ['201 characters', 'a'.repeat(201)],
    ['10,000 characters', 'a '.repeat(5000)],
    ['a number', 5],
    ['a list', ['a']],
    ['an object', { any: 'a' }]
  ]
  for (const [name, text] of refused)
    t.test(`refuses ${name}`, async t => {
      const answer = await alice.call('events.get', { text })
      t.match(answer, { status: 400, error: { id: 'invalid-parameters-format', data: [{ path: '#/text' }] } })
    })

  t.test('treats null as no text', async t => {
    t.equal(((await found(null)) as unknown[]).length, all.length)
  })

  t.test('works over sockets', async t => {
    const socket = await connect(t, service.server.url, alice.username, alice.token)
    t.equal((await socket.call('events.get', { text: 'migraine' })).events.length, 1)
    t.match(await socket.call('events.get', { text: '?' }), { error: { id: 'invalid-parameters-format' } })
  })

  t.test('finds nothing in the audit log', async t => {
    const query = { text: 'events', streams: [':_audit:action-events.get'] }
    t.same((await alice.do('events.get', query)).events, [])
  })

  t.test('finds long texts', async t => {
    const words = Array.from({ length: 3000 }, (_, n) => `long${n}`).join(' ')
    const { id } = await add(words)
    t.equal(((await found('long2999 long7')) as unknown[]).length, 1)
    await alice.do('events.update', { id, update: { content: 'brief long1' } })
    t.same(await found('long2999'), [])
    t.same(await found('long1'), ['brief long1'])
    await alice.do('events.update', { id, update: { content: words } })
    t.same(await found('brief'), [])
    t.equal(((await found('long2999')) as unknown[]).length, 1)
    for (const _ of 'ab') await alice.do('events.delete', { id })
    t.same(await found('long1'), [])
  })

  t.test('indexes a text of unfinished tags without slowing down', async t => {
    await assertTakesLessThan(t, 2000, async () => {
      const elapsed = stopwatch()
      await add('<'.repeat(100_000) + '<script'.repeat(100_000), { type: 'note/html' })
      await add('&'.repeat(200_000), { type: 'note/html' })
      return elapsed()
    })
  })

  t.test('is announced in service.info', async t => {
    t.equal((await alice.http('GET', '/service/info')).body.features.textQueries, true)
  })
})

/** Returns whether any page of an account's file, or its log, contains a text. */
async function holds(alice: Client, text: string): Promise<boolean> {
  const { id } = alice.service.server.services.accounts.find(alice.username)!
  const db = new SQLite(new Layout(alice.service.directory).userFile(id), { readonly: true })
  const rows =
    ['SELECT block AS bytes FROM event_word_data', 'SELECT term AS bytes FROM event_word_idx', 'SELECT words AS bytes FROM event_text'] // oxfmt-ignore
      .flatMap(sql => db.prepare(sql).pluck().all() as (Buffer | string)[])
  db.close()
  return rows.some(bytes => Buffer.from(bytes as string).includes(text))
}

t.test('removed texts leave no trace in the index', async t => {
  const { alice } = await openCoffer(t, {
    versioning: { forceKeepHistory: true, deletionMode: 'keep-nothing' }
  })
  await alice.stream('diary')
  const random = new Random(7)
  const ids: string[] = []
  for (let n = 0; n < 180; n++)
    ids.push((await alice.event({ content: `${someText(random)} confidential${n} q${n}q` })).id)
  t.notOk(await holds(alice, 'confidential'), 'not indexed yet')
  for (const id of ids.splice(150)) {
    await alice.do('events.update', { id, update: { content: 'harmless' } })
    for (const _ of 'ab') await alice.do('events.delete', { id })
  }
  await alice.service.server.settle()
  t.ok(await holds(alice, 'confidential'))
  t.notOk(await holds(alice, 'confidential165'), 'what went before is not indexed any more')
  for (const [n, id] of ids.entries()) {
    if (n % 3 === 0) await alice.do('events.update', { id, update: { content: 'harmless' } })
    else for (const _ of 'ab') await alice.do('events.delete', { id })
    if (n % 50 === 0) t.same((await alice.do('events.get', { text: `q${n}q` })).events, [])
  }
  t.notOk(await holds(alice, 'confidential'))
  t.notOk(await holds(alice, 'onfidential'), 'nor parts of words')
  t.same((await alice.do('events.get', { text: 'harm', limit: 1000 })).events.length, 50)
})

/** Returns one of many notes. */
function noteOf(n: number): Event {
  return {
    id: `c${String(n).padStart(24, '0')}`,
    streamIds: [n % 5 === 0 ? 'work' : 'diary'],
    streamId: 'diary',
    time: n % 7,
    type: 'note/txt',
    content: `word${n} common`,
    tags: [],
    created: 1,
    createdBy: 'system',
    modified: 1,
    modifiedBy: 'system'
  }
}

test('removing many texts in one call keeps the others findable', async t => {
  const { alice } = await openCoffer(t)
  const store = storeOf(alice)
  for (const id of ['diary', 'work']) await alice.stream(id)
  const events = Array.from({ length: 2000 }, (_, n) => noteOf(n))
  await store.write(() => events.forEach(each => store.events.insert(each)))
  for (const params of [{ id: 'diary' }, { id: 'diary', mergeEventsWithParent: false }])
    await alice.do('streams.delete', params)
  t.same(await pairsOf(alice), expectedPairs(events.filter((_, n) => n % 5 === 0)))
  t.equal((await alice.do('events.get', { text: 'common', limit: 9999 })).events.length, 400)
  const { id } = (await alice.do('events.get', { text: 'word5' })).events[0]
  for (const _ of 'ab') await alice.do('events.delete', { id })
  t.same(
    (await alice.do('events.get', { text: 'word5', limit: 99 })).events.length,
    22,
    'word50 and its like'
  )
})

t.test('the duration of a search reveals nothing about hidden texts', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['open', 'closed']) await alice.stream(id)
  await alice.event({ streamIds: ['open'], content: 'nothing here' })
  const store = storeOf(alice)
  const app = await alice.grantAll([{ streamId: '*', level: 'read' }, { streamId: 'closed', level: 'none' }]) // oxfmt-ignore
  for (const content of ['a secret', 'secrets']) await alice.event({ streamIds: ['closed'], content })
  t.same((await app.do('events.get', { text: 'secret', state: 'all' })).events, [])
  const texts = (): string[] => listStatements((store as unknown as { db: never }).db)
  t.notOk(
    texts().some(sql => sql.includes('event_vocabulary')),
    'the index is not asked'
  )
  await alice.do('events.get', { text: 'secret' })
  t.ok(
    texts().some(sql => sql.includes('event_vocabulary')),
    'but for who sees everything'
  )
})

test('a restored account', async t => {
  const service = await openCoffer(t)
  const { alice } = service
  await alice.stream('diary')
  const random = new Random(3)
  for (let n = 0; n < 30; n++) await alice.event({ content: someText(random) })
  await service.server.settle()
  const { events } = await alice.do('events.get', { limit: 100 })
  const folder = t.testdir()
  const pairs = pairsIn(alice)
  t.same(pairs, expectedPairs(events))
  const { id } = service.server.services.accounts.find('alice')!

  t.test('is indexed from its texts, even if the index in the backup was forged', async t => {
    const backup = join(folder, 'backup')
    t.match(await command(['backup', `--dataDir=${service.directory}`, backup]), { code: 0 })
    const forged = new ForgedBackup(join(folder, 'forged'), backup)
    forged.changeRows('alice', db => {
      db.exec(`DELETE FROM event_text WHERE event % 2 = 0; UPDATE event_text SET words = ' planted'`)
      db.exec("INSERT INTO event_word (rowid, words) VALUES (9999, 'planted'); DELETE FROM event_word_idx")
      db.exec("UPDATE event_word_config SET v = 0 WHERE k = 'secure-delete'")
    })
    const target = join(folder, 'restored')
    t.match(await command(['restore', forged.root, '--dataDir', target]), { code: 0 })
    t.same(pairsIn(alice, target), [], 'nothing of it is left')
    const db = openFile(new Layout(target).userFile(id), {
      migrations: userMigrations,
      synchronous: 'NORMAL'
    })
    t.teardown(() => db.close())
    const texts = new EventTexts(db)
    while (texts.hasPending()) db.transaction(() => texts.indexPending()).immediate()
    t.same(pairsIn(alice, target), pairs)
  })
  t.equal(meetsText(events[0], 'surely not there'), false)
})
