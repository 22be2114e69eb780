/** Contract of the object storage port, tested with the engine and with a bucket. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { appendAfter } from '../../../cluster/nats/append.js'
import { lastMessage } from '../../../cluster/nats/last.js'
import { doubtSubject, headSubject, objectsStream } from '../../../cluster/nats/object-subjects.js'
import { BucketObjects } from '../../../cluster/objects/bucket-objects.js'
import { parseBucketOptions, openObjects } from '../../../cluster/objects/open.js'
import type { Objects } from '../../../cluster/objects.js'
import { bucket } from '../../support/bucket.js'
import { EngineServers, until } from '../engine-servers.js'

t.setTimeout(900_000)

let files = 0

/** Stores bytes under a key. */
async function put(t: Test, objects: Objects, key: string, bytes: Buffer): Promise<void> {
  const path = join(t.testdirName, `put-${files++}`)
  writeFileSync(path, bytes)
  await objects.put(key, path)
}

/** Returns the bytes under a key; `undefined` if there are none. */
async function get(t: Test, objects: Objects, key: string): Promise<Buffer | undefined> {
  const path = join(t.testdirName, `get-${files++}`)
  const isThere = await objects.get(key, path)
  t.equal(existsSync(path), isThere)
  return isThere ? readFileSync(path) : undefined
}

/** Tests what every object store guarantees. */
async function keepsPromises(t: Test, objects: Objects): Promise<void> {
  t.testdir({})
  for (const [name, bytes] of [
    ['nothing', Buffer.alloc(0)],
    ['a byte', Buffer.from('x')],
    ['as much as a piece has', randomBytes(512 * 1024)],
    ['much', randomBytes(20_000_001)]
  ] as const) {
    await put(t, objects, 'file/cabc/c1', bytes)
    t.ok(
      bytes.equals((await get(t, objects, 'file/cabc/c1'))!),
      `${name} comes back, in the place of what was there`
    )
  }
  t.equal(await get(t, objects, 'file/cabc/c2'), undefined)

  await put(t, objects, 'file/cabc/c2', Buffer.from('two'))
  await put(t, objects, 'file/cabcd/c3', Buffer.from('three'))
  await put(t, objects, 'snap/cabc/12', Buffer.from('four'))
  t.same(await objects.list('file/cabc/'), ['file/cabc/c1', 'file/cabc/c2'])
  t.same(await objects.list('file/cabc'), ['file/cabc/c1', 'file/cabc/c2', 'file/cabcd/c3'])
  t.same(await objects.list('file/cabc/c2'), ['file/cabc/c2'])
  t.same(await objects.list('none/'), [])

  await objects.remove('file/cabc/c1')
  await objects.remove('file/cabc/c1')
  t.equal(await get(t, objects, 'file/cabc/c1'), undefined)
  t.same(await objects.list('file/'), ['file/cabc/c2', 'file/cabcd/c3'])

  const missing = join(t.testdirName, 'missing')
  await t.rejects(objects.put('snap/cabc/14', missing))
  t.equal(await get(t, objects, 'snap/cabc/14'), undefined, 'what could not be read is not stored')
  const there = join(t.testdirName, 'there')
  writeFileSync(there, 'kept')
  await t.rejects(objects.get('snap/cabc/12', there), { code: 'EEXIST' })
  t.equal(readFileSync(there, 'utf8'), 'kept')
}

const servers = await EngineServers.start(t)
const engine = await servers.connect(t)

t.test('a bucket', async t => {
  const { keys, settings } = await bucket(t)
  const { endpoint } = settings
  const address = `s3://S3RVER:S3RVER@safe/cluster/one?endpoint=${encodeURIComponent(endpoint)}`
  await keepsPromises(t, openObjects(address, engine))
  t.ok(keys().every(key => key.startsWith('cluster/one/')))

  const path = join(t.testdirName, 'failed')
  for (const wrong of [
    address.replace('//S3RVER', '//other'),
    address.replace('@safe', '@elsewhere'),
    's3://a:b@safe?endpoint=http://127.0.0.1:1'
  ]) {
    const objects = openObjects(wrong, engine)
    await t.rejects(objects.get('file/cabc/c2', path), EngineUnavailable)
    await t.rejects(objects.list(''), EngineUnavailable)
    t.notOk(existsSync(path))
  }
})

t.test('the engine', async t => {
  await servers.makeStreams(engine)
  const objects = openObjects('nats', engine)
  await keepsPromises(t, objects)

  // A real bucket guarantees this as well; the test server does not.
  const rivals = Array.from({ length: 6 }, () => randomBytes(1_500_000))
  await Promise.all(rivals.map(bytes => put(t, objects, 'snap/cabc/13', bytes)))
  const kept = await get(t, objects, 'snap/cabc/13')
  t.ok(
    rivals.some(bytes => bytes.equals(kept!)),
    'of several at once, one is there, whole'
  )

  for (const key of await objects.list('')) await objects.remove(key)
  // Concurrent writers may leave descriptions of what others have removed.
  await objects.sweep!(0)
  const info = await engine.connection.request('$JS.API.STREAM.INFO.COFFER_OBJECTS', '{}', { timeout: 5000 })
  t.match(info.json(), { state: { messages: 0 } }, 'no bytes stay of what was replaced, removed or given up')
  await t.rejects(objects.get('a b', join(t.testdirName, 'odd')), RangeError)

  await t.test('objects left by writers that died are swept, and no others', async t => {
    t.testdir({})
    const messages = async (): Promise<number> => {
      const { connection } = engine
      const answer = await connection.request('$JS.API.STREAM.INFO.COFFER_OBJECTS', '{}', { timeout: 5000 })
      return answer.json<{ state: { messages: number } }>().state.messages
    }
    const [kept, other] = [randomBytes(1_500_000), randomBytes(1_500_000)]
    await put(t, objects, 'file/c/kept', kept)
    const whole = await messages()

    const mortal = await servers.connect(t)
    const pipe = join(t.testdirName, 'pipe')
    await promisify(execFile)('mkfifo', [pipe])
    const putting = openObjects('nats', mortal).put('file/c/half', pipe)
    putting.catch(() => {})
    const source = await open(pipe, 'w')
    await source.write(other)
    await until('some of it to be there', async () => (await messages()) > whole + 1)
    await objects.sweep!(3600)
    await objects.sweep!(3600)
    t.ok((await messages()) > whole + 1, 'what is under way stays')
    await mortal.close()
    await source.close()
    await t.rejects(putting, EngineUnavailable)
    t.ok((await messages()) > whole, 'nobody has removed it')

    // As if it had taken longer than any timeout.
    const slow = join(t.testdirName, 'slow')
    await promisify(execFile)('mkfifo', [slow])
    const begun = await messages()
    const storing = objects.put('file/c/slow', slow)
    storing.catch(() => {})
    const rest = await open(slow, 'w')
    await rest.write(other)
    await until('some of it to be there', async () => (await messages()) > begun + 1)
    await objects.sweep!(0)
    await rest.write(other)
    await rest.close()
    await t.rejects(storing, EngineUnavailable, 'nobody is told that it is there')
    t.equal(await get(t, objects, 'file/c/slow'), undefined)

    // As if its writer had died just before this last step.
    const { connection } = engine
    const head = await lastMessage({ connection, timeoutMs: 5000 }, objectsStream, headSubject('file/c/kept'))
    const { id } = JSON.parse(Buffer.from(head!.bytes).toString()) as { id: string }
    const note = Buffer.from(headSubject('file/c/kept'))
    await appendAfter(connection, objectsStream, doubtSubject(id), note, 0, 5000)
    await objects.sweep!(0)
    t.equal(await messages(), whole)
    t.ok(kept.equals((await get(t, objects, 'file/c/kept'))!))
    await objects.remove('file/c/kept')
    t.equal(await messages(), 0)
  })

  const bytes = randomBytes(8_000_000)
  await put(t, objects, 'file/c/kill', bytes)
  const leader = await servers.leaderOf('COFFER_OBJECTS')
  const stored = put(t, objects, 'file/c/during', bytes)
  await servers.kill(leader)
  await stored
  // The next leader may be elected with a delay.
  for (const key of ['file/c/during', 'file/c/kill'])
    await until(`${key} is read`, async () =>
      get(t, objects, key).then(
        found => found?.equals(bytes) === true,
        (error: unknown) => {
          if (error instanceof EngineUnavailable) return false
          throw error
        }
      )
    )

  await servers.kill((leader + 1) % 3)
  await t.rejects(put(t, objects, 'file/c/late', Buffer.from('x')), EngineUnavailable)
})

t.test('the address of a bucket', async t => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  t.same(parseBucketOptions('s3://safe', keys), {
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    region: 'us-east-1',
    bucket: 'safe',
    prefix: '',
    accessKey: 'id',
    secretKey: 'secret'
  })
  t.match(parseBucketOptions('s3://a:b%2Fc@safe/one/two/?endpoint=https://s3.example.org&region=eu', {}), {
    endpoint: 'https://s3.example.org',
    region: 'eu',
    prefix: 'one/two/',
    accessKey: 'a',
    secretKey: 'b/c'
  })
  t.throws(() => parseBucketOptions('s3://safe', {}), /Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/)
})

t.test('a bucket whose server stops responding', async t => {
  t.testdir({})
  let isBegun = false
  const server = createServer((request, response) => {
    request.resume()
    // A response starts and never continues; other requests get no response.
    if (request.method !== 'GET' || request.url!.includes('?')) return
    isBegun = true
    response.writeHead(200, { 'content-length': '1000' }).write('the beginning')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const options = parseBucketOptions(`s3://some?endpoint=http://127.0.0.1:${port}`, environment)
  const objects = new BucketObjects({ ...options, timeoutMs: 200 })
  await t.rejects(put(t, objects, 'file/cabc/c1', Buffer.from('x')), EngineUnavailable, 'storing')
  await t.rejects(objects.list('file/'), EngineUnavailable, 'listing')
  await t.rejects(objects.remove('file/cabc/c1'), EngineUnavailable, 'removing')
  const path = join(t.testdirName, 'half')
  await t.rejects(objects.get('file/cabc/c1', path), EngineUnavailable, 'reading')
  t.ok(isBegun)
  t.notOk(existsSync(path), 'nothing half is left')
})
