/** Previews over HTTP: their appearance, permissions and cache. (docs/spec/previews.md) */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ManualClock } from '../../../../core/time.js'
import { startServer } from '../../../../server/server.js'
import { ServerProcess } from '../../../durability/server-process.js'
import { Client, coffer, Service, testSettings, type Answer, methodModules } from '../../../support/coffer.js'
import {
  animation,
  firstPixel,
  lookAt,
  manyFrames,
  manyPages,
  manyScans,
  noPictures,
  picture
} from '../../../support/pictures.js'

const day = 86_400

interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly error: { id: string; message: string } | undefined
}

async function show(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET'
): Promise<Shown> {
  const response = await fetch(`${client.service.server.url}/${client.username}${path}`, {
    method,
    headers: { authorization: client.token, ...headers }
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  const error = isJson && bytes.length > 0 ? JSON.parse(String(bytes)).error : undefined
  return { status: response.status, headers: response.headers, bytes, error }
}

/** Creates an event with a file; returns its id. */
async function withFile(client: Client, bytes: Buffer, fields: object = {}): Promise<string> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached', ...fields }))
  form.append('file', new Blob([new Uint8Array(bytes)]), 'picture')
  const { body } = await client.http('POST', '/events', form)
  return body.event.id
}

t.setTimeout(900_000)

t.test('GET /{username}/events/{id}.jpg', { skip: noPictures }, async t => {
  const service = await coffer(t, {
    previews: {
      cacheMaxAge: 7 * day,
      maxPixels: 10_000_000,
      maxFileBytes: 2_000_000,
      concurrency: 1,
      maxWaiting: 3
    }
  })
  const { alice, clock } = service
  await alice.stream('diary')
  await alice.stream('attic')
  const wide = await withFile(alice, await picture(600, 400))
  const files = (): string[] =>
    readdirSync(join(service.directory, 'users'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.includes('previews') && name.endsWith('.jpg'))
      .map(name => join(service.directory, 'users', name))

  t.test('returns a progressive JPEG without metadata, for private caches only', async t => {
    const { bytes, headers, status } = await show(alice, `/events/${wide}.jpg`)
    t.equal(status, 200)
    t.match(Object.fromEntries(headers), {
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'cache-control': 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'access-id': alice.access.id,
      etag: /^"/
    })
    t.match(await lookAt(bytes), {
      format: 'jpeg',
      isProgressive: true,
      width: 256,
      height: 171,
      exif: undefined
    })
    t.notMatch(String(bytes), 'somebody secret')
  })

  t.test('is available at several paths, also with the token in the query', async t => {
    for (const path of [
      `/events/${wide}.jpeg`,
      `/previews/events/${wide}`,
      `/previews/events/${wide}.jpg`,
      `/previews/events/${wide}.jpeg`
    ])
      t.equal((await show(alice, path)).headers.get('content-type'), 'image/jpeg', path)
    const url = `${service.server.url}/alice/events/${wide}.jpg?auth=${alice.token}`
    t.equal((await fetch(url)).status, 200)
    const { body } = await alice.http('GET', `/events/${wide}`)
    t.equal(body.event.id, wide, 'without a suffix it is the event')
  })

  for (const [query, width, height] of [
    ['w=300', 512, 341],
    ['width=300', 512, 341],
    ['h=300', 768, 512],
    ['height=100', 384, 256],
    ['w=300&h=100', 512, 341],
    ['width=100&height=100', 384, 256],
    ['w=4000', 1024, 683]
  ] as const)
    t.test(`uses a standard size for ${query}`, async t => {
      t.match(await lookAt((await show(alice, `/events/${wide}.jpg?${query}`)).bytes), { width, height })
    })

  for (const query of ['w=0', 'w=-5', 'h=many', 'width=1.5', 'w=1e9', 'w=', 'unheardOf=1'])
    t.test(`refuses ${query}`, async t => {
      t.match(await show(alice, `/events/${wide}.jpg?${query}`), {
        status: 400,
        error: { id: 'invalid-parameters-format' }
      })
    })

  t.test('rotates images according to their EXIF orientation', async t => {
    const id = await withFile(alice, await picture(600, 400, { orientation: 6 }))
    t.match(await lookAt((await show(alice, `/events/${id}.jpg?w=100&h=1`)).bytes), {
      width: 256,
      height: 384
    })
  })

  t.test('returns the first frame of an animation', async t => {
    const id = await withFile(alice, await animation(40, 20, ['lime', 'blue']))
    const { bytes } = await show(alice, `/events/${id}.jpg`)
    t.match(await lookAt(bytes), { width: 256, height: 128 })
    const [red, green, blue] = await firstPixel(bytes)
    t.ok(green! > 200 && red! < 50 && blue! < 50, `${red} ${green} ${blue}`)
  })

  for (const format of ['png', 'webp', 'tiff'])
    t.test(`accepts ${format}`, async t => {
      const id = await withFile(alice, await picture(20, 20, { format }))
      t.equal((await show(alice, `/events/${id}.jpg`)).status, 200)
    })

  t.test('returns 204 for events of other types', async t => {
    const { id } = await alice.event()
    const { bytes, status } = await show(alice, `/events/${id}.jpg`)
    t.equal(status, 204)
    t.equal(bytes.length, 0)
    const file = await withFile(alice, await picture(20, 20), { type: 'file/attached' })
    t.equal((await show(alice, `/events/${file}.jpg`)).status, 204)
  })

  t.test('refuses files that are not images', async t => {
    const { id: bare } = await alice.event({ type: 'picture/attached', content: null })
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'
    const ids = {
      'no file': bare,
      'an empty file': await withFile(alice, Buffer.alloc(0)),
      text: await withFile(alice, Buffer.from('hello')),
      svg: await withFile(alice, Buffer.from(svg)),
      'too many pixels': await withFile(alice, await picture(4000, 3000, { format: 'png' })),
      'too many bytes': await withFile(
        alice,
        Buffer.concat([await picture(600, 400), Buffer.alloc(2_000_001)])
      ),
      'half a header': await withFile(alice, (await picture(600, 400)).subarray(0, 100))
    }
    for (const [what, id] of Object.entries(ids))
      for (const query of ['', '?w=10&h=10'])
        t.match(
          await show(alice, `/events/${id}.jpg${query}`),
          { status: 422, error: { id: 'corrupted-data' } },
          what
        )
  })

  const bombs = {
    'a JPEG of very many scans': manyScans(3000, 3000, 10_000),
    'a WebP of very many frames': manyFrames(40_000),
    'a TIFF of very many pages': manyPages(100_000)
  }
  for (const [what, bytes] of Object.entries(bombs))
    t.test(`refuses ${what} quickly`, async t => {
      const id = await withFile(alice, bytes)
      for (const query of ['', '?w=10&h=10']) {
        const before = process.cpuUsage()
        const refused = { status: 422, error: { id: 'corrupted-data' } }
        t.match(await show(alice, `/events/${id}.jpg${query}`), refused)
        const { system, user } = process.cpuUsage(before)
        t.ok(user + system < 1_000_000, `${(user + system) / 1000} ms of the processor`)
      }
    })

  t.test('returns the readable part of a truncated image', async t => {
    const whole = await picture(600, 400)
    const id = await withFile(alice, whole.subarray(0, whole.length - 200))
    const { bytes, status } = await show(alice, `/events/${id}.jpg`)
    t.equal(status, 200)
    t.match(await lookAt(bytes), { width: 256, format: 'jpeg' })
  })

  t.test('is refused without permission to read the event, cached or not', async t => {
    const reader = await alice.grant('read', 'diary')
    const sensor = await alice.grant('create-only', 'diary')
    const outsider = await alice.grant('read', 'attic')
    t.equal((await show(reader, `/events/${wide}.jpg`)).status, 200)
    for (const client of [sensor, outsider])
      for (const size of ['', '?w=700'])
        t.match(await show(client, `/events/${wide}.jpg${size}`), { status: 403, error: { id: 'forbidden' } })
    t.match(await show(alice, `/events/${wide}.jpg`, { authorization: 'no-such-token' }), {
      status: 401,
      error: { id: 'invalid-access-token' }
    })
    t.equal((await fetch(`${service.server.url}/alice/events/${wide}.jpg`)).status, 401)
    t.match(await show(alice, '/events/cunknown00000000000000000.jpg'), {
      status: 404,
      error: { id: 'unknown-resource' }
    })
    t.equal((await fetch(`${service.server.url}/nobody/events/${wide}.jpg`)).status, 404)
    await alice.do('accesses.delete', { id: reader.access.id })
    t.equal((await show(reader, `/events/${wide}.jpg`, { 'if-none-match': '*' })).status, 401)
  })

  t.test('is not sent again if the client has it', async t => {
    const { headers } = await show(alice, `/events/${wide}.jpg`)
    const tag = headers.get('etag')!
    const again = await show(alice, `/events/${wide}.jpg`, { 'if-none-match': tag })
    t.equal(again.status, 304)
    t.equal(again.headers.get('etag'), tag)
    t.equal((await show(alice, `/events/${wide}.jpg?w=300`, { 'if-none-match': tag })).status, 200)
    await alice.do('events.update', { id: wide, update: { description: 'in spring' } })
    t.equal((await show(alice, `/events/${wide}.jpg`, { 'if-none-match': tag })).status, 200)
    const head = await show(alice, `/events/${wide}.jpg`, {}, 'HEAD')
    t.match(head, { status: 200, bytes: { length: 0 } })
    t.ok(Number(head.headers.get('content-length')) > 0)
  })

  t.test('follows the event: outdated previews are removed, and all of them with the event', async t => {
    const before = files().length
    const id = await withFile(alice, await picture(50, 40))
    await show(alice, `/events/${id}.jpg`)
    await show(alice, `/events/${id}.jpg?w=300`)
    t.equal(files().length, before + 2)
    await alice.do('events.update', { id, update: { description: 'again' } })
    await show(alice, `/events/${id}.jpg`)
    t.equal(files().length, before + 2)
    await alice.do('events.delete', { id })
    t.equal((await show(alice, `/events/${id}.jpg`)).status, 200, 'trashed')
    await alice.do('events.delete', { id })
    t.equal(files().length, before)
    t.equal((await show(alice, `/events/${id}.jpg`)).status, 404)
  })

  t.test('renders once for concurrent requests; refuses too many different ones for now', async t => {
    const many = await withFile(alice, await picture(1500, 1000))
    const same = await Promise.all(Array.from({ length: 20 }, () => show(alice, `/events/${many}.jpg`)))
    t.ok(
      same.every(({ status }) => status === 200),
      'more than may wait'
    )
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => await withFile(alice, await picture(1500, 1000)))
    )
    const different = await Promise.all(ids.map(id => show(alice, `/events/${id}.jpg`)))
    const refused = different.filter(({ status }) => status === 503)
    t.ok(refused.length > 0 && refused.length < ids.length, `${refused.length} refused`)
    t.match(refused[0], { error: { id: 'api-unavailable' } })
    t.ok(Number(refused[0]!.headers.get('retry-after')) > 0)
    for (const id of ids) t.equal((await show(alice, `/events/${id}.jpg`)).status, 200)
  })

  t.test('of one user do not starve those of others', async t => {
    const bob = await service.user('bobby')
    await bob.stream('diary')
    const theirs = await withFile(bob, await picture(50, 40))
    const ids = await Promise.all(
      Array.from({ length: 12 }, () => picture(1500, 1000)).map(async one => withFile(alice, await one))
    )
    const many = Promise.all(ids.map(id => show(alice, `/events/${id}.jpg`)))
    t.equal((await show(bob, `/events/${theirs}.jpg`)).status, 200)
    t.ok((await many).some(({ status }) => status === 503))
  })

  t.test('removes previews that were not used for a week, on request', async t => {
    for (const path of files()) utimesSync(path, clock.now(), clock.now())
    const kept = files().length
    t.ok(kept > 2)
    const clean = async (path: string): Promise<unknown> => {
      const { body, status } = await service.http('POST', path)
      return { status, message: body.message }
    }
    t.match(await clean('/clean-up-cache'), { status: 200, message: /removed/ })
    t.match(await clean('/alice/clean-up-cache'), { status: 200, message: /has just been/ })
    t.equal(files().length, kept)
    clock.advance(6 * day)
    await show(alice, `/events/${wide}.jpg`)
    clock.advance(2 * day)
    t.match(await clean('/alice/clean-up-cache'), { status: 200, message: /removed/ })
    t.equal(files().length, 1, 'but the one that was looked at')
    t.equal((await service.http('POST', '/nobody/clean-up-cache')).status, 404)
    t.equal((await show(alice, `/events/${wide}.jpg?w=300`)).status, 200)
  })

  t.test('renders again if a file is lost or cannot be stored', async t => {
    const id = await withFile(alice, await picture(50, 40))
    const shards = join(service.directory, 'users')
    const previews = readdirSync(shards, { recursive: true, encoding: 'utf8' }).find(name =>
      name.endsWith('previews')
    )!
    const event = (await alice.do('events.getOne', { id })).event
    // A file in place of the preview's folder.
    writeFileSync(join(shards, previews, event.attachments[0].id.slice(-2)), '')
    t.equal((await show(alice, `/events/${id}.jpg`)).status, 200)
  })

  t.test('OPTIONS returns 200', async t => {
    for (const path of ['/', `/alice/events/${wide}.jpg`, '/clean-up-cache'])
      t.equal((await fetch(service.server.url + path, { method: 'OPTIONS' })).status, 200)
  })
})

t.test('the cache survives a restart', { skip: noPictures }, async t => {
  const directory = t.testdir()
  const clock = new ManualClock()
  const start = async (): Promise<Service> =>
    new Service(await startServer(testSettings(directory), { clock, methodModules }), clock, directory)
  const first = await start()
  const bob = await first.user('bobby')
  await bob.stream('diary')
  const id = await withFile(bob, await picture(50, 40))
  const rendered = await show(bob, `/events/${id}.jpg`)
  await first.server.close()

  const second = await start()
  const cached = readdirSync(directory, { recursive: true, encoding: 'utf8' }).find(name =>
    name.endsWith('.jpg')
  )!
  const mark = Buffer.concat([rendered.bytes, Buffer.from('from the cache')])
  writeFileSync(join(directory, cached), mark)
  const again = await show(new Client(second, 'bobby', bob.access), `/events/${id}.jpg`)
  t.same(again.bytes, mark)
  t.equal(again.headers.get('etag'), rendered.headers.get('etag'))
  await second.server.close()
})

t.test('without sharp', async t => {
  const directory = t.testdir({
    data: {},
    'hide.mjs': "import { register } from 'node:module'\nregister('./hooks.mjs', import.meta.url)\n",
    'hooks.mjs': `export async function resolve(name, context, next) {
      if (name === 'sharp') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      return await next(name, context)
    }`
  })
  const service = await ServerProcess.start(join(directory, 'data'), [], {
    NODE_OPTIONS: `--import=${join(directory, 'hide.mjs')}`
  })
  t.teardown(() => service.kill())
  const post = async (path: string, body: FormData | object, authorization = ''): Promise<Answer> => {
    const isForm = body instanceof FormData
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        origin: service.url,
        authorization,
        ...(isForm ? {} : { 'content-type': 'application/json' })
      },
      body: isForm ? body : JSON.stringify(body)
    })
    return await response.json()
  }
  const account = { appId: 'a-test', username: 'carol', password: 'no pictures', email: 'carol@example.com' }
  await post('/users', account)
  const { token } = await post('/carol/auth/login', account)
  await post('/carol/streams', { id: 'diary', name: 'Diary' }, token)
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
  form.append('file', new Blob(['would be a picture']), 'picture')
  const { event } = await post('/carol/events', form, token)
  const note = await post('/carol/events', { streamIds: ['diary'], type: 'note/txt', content: 'hi' }, token)

  t.test('previews are unavailable, and the error says why', async t => {
    const response = await fetch(`${service.url}/carol/events/${event.id}.jpg?auth=${token}`)
    t.equal(response.status, 503)
    t.match(await response.json(), { error: { id: 'api-unavailable', message: /"sharp" is not installed/ } })
  })

  t.test('everything else works', async t => {
    const get = async (path: string): Promise<number> =>
      (await fetch(`${service.url}/carol${path}?auth=${token}`)).status
    t.equal(await get(`/events/${event.id}`), 200)
    t.equal(await get(`/events/${note.event.id}.jpg`), 204)
    t.equal((await fetch(`${service.url}/clean-up-cache`, { method: 'POST' })).status, 200)
  })
})
