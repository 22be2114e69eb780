/** Large and hostile bodies of every dialect, over HTTP: large ones are read in a thread, as small ones are read at once. */
import t from 'tap'
import { ApiError } from '../../../core/errors.js'
import { dialects } from '../../../transports/receive/dialects.js'
import { readRequest } from '../../../transports/receive/read-request.js'
import { ReadThread } from '../../../transports/receive/read-thread.js'
import { coffer } from '../../support/coffer.js'
import { seeded, type Random } from '../../support/random.js'
import { connect, look, points, send } from './connecting.js'
import { request } from './dialects/reading.js'
import { everyDialect, getPath, type DialectCase } from './every-dialect.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const start = 1_699_990_000
const party = { account: 'alice', access: 'x' }
const mappings = new Map(everyDialect.map(({ dialect, fields }) => [dialect, fields]))

/** Makes a body larger than those that are read at once, without changing what it means. */
function pad(body: unknown): string {
  const blank = ' '.repeat(300_000)
  return typeof body === 'string' ? `#${blank}\n${body}` : `${JSON.stringify(body)}${blank}`
}

t.test('a thread reads what is read at once', async t => {
  const thread = new ReadThread()
  for (const each of everyDialect) {
    const dialect = dialects.get(each.dialect)!
    const connection = { name: 'app', sensitive: true, ...mappings.get(each.dialect) }
    const [path] = each.path.split('?')
    const given = { now: start, path: path!, connection, query: { precision: 's' } }
    const build = () => request(pad(each.build(start, 1)), given)
    const { answer, reading } = readRequest(dialect, build())
    const read = await thread.read(each.dialect, build(), party)
    t.same(read.answer, answer, each.dialect)
    t.same(read.reading.records, reading.records, each.dialect)
    t.same([...read.reading.notUnderstood], [...reading.notUnderstood])
  }
  const image = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(300_000)])
  const photo = { _type: 'location', lat: 1, lon: 2, tst: start, image: image.toString('base64') }
  const { reading } = await thread.read('owntracks', request(photo), party)
  const [bytes] = reading.records.flatMap(({ fileBytes }) => [...(fileBytes?.values() ?? [])])
  t.ok(Buffer.isBuffer(bytes) && bytes.equals(image))
  const refused = async (body: string, message: RegExp): Promise<void> => {
    const reading = thread.read('owntracks', request(body), party)
    await t.rejects(reading, { id: 'invalid-request-structure', message })
    t.ok((await reading.catch((error: unknown) => error)) instanceof ApiError)
  }
  await refused(`[${'{},'.repeat(500_000)}{}]`, /more than 400000 entries/)
  await refused(`{"_type": ${' '.repeat(300_000)}`, /not valid JSON/)
  const several = await Promise.allSettled(
    [1, 2, 3].map(async () => await thread.read('owntracks', request(pad(photo)), party))
  )
  t.same(
    several.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled']
  )
  const slow = new ReadThread(1)
  await t.rejects(slow.read('owntracks', request(pad(photo)), party), { message: /takes too long/ })
})

t.test('a time limit that passes while records are collected does not stop later bodies', async t => {
  // Starting the thread takes more than three seconds on a very busy machine.
  const timeoutMs = 10_000
  const thread = new ReadThread(timeoutMs)
  const message = { _type: 'location', lat: 1, lon: 2, tst: start }
  // Loads the thread.
  await thread.read('owntracks', request(pad(message)), party)
  const many = Array.from({ length: 20_000 }, (_, index) => ({ ...message, tst: start + index }))
  let isBlocked = false
  // Collecting takes several turns. When it waits for its next turn, this thread is blocked until the limit has passed.
  const delayed = {
    ...party,
    get account() {
      if (!isBlocked) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs)
      isBlocked = true
      return party.account
    }
  }
  const { reading } = await thread.read('owntracks', request(pad(many)), delayed)
  t.equal(reading.records.length, many.length)
  t.ok(isBlocked)
  const { reading: later } = await thread.read('owntracks', request(pad(message)), party)
  t.equal(later.records.length, 1)
})

t.test('a large body blocks nobody, and is stored', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const count = 3000
  const locations = Array.from({ length: count }, (_, at) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [6, 46 + at / 1e5] },
    properties: { timestamp: new Date((start + at) * 1000).toISOString(), note: 'x'.repeat(200) }
  }))
  for (let round = 0; round < 2; round++)
    t.match(await send(alice, 'overland', connection, { locations }), { status: 200, body: { result: 'ok' } })
  t.equal((await points(alice)).length, count)
  t.match(await look(alice, connection), { received: 2 * count, lastProblem: null })
})

/** Values that no app should send. */
const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  -1e308,
  '1e999',
  'NaN',
  '',
  [],
  {},
  '0000-00-00T99:99:99Z',
  '+999999-12-31T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  8.64e15,
  'x'.repeat(2000),
  '\u0000\ud800',
  '__proto__'
]

/** Replaces one value within a body, or repeats it in a list. */
function spoil(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15))
    return hostile[random.below(hostile.length)]
  if (Array.isArray(value))
    return random.chance(0.3) ? [...value, ...value] : value.map(each => spoil(each, random))
  const names = Object.keys(value)
  const chosen = names[random.below(names.length)]!
  const rest = value as Record<string, unknown>
  return { ...rest, [chosen]: spoil(rest[chosen], random) }
}

function spoilText(text: string, random: Random): string {
  const parts = [' f=NaN', ' f=1e999', ' 9223372036854775808', ',a=', '\\', '"', ' f=99999999999999999999i']
  const at = random.below(text.length)
  return text.slice(0, at) + parts[random.below(parts.length)]! + text.slice(at)
}

t.test('hostile bodies of every dialect are stored or refused, and change nothing else', async t => {
  const random = seeded(t)
  const { alice } = await coffer(t)
  const { service } = alice
  const tokens = new Map<DialectCase, string>()
  for (const each of everyDialect)
    tokens.set(each, (await connect(alice, each.dialect, { name: 'app', ...each.fields })).token)
  const post = async (each: DialectCase, body: unknown): Promise<number> => {
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? 'null')
    const response = await fetch(`${service.server.url}/alice/${getPath(each, tokens.get(each)!)}`, {
      method: 'POST',
      body: text
    })
    await response.arrayBuffer()
    return response.status
  }
  for (const each of everyDialect) {
    const bodies = Array.from({ length: isLong ? 200 : 20 }, (_, at) => {
      const valid = each.build(start + at, at)
      return typeof valid === 'string' ? spoilText(valid, random) : spoil(valid, random)
    })
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    for (const body of [...bodies, deep, pad(bodies[0]), `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`]) {
      const status = await post(each, body)
      if (status !== 400 && (status < 200 || status >= 300))
        t.fail(`${each.dialect}: ${status} for ${JSON.stringify(body).slice(0, 500)}`)
    }
    t.match(await post(each, each.build(start + 1000, 1000)), /^20[0-4]$/, `${each.dialect} still works`)
  }
  t.equal((await alice.http('GET', '/events?limit=1')).status, 200)
  t.match(await alice.call('account.get'), { account: { username: 'alice' } })
})

t.test('a token opens its own dialect and account only, wherever it stands', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bobby = await service.user('bobby')
  const tokens: string[] = []
  for (const { dialect, fields } of everyDialect)
    tokens.push((await connect(alice, dialect, { name: 'app', ...fields })).token)
  for (const [at, each] of everyDialect.entries()) {
    const body = each.build(start, 1)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const post = async (user: string, token: string): Promise<number> => {
      const url = `${service.server.url}/${user}/${getPath(each, token)}`
      return (await fetch(url, { method: 'POST', body: text })).status
    }
    for (const [other, token] of tokens.entries())
      if (other !== at)
        t.equal(await post('alice', token), 401, `${everyDialect[other]!.dialect} at ${each.dialect}`)
    t.equal(await post('bobby', tokens[at]!), 401, `${each.dialect} of another user`)
    for (const odd of [
      `${tokens[at]}%00`,
      `%20${tokens[at]!.slice(1)}`,
      '',
      '~',
      '..',
      tokens[at]!.toUpperCase()
    ])
      t.notMatch(await post('alice', odd), /^[25]/, `${each.dialect}: ${odd}`)
  }
  t.same(await points(alice), [])
  t.same((await bobby.do('connections.get')).connections, [])
})
