/** Forms that replace other requests. (docs/spec/conventions.md#method-override) */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

const type = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('a form', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const form = async (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {}
  ): ReturnType<typeof service.http> =>
    await service.http('POST', `/alice${path}`, new URLSearchParams(fields).toString(), {
      ...type,
      ...headers
    })
  const auth = { _auth: alice.token }

  t.test('creates from _json, ignoring other fields', async t => {
    const { status, body } = await form('/streams', {
      ...auth,
      _json: JSON.stringify({ id: 'formed', name: 'Fôrmed & more' }),
      name: 'not this'
    })
    t.equal(status, 201)
    t.match(body.stream, { id: 'formed', name: 'Fôrmed & more' })
  })

  t.test('creates from its fields if there is no _json', async t => {
    const { status, body } = await form('/streams', { ...auth, id: 'flat', name: 'Flat' })
    t.equal(status, 201)
    t.match(body.stream, { id: 'flat' })
  })

  t.test('updates with _method=PUT', async t => {
    const fields = { ...auth, _method: 'put', _json: '{"name":"renamed"}' }
    t.match(await form('/streams/diary', fields), { status: 200, body: { stream: { name: 'renamed' } } })
  })

  t.test('deletes with _method=DELETE and params in the query', async t => {
    const { id } = await alice.event({ streamIds: ['diary'] })
    const fields = { ...auth, _method: 'DELETE' }
    t.match(await form(`/events/${id}`, fields), { status: 200, body: { event: { id, trashed: true } } })
    t.match(await form(`/events/${id}?unknown=1`, fields), { status: 400 })
    t.match(await form(`/events/${id}`, fields), { status: 200, body: { eventDeletion: { id } } })
  })

  t.test('reads with _method=GET', async t => {
    t.match(await form('/events?limit=0', { ...auth, _method: 'GET' }), { status: 200, body: { events: [] } })
  })

  t.test('is authenticated by its token rather than by the header', async t => {
    const headers = { authorization: 'not-a-token' }
    t.match(await form('/streams', { ...auth, _method: 'GET' }, headers), { status: 200 })
    t.match(
      await form('/streams', { _auth: 'not-a-token', _method: 'GET' }, { authorization: alice.token }),
      {
        status: 401
      }
    )
  })

  t.test('with a malformed _json, or malformed itself, returns a JSON error', async t => {
    for (const broken of ['{', 'nonsense', '[1,]'])
      t.match(await form('/streams', { ...auth, _json: broken }), {
        status: 400,
        body: { error: { id: 'invalid-request-structure' }, meta: Object }
      })
    t.match(await service.http('POST', '/alice/streams', 'a=%zz', type), {
      status: 400,
      body: { meta: Object }
    })
  })

  t.test('with an unknown method returns 404', async t => {
    t.match(await form('/streams', { ...auth, _method: 'BREW' }), { status: 404, body: { meta: Object } })
  })

  t.test('with _method=HEAD returns the body, to match its content length', async t => {
    const files = new FormData()
    files.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    files.append('file', new Blob(['some bytes']), 'file.bin')
    const { event } = (await alice.http('POST', '/events', files)).body
    const path = `/events/${event.id}/${event.attachments[0].id}`
    for (const verb of ['HEAD', 'head']) {
      t.match(await form(path, { ...auth, _method: verb }), { status: 200, body: 'some bytes' })
      const page = await service.http('POST', '/www/event-types.json', encoded({ _method: verb }), type)
      t.match(page, { status: 200, body: { types: Object } })
    }
  })

  t.test('with an invalid method is refused without repeating it', async t => {
    const answer = await form('/streams', { ...auth, _method: 'x'.repeat(100_000) })
    t.match(answer, { status: 400, body: { error: { id: 'invalid-request-structure' } } })
    t.ok(JSON.stringify(answer.body).length < 1000)
  })

  t.test('with an empty method is a POST', async t => {
    t.match(await form('/streams', { ...auth, _method: '', name: 'posted' }), { status: 201 })
  })

  t.test('can contain a batch', async t => {
    const calls = [{ method: 'streams.get', params: {} }]
    t.match(await form('/', { ...auth, _json: JSON.stringify(calls) }), {
      status: 200,
      body: { results: [{ streams: Array }] }
    })
  })

  t.test('treats __proto__ as an ordinary name', async t => {
    t.match(await form('/streams', { ...auth, _json: '{"name":"x","__proto__":{"id":"polluted"}}' }), {
      status: 400
    })
    t.match(await form('/streams', { ...auth, name: 'y', ['__proto__']: 'polluted' }), { status: 400 })
    t.equal(({} as Record<string, unknown>)['id'], undefined)
  })

  t.test('has the same limits for names, values and keys as a query', async t => {
    const many = Array.from({ length: 1001 }, (_value, index): [string, string] => [`n${index}`, ''])
    for (const fields of [
      many,
      Array.from({ length: 1002 }, (): [string, string] => ['name', 'x']),
      [['n'.repeat(1001), 'x']] as [string, string][]
    ]) {
      const body = new URLSearchParams([...Object.entries(auth), ...fields]).toString()
      t.match(await service.http('POST', '/alice/streams', body, type), {
        status: 400,
        body: { error: { id: 'invalid-request-structure', message: /^A query or form can / } }
      })
    }
    const few = await coffer(t, { limits: { jsonKeys: 3 } })
    const fields = { _auth: few.alice.token, id: 'flat', name: 'Flat' }
    t.match(await few.http('POST', '/alice/streams', encoded(fields), type), { status: 201 })
    t.match(await few.http('POST', '/alice/streams', encoded({ ...fields, parentId: '' }), type), {
      status: 400
    })
  })

  t.test('accepts long values in any encoding', async t => {
    const content = 'é+ %\u{1f600}x'.repeat(30_000)
    const json = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content })
    const encodings = [
      new URLSearchParams({ _json: json }).toString(),
      `_json=${encodeURIComponent(json)}`,
      `_json=${encodeURI(json).replaceAll('+', '%2B').replaceAll('&', '%26').replaceAll('#', '%23')}`,
      `_json=${json.replaceAll('%', '%25').replaceAll('+', '%2b').replaceAll(' ', '+')}`
    ]
    for (const field of encodings) {
      const { body, status } = await service.http(
        'POST',
        '/alice/events',
        `_auth=${alice.token}&${field}`,
        type
      )
      t.equal(status, 201, JSON.stringify(body.error))
      t.ok(body.event?.content === content)
    }
    for (const broken of ['%', '%4', '%zz', '%c3', '%ed%a0%80', '%ff'])
      t.match(await service.http('POST', '/alice/events', `_json=${'x'.repeat(70_000)}${broken}`, type), {
        status: 400,
        body: { error: { message: /percent-encoded/ } }
      })
  })
})

function encoded(fields: object): string {
  return new URLSearchParams({ ...fields }).toString()
}
