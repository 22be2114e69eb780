/** Calls and batches by the client: results, errors, and which requests are retried. */
import t from 'tap'
import { Coffer, CofferError, methodsOf, newId, settled } from '../../client/src/index.js'
import { coffer } from '../support/coffer.js'
import { cofferOf, cut, lose, pass, refusalOf, refuse, scripted } from '../support/own-client.js'

t.test('the client', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'hello' }

  t.test('call', async t => {
    await t.test('returns the result', async t => {
      const { event } = await mine.call('events.create', note)
      t.match(await mine.call('events.getOne', { id: event.id }), { event: { content: 'hello' } })
      t.match(await mine.call('getAccessInfo'), { type: 'personal', user: { username: 'alice' } })
      t.equal(mine.serverTime, alice.service.clock.now())
    })

    await t.test('rejects with the error of the server', async t => {
      const error = await mine.call('events.create', { ...note, type: 'nothing' }).catch(each => each)
      t.type(error, CofferError)
      t.match(error, { id: 'invalid-parameters-format', message: /./, data: [{ path: '#/type' }] })
      const stranger = cofferOf(alice, { token: 'nobody' })
      t.match(await refusalOf(stranger.call('getAccessInfo')), { id: 'invalid-access-token', status: 401 })
    })

    await t.test('is also available as a function per method', async t => {
      const { events, getAccessInfo, streams } = methodsOf(mine)
      t.match(await events.get({ limit: 1 }), { events: [{ content: 'hello' }] })
      t.match(await streams.get(), { streams: [{ id: ':_audit:' }, { id: 'diary' }] })
      t.match(await getAccessInfo(), { type: 'personal' })
      t.match(await refusalOf(events.getOne({ id: newId() })), { id: 'unknown-resource' })
    })

    await t.test('is batched with other calls of the same turn if areJoined is set', async t => {
      const { asked, url } = await scripted(t, server.url, pass)
      const joined = new Coffer(`${url}/alice/`, { token: alice.token, areJoined: true })
      const [first, second, third] = await Promise.allSettled([
        joined.call('events.get', { limit: 1 }),
        joined.call('events.getOne', { id: 'nowhere' }),
        joined.call('streams.get', {}, { signal: new AbortController().signal })
      ])
      t.match(first, { value: { events: [Object] } })
      t.match(second, { reason: { id: 'unknown-resource' } })
      t.match(third, { value: { streams: Array } })
      t.same(asked.map(({ body }) => (JSON.parse(body) as unknown[]).length).toSorted(), [1, 2])
    })
  })

  t.test('batch', async t => {
    await t.test('returns a result or an error for each call', async t => {
      const [made, refused, read] = await mine.batch([
        { method: 'events.create', params: note },
        { method: 'events.getOne', params: { id: 'nowhere' } },
        { method: 'events.get', params: { limit: 1 } }
      ])
      t.match(made, { event: { content: 'hello' } })
      t.type(refused, CofferError)
      t.match(refused, { id: 'unknown-resource' })
      t.match(read, { events: [Object] })
      t.throws(() => settled([made, refused]), CofferError)
      t.same(settled([made, read]), [made, read])
    })

    await t.test('is split into requests and reports progress', async t => {
      const { asked, url } = await scripted(t, server.url, pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      const calls = Array.from({ length: 25 }, (_, index) => ({
        method: 'events.create' as const,
        params: { ...note, content: `number ${index}` }
      }))
      const told: unknown[] = []
      const results = await through.batch(calls, {
        callsAtOnce: 10,
        onProgress: (done, total, until) => void told.push([done, total, until.length])
      })
      t.same(told, [
        [10, 25, 10],
        [20, 25, 20],
        [25, 25, 25]
      ])
      t.match(
        results.map(result => (result instanceof CofferError ? result : result.event.content)),
        calls.map(({ params }) => params.content)
      )
      const long = Array.from({ length: 3 }, () => ({
        method: 'events.create' as const,
        params: { ...note, content: 'x'.repeat(900_000) }
      }))
      await through.batch(long)
      t.same(
        asked.slice(3).map(({ body }) => (JSON.parse(body) as unknown[]).length),
        [2, 1],
        'nor is a request too long'
      )
      t.same(await through.batch([]), [])
    })

    await t.test('rejects if a request fails, after reporting what is done', async t => {
      const { url } = await scripted(t, server.url, pass, refuse(403))
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      const calls = [1, 2].map(() => ({ method: 'streams.get' as const }))
      const told: unknown[] = []
      t.match(
        await refusalOf(
          through.batch(calls, { callsAtOnce: 1, onProgress: (...all) => void told.push(all) })
        ),
        {
          status: 403
        }
      )
      t.match(told, [[1, 2, [{ streams: Object }]]])
    })
  })

  t.test('a throttled request', async t => {
    for (const status of [429, 503])
      await t.test(`is retried after ${status} with Retry-After, even if it writes`, async t => {
        const { asked, url } = await scripted(t, server.url, refuse(status, 0), refuse(status, 0), pass)
        const through = new Coffer(`${url}/alice/`, { token: alice.token })
        t.match(await through.call('events.create', note), { event: Object })
        t.equal(asked.length, 3)
      })

    await t.test('waits for the time given in Retry-After', async t => {
      const { url } = await scripted(t, server.url, refuse(429, 1), pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      const began = performance.now()
      await through.call('streams.get')
      t.ok(performance.now() - began >= 1000)
    })

    await t.test('fails after the last retry, or immediately if Retry-After is too long', async t => {
      const { asked, url } = await scripted(t, server.url, refuse(429, 0))
      const through = new Coffer(`${url}/alice/`, { token: alice.token, retries: 2 })
      t.match(await refusalOf(through.call('streams.get')), {
        id: 'too-many-requests',
        status: 429,
        retryAfter: 0
      })
      t.equal(asked.length, 3)
      const { asked: once, url: patient } = await scripted(t, server.url, refuse(503, 3600))
      const other = new Coffer(`${patient}/alice/`, { token: alice.token })
      t.match(await refusalOf(other.call('streams.get')), { id: 'api-unavailable', retryAfter: 3600 })
      t.equal(once.length, 1)
    })

    await t.test('is not repeated after 503 without Retry-After if it writes', async t => {
      const { asked, url } = await scripted(t, server.url, refuse(503))
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      t.match(await refusalOf(through.call('events.create', note)), { status: 503 })
      t.equal(asked.length, 1)
    })
  })

  t.test('a request without a response', async t => {
    await t.test('is retried if it reads', async t => {
      const { asked, url } = await scripted(t, server.url, cut, pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      t.match(await through.call('streams.get'), { streams: Array })
      t.equal(asked.length, 2)
    })

    await t.test('is not retried if it writes', async t => {
      const { asked, url } = await scripted(t, server.url, lose, pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      t.match(await refusalOf(through.call('events.create', { ...note, content: 'once' })), { id: 'offline' })
      t.equal(asked.length, 1)
      const found = await alice.do('events.get', { limit: 100 })
      t.equal(contents(found).filter(content => content === 'once').length, 1)
    })

    await t.test('is retried if it creates an event with a given id, and creates it once', async t => {
      const { asked, url } = await scripted(t, server.url, lose, pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      const id = newId()
      const answer = await through.call('events.create', { ...note, id, content: 'named' })
      t.match(answer, { event: { id, content: 'named' } })
      t.equal(asked.length, 3, 'the second attempt is told that it exists, and reads it')
      const found = await alice.do('events.get', { limit: 100 })
      t.equal(contents(found).filter(content => content === 'named').length, 1)
    })

    await t.test('reports that the event exists if the access cannot read it', async t => {
      const { asked, url } = await scripted(t, server.url, lose, pass)
      const { token } = await alice.grant('create-only', 'diary')
      const through = new Coffer(`${url}/alice/`, { token })
      const sent = { ...note, id: newId(), content: 'unread' }
      t.match(await refusalOf(through.call('events.create', sent)), { id: 'item-already-exists' })
      t.equal(asked.length, 3)
    })

    await t.test('does not return an event of another user for the given id', async t => {
      const { event } = await mine.call('events.create', { ...note, content: 'theirs' })
      const { url } = await scripted(t, server.url, cut, pass)
      const through = new Coffer(`${url}/alice/`, { token: alice.token })
      const sent = { ...note, id: event.id, content: 'mine' }
      t.match(await refusalOf(through.call('events.create', sent)), { id: 'item-already-exists' })
      t.match(await refusalOf(mine.call('events.create', { ...sent, content: 'theirs' })), {
        id: 'item-already-exists'
      })
    })

    await t.test('rejects with an error of the client: offline or timeout', async t => {
      const nowhere = new Coffer('http://127.0.0.1:1/alice/', { retries: 0 })
      t.match(await refusalOf(nowhere.call('streams.get')), { name: 'CofferError', id: 'offline' })
      const { url } = await scripted(t, server.url, () => undefined)
      const silent = new Coffer(`${url}/alice/`, { retries: 0, timeout: 0.05 })
      t.match(await refusalOf(silent.call('streams.get')), { id: 'timeout' })
    })

    await t.test('rejects if the response is cut off or not JSON', async t => {
      const broken = await scripted(t, server.url, (_asked, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"results":[')
        response.destroy()
      })
      const options = { retries: 0 }
      t.match(await refusalOf(new Coffer(`${broken.url}/alice/`, options).call('streams.get')), {
        id: 'offline'
      })
      const page = await scripted(t, server.url, (_asked, response) => void response.end('<html>'))
      const error = { id: 'unexpected-error', message: /JSON/ }
      t.match(await refusalOf(new Coffer(`${page.url}/alice/`, options).call('streams.get')), error)
      const failing = await scripted(
        t,
        server.url,
        (_asked, response) => void response.writeHead(502).end('<html>')
      )
      t.match(await refusalOf(new Coffer(`${failing.url}/alice/`, options).call('streams.get')), {
        id: 'api-unavailable',
        status: 502
      })
    })
  })

  t.test('a signal cancels a request', async t => {
    const gone = new AbortController()
    const { asked, url } = await scripted(t, server.url, () => gone.abort(new Error('enough')))
    const through = new Coffer(`${url}/alice/`, { token: alice.token })
    t.match(await refusalOf(through.call('streams.get', {}, { signal: gone.signal })), { message: 'enough' })
    t.equal(asked.length, 1)
    t.match(await refusalOf(through.call('streams.get', {}, { signal: gone.signal })), { message: 'enough' })
    const waiting = new AbortController()
    const later = await scripted(t, server.url, refuse(429, 20))
    const patient = new Coffer(`${later.url}/alice/`, { token: alice.token })
    const call = patient.call('streams.get', {}, { signal: waiting.signal })
    call.catch(() => undefined)
    while (later.asked.length === 0) await new Promise(resolve => setTimeout(resolve, 2))
    waiting.abort(new Error('not so long'))
    t.match(await refusalOf(call), { message: 'not so long' }, 'while it waits to try again')
  })

  t.test('the token is sent to no other server', async t => {
    await t.rejects(mine.request('GET', 'http://127.0.0.1:1/alice/events'), TypeError)
    await t.rejects(mine.request('GET', '//127.0.0.1:1/alice/events'), TypeError)
  })

  for (const status of [301, 302, 303, 307, 308])
    t.test(`redirects to another server are not followed: ${status}`, async t => {
      const elsewhere = await scripted(t, server.url, pass)
      const { url } = await scripted(t, server.url, (_asked, response) => {
        const location = `${elsewhere.url}/alice/`
        const error = { id: 'user-account-relocated', message: 'It has moved', data: location }
        response
          .writeHead(status, { location, 'content-type': 'application/json' })
          .end(JSON.stringify({ error }))
      })
      const led = new Coffer(`${url}/alice/`, { token: alice.token })
      const moved = { id: 'user-account-relocated', status }
      t.match(await refusalOf(led.call('events.create', note)), moved)
      t.match(await refusalOf(led.call('events.get')), moved)
      t.match(await refusalOf(led.batch([{ method: 'events.create', params: note }])), moved)
      t.same(elsewhere.asked, [], 'neither what is asked nor what is sent comes there')
    })
})

function contents({ events }: { readonly events: readonly { readonly content: unknown }[] }): unknown[] {
  return events.map(({ content }) => content)
}
