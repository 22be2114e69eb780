/** Integrity values: the text that is hashed, and that clients can compute them from responses. */
import t, { type Test } from 'tap'
import { toCanonicalJson } from '../../core/json/canonical.js'
import { computeAccessIntegrity, computeEventIntegrity, toEventText } from '../../core/integrity.js'
import { coffer, type Answer } from '../support/coffer.js'
import { accessSeal, eventSeal, fileSeal } from '../support/sealed.js'
import { socketOf } from '../support/socket.js'

const vector = {
  id: 'cmexampleevent00000000001',
  streamIds: ['diary', 'health'],
  time: 1700000000.5,
  duration: 60,
  type: 'note/txt',
  content: 'Hello',
  clientData: { b: 1, a: null },
  created: 1700000001,
  createdBy: 'access1',
  modified: 1700000001,
  modifiedBy: 'access1',
  attachments: [
    {
      id: 'f1',
      fileName: 'a.txt',
      type: 'text/plain',
      size: 3,
      integrity: 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
    }
  ]
}

t.test('the text of an event is canonical, whatever its content', async t => {
  const contents: unknown[] = [
    undefined,
    null,
    0,
    -0,
    1e21,
    '',
    'plain',
    'quotes " and \\ and \n and \u0001',
    'a literal \\ud800 is not a half',
    'half \ud800',
    '\udfff half',
    'a whole 😀',
    'delete \u007f',
    'soft\u00adhyphen',
    'line\u2028end',
    '\ufeff',
    { a: 1, b: { c: [1, { d: 2, e: 'é' }] } },
    { b: 1, a: 2 },
    { 9: 1, 10: 2 },
    { b: { 10: 1, 9: 2 }, a: [{ d: null, c: { f: 1, e: 2 } }] },
    { a: { z: null } },
    { a: undefined, b: 1 },
    { a: [null, { b: 1, a: 2 }] },
    { '\u200b': 1 },
    { 'A\ud800': '' },
    JSON.parse('{"__proto__": 1, "a": {"__proto__": null}}')
  ]
  const { attachments: _none, ...plain } = vector
  for (const [n, content] of contents.entries())
    for (const clientData of [undefined, { 'app:k': { v: content } }]) {
      const event = { ...plain, content, clientData, description: String(content) }
      t.equal(
        toEventText(event),
        toCanonicalJson(event),
        `content ${n} ${clientData ? 'and' : 'without'} client data`
      )
    }
})

t.test('the vectors of the specification', async t => {
  const event = 'EVENT:0:sha256-gyPky3xr77zZrmumGoj0eaolfgn3i0IT84Hd1cZRdyo='
  t.equal(computeEventIntegrity(vector, 'sha256'), event)
  const asRead = {
    ...vector,
    streamId: 'diary',
    tags: ['x'],
    integrity: 'other',
    trashed: false,
    attachments: vector.attachments.map(one => ({ ...one, readToken: 'secret' }))
  }
  t.equal(computeEventIntegrity(asRead, 'sha256'), event, 'whatever reading adds')
  t.equal(
    computeEventIntegrity({ id: 'cmexampleevent00000000001', deleted: 1700000100 }, 'sha256'),
    'EVENT:0:sha256-XkHOhNs2cssJ646Yk8pigFuLGXTWaAxwGYB3/Lueeiw='
  )
  const access = {
    id: 'a1',
    token: 't1',
    type: 'shared',
    name: 'Demo',
    permissions: [{ streamId: 'diary', level: 'read' }],
    created: 1700000001,
    createdBy: 'p1',
    modified: 1700000001,
    modifiedBy: 'p1'
  }
  const expected = 'ACCESS:0:sha256-U91y+dxcHuL2/S8N+uPmJDtR4yrjHtTgqLz2xtc37lo='
  t.equal(computeAccessIntegrity(access, 'sha256'), expected)
  t.equal(
    computeAccessIntegrity({ ...access, lastUsed: 1, apiEndpoint: 'x', deleted: null }, 'sha256'),
    expected
  )
})

t.test('the canonical text', async t => {
  const table: readonly [string, unknown, string][] = [
    ['sorts keys by code units, a prefix first', { b: 1, ab: 2, a: 3, B: 4 }, '{"B":4,"a":3,"ab":2,"b":1}'],
    ['leaves out null at every depth', { a: { b: null, c: [null, { d: null }] } }, '{"a":{"c":[null,{}]}}'],
    ['writes numbers short', [1.5, 1e21, 1e-7, -0, 100], '[1.5,1e+21,1e-7,0,100]'],
    ['escapes quotes, backslashes, controls', '"\\\n\u0001\u007f', '"\\"\\\\\\n\\u0001\\u007f"'],
    ['escapes what nobody sees', '\u200d\ufeff\u2028é€😀', '"\\u200d\\ufeff\\u2028é€😀"'],
    [
      'knows every kind',
      { t: true, f: false, s: '', e: {}, l: [] },
      '{"e":{},"f":false,"l":[],"s":"","t":true}'
    ]
  ]
  for (const [name, value, expected] of table) t.equal(toCanonicalJson(value), expected, name)
  const own = JSON.parse('{"__proto__":{"x":1},"a":2}') as unknown
  t.equal(toCanonicalJson(own), '{"__proto__":{"x":1},"a":2}', 'keys of prototypes are keys')
  const timeless = { id: 'c1', duration: 0, trashed: false, streamId: 'diary' }
  t.equal(toEventText(timeless), '{"id":"c1","streamIds":["diary"]}')
})

/** Asserts that every item of a response matches its integrity value. */
function proven(t: Test, answer: Answer, name: string): void {
  const { access, accesses = [], accessDeletions = [], event, events = [], eventDeletions = [] } = answer
  for (const item of [event ?? [], events, eventDeletions, answer.history ?? []].flat())
    t.equal(item.integrity, eventSeal(item), `${name}: ${item.id}`)
  for (const item of [access ?? [], accesses, accessDeletions].flat())
    t.equal(item.integrity, accessSeal(item), `${name}: ${item.name}`)
}

const odd = {
  type: 'unknown/thing',
  content: { z: [null, 1e21, 'a\u2028"\u0007'], a: { y: null, x: -0.5 }, ü: 'ß😀', '': 0, 10: 1, 9: 2 },
  clientData: { b: {}, a: [] },
  description: 'line\nline \u00ad',
  tags: ['one']
}

async function life(t: Test, call: (method: string, params: object) => Promise<Answer>) {
  const created = await call('events.create', { streamIds: ['diary'], ...odd })
  proven(t, created, 'create')
  const { id } = created.event
  const steps: readonly [string, object][] = [
    ['events.update', { id, update: { content: 'x', duration: null } }],
    ['events.update', { id, update: { duration: 0, description: null, clientData: { b: null, a: null } } }],
    ['events.update', { id, update: { streamIds: ['work', 'diary'], content: null } }],
    ['events.getOne', { id, includeHistory: true }],
    ['events.delete', { id }],
    ['events.get', { state: 'all', limit: 10 }],
    ['events.update', { id, update: { trashed: false } }],
    ['events.delete', { id }],
    ['events.delete', { id }],
    ['events.get', { modifiedSince: 0, includeDeletions: true, limit: 10 }],
    ['events.getOne', { id, includeHistory: true }]
  ]
  for (const [method, params] of steps) {
    const answer = await call(method, params)
    t.notOk(answer.error, method)
    proven(t, answer, `${method} ${JSON.stringify(params)}`)
  }
}

t.test('an event matches its integrity value', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('work')

  t.test('over HTTP', async t => {
    await life(t, async (method, params) => {
      const { id, update, ...rest } = params as { id: string; update: object }
      const query = `?${new URLSearchParams(rest as Record<string, string>).toString()}`
      const { body } = await {
        'events.create': () => alice.http('POST', '/events', params),
        'events.update': () => alice.http('PUT', `/events/${id}`, update),
        'events.delete': () => alice.http('DELETE', `/events/${id}`),
        'events.get': () => alice.http('GET', `/events${query}`),
        'events.getOne': () => alice.http('GET', `/events/${id}${query}`)
      }[method]!()
      return body
    })
  })

  t.test('in a batch', async t => {
    await life(t, async (method, params) => {
      const { body } = await alice.http('POST', '/', [{ method, params }])
      return body.results[0]
    })
  })

  t.test('over a socket', async t => {
    const socket = await socketOf(t, alice)
    await life(t, async (method, params) => await socket.call(method, params))
  })
})

t.test('an event with files', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const { id } = await alice.event()
  const form = new FormData()
  form.append('file', new Blob(['some bytes']), 'a.txt')
  const url = `${alice.service.server.url}/alice/events/${id}`
  const sent = await fetch(url, { method: 'POST', headers: { authorization: alice.token }, body: form })
  const { event } = (await sent.json()) as Answer
  t.equal(event.integrity, eventSeal(event))
  const [file] = event.attachments
  t.equal(file.integrity, fileSeal('some bytes'))
  t.ok(file.readToken, 'which is not part of it')
  proven(t, await alice.do('events.get'), 'read again')
  proven(t, await alice.do('events.deleteAttachment', { id, fileId: file.id }), 'without it')
})

t.test('events of a deleted stream', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('page', 'diary')
  const { id } = await alice.event({ streamIds: ['page'] })
  await alice.do('streams.delete', { id: 'page' })
  await alice.do('streams.delete', { id: 'page', mergeEventsWithParent: true })
  const merged = await alice.do('events.getOne', { id })
  t.same(merged.event.streamIds, ['diary'])
  proven(t, merged, 'merged')
  await alice.do('streams.delete', { id: 'diary' })
  await alice.do('streams.delete', { id: 'diary', mergeEventsWithParent: false })
  const { eventDeletions } = await alice.do('events.get', { modifiedSince: 0, includeDeletions: true })
  t.equal(eventDeletions.length, 1)
  proven(t, { eventDeletions }, 'deleted')
})

t.test('an access matches its integrity value', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const permissions = [{ streamId: 'diary', level: 'read' }]
  const made = await alice.do('accesses.create', {
    name: 'Ä "q"',
    permissions,
    clientData: { b: null, a: 1 }
  })
  proven(t, made, 'created')
  proven(t, await alice.do('accesses.get'), 'listed')
  const { access } = made
  const { body } = await alice.service.http('GET', '/alice/access-info', undefined, {
    authorization: access.token
  })
  t.notOk('integrity' in body, 'not told to itself, with the permission on its own audit')
  await alice.do('accesses.delete', { id: access.id })
  const { accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
  t.equal(accessDeletions.length, 1)
  proven(t, { accessDeletions }, 'deleted')
  t.not(accessDeletions[0].integrity, access.integrity)
})

t.test('settings', async t => {
  t.test('turn integrity values off', async t => {
    const isActive = { events: false, accesses: false, attachments: true }
    const { alice } = await coffer(t, { integrity: { isActive } })
    await alice.stream('diary')
    const event = await alice.event()
    t.notOk('integrity' in event)
    const { access } = await alice.do('accesses.create', { name: 'x', permissions: [] })
    t.notOk('integrity' in access)
    await alice.do('events.delete', { id: event.id })
    await alice.do('events.delete', { id: event.id })
    const { event: left } = await alice.do('events.getOne', { id: event.id })
    t.same(Object.keys(left), ['id', 'deleted'])
  })

  for (const algorithm of ['sha512', 'sha1', 'md5'] as const)
    t.test(`compute integrity values with ${algorithm}`, async t => {
      const { alice } = await coffer(t, { integrity: { algorithm } })
      await alice.stream('diary')
      const event = await alice.event()
      t.match(event.integrity, new RegExp(`^EVENT:0:${algorithm}-`))
      t.equal(event.integrity, eventSeal(event))
    })
})
