/** The stages of a call, alone and in a batch: with methods made for the test. */
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { anyAccess, anyone, personalOnly } from '../../../core/auth/allow.js'
import { fail } from '../../../core/errors.js'
import { createId } from '../../../core/ids.js'
import { JsonText, type Listing } from '../../../core/json/json-text.js'
import { method, serviceMethod, type AnyMethod } from '../../../core/call/method.js'
import { callBatch } from '../../../core/methods/call-batch.js'
import type { Outcome } from '../../../core/call/outcome.js'
import { Registry } from '../../../core/dispatch/registry.js'
import { openCoffer, textsOf, type Answer, type Client } from '../../support/coffer.js'

const closed = { additionalProperties: false }
const result = Type.Object({})
const Name = Type.Object({ name: Type.String() }, closed)

/** Creates a mark that later calls can see. */
const put = method({
  id: 'marks.put',
  summary: 'For tests',
  params: Type.Object({ name: Type.String(), fails: Type.Optional(Type.Boolean()) }, closed),
  result,
  mode: 'write',
  allow: anyAccess,
  run({ store, changes }, { name, fails }) {
    const isNew = store.profile.find(`app:${name}`)['marked'] === undefined
    store.profile.update(`app:${name}`, { marked: true })
    changes.add('events', [name])
    if (fails) fail('invalid-operation', 'as asked')
    return { isNew }
  }
})

const has = method({
  id: 'marks.has',
  summary: 'For tests',
  params: Name,
  result,
  mode: 'read',
  allow: anyAccess,
  run: ({ store }, { name }) => ({ has: store.profile.find(`app:${name}`)['marked'] !== undefined })
})

const slow = method({
  id: 'marks.slow',
  summary: 'For tests',
  params: Name,
  result,
  mode: 'write',
  allow: anyAccess,
  prepare: async (_call, { name }) => Promise.resolve(name.toUpperCase()),
  run: ({ store }, _params, prepared: string) => {
    store.profile.update(`app:${prepared}`, { marked: true })
    return { prepared }
  }
})

/** Counts to `to`, with three numbers per page. */
const count = method({
  id: 'marks.count',
  summary: 'For tests',
  params: Type.Object({ to: Type.Integer() }, closed),
  result,
  mode: 'read',
  allow: anyAccess,
  run(_call, { to }) {
    let at = 0
    const numbers: Listing<unknown> = {
      next() {
        const page = Array.from({ length: Math.min(3, to - at) }, (_, i) => at + i)
        at += page.length
        return { text: page.join(','), count: page.length, done: at >= to }
      }
    }
    return { numbers, after: new JsonText('{"text":true}') }
  }
})

const broken = method({
  id: 'marks.broken',
  summary: 'For tests',
  params: Type.Object({}),
  result,
  mode: 'read',
  allow: anyAccess,
  run: () => {
    throw new TypeError('secret detail')
  }
})

const mine = method({
  id: 'marks.mine',
  summary: 'For tests',
  params: Type.Object({}),
  result,
  mode: 'read',
  allow: personalOnly,
  run: () => ({})
})
const hello = serviceMethod({
  id: 'hello',
  summary: 'For tests',
  params: Type.Object({}),
  result,
  allow: anyone,
  run: () => ({ hello: 1 })
})

const definitions: readonly AnyMethod[] = [callBatch, put, has, slow, count, broken, mine, hello]

interface Setup {
  readonly alice: Client
  call(method: string, params?: unknown, token?: string, user?: string): Promise<Outcome>
  batch(calls: unknown): Promise<Answer[]>
  readonly told: string[]
}

async function setUp(t: Test, overrides = {}): Promise<Setup> {
  const { alice, server } = await openCoffer(t, overrides)
  const registry = new Registry(server.services, definitions)
  const told: string[] = []
  t.teardown(
    server.services.bus.subscribe(({ username }, { kind, places = [] }) =>
      told.push([username, kind, ...places.flat(2)].join(' '))
    )
  )
  const call: Setup['call'] = async (method, params = {}, authorization = alice.token, user = 'alice') =>
    await registry.call({
      user,
      method,
      params,
      credentials: { authorization, ip: '127.0.0.1', via: 'http' }
    })
  return {
    alice,
    told,
    call,
    async batch(calls) {
      const outcome = await call('callBatch', calls)
      if (!outcome.ok) throw outcome.error
      return JSON.parse(`{${outcome.members}}`).results
    }
  }
}

async function textOf(outcome: Outcome): Promise<string> {
  let text = ''
  for await (const more of textsOf(outcome)) text += more
  return `{${text}}`
}

t.test('a call', async t => {
  const { alice, call, told } = await setUp(t)

  t.test('returns its result as members, with its access', async t => {
    t.match(await call('marks.put', { name: 'a' }), {
      ok: true,
      members: '"isNew":true',
      accessId: alice.access.id
    })
  })

  const refusals: [string, Parameters<typeof call>, string][] = [
    ['of an unknown method', ['marks.nothing'], 'invalid-method'],
    ['of a removed method', ['events.start'], 'removed-method'],
    ['of a method named like a property of objects', ['__proto__'], 'invalid-method'],
    [
      'of an unknown user, even with a token of somebody else',
      ['marks.has', { name: 'a' }, undefined, 'nobody'],
      'unknown-resource'
    ],
    ['with an unknown token', ['marks.has', { name: 'a' }, 'nonsense'], 'invalid-access-token'],
    ['with no token', ['marks.has', { name: 'a' }, ''], 'invalid-access-token'],
    [
      'with a token that is a property of objects',
      ['marks.has', { name: 'a' }, '__proto__'],
      'invalid-access-token'
    ],
    ['with params that do not fit', ['marks.has', { name: 5 }], 'invalid-parameters-format'],
    ['with params that are no object', ['marks.has', ['a']], 'invalid-parameters-format'],
    ['with null for params', ['marks.has', null], 'invalid-parameters-format'],
    [
      'with params nested too deep',
      ['marks.has', JSON.parse('['.repeat(5000) + ']'.repeat(5000))],
      'invalid-parameters-format'
    ]
  ]
  for (const [name, args, id] of refusals)
    t.test(`${name} is refused`, async t => {
      t.match(await call(...args), { ok: false, error: { id } })
    })

  t.test('returns its access even if it fails', async t => {
    t.match(await call('marks.has', {}), { ok: false, accessId: alice.access.id })
    t.match(await call('marks.put', { name: 'x', fails: true }), { ok: false, accessId: alice.access.id })
  })

  t.test('reports what is wrong with its params', async t => {
    const outcome = await call('marks.has', { name: 5, more: 1 })
    t.match(outcome, {
      error: {
        details: {
          data: [
            { code: 'OBJECT_ADDITIONAL_PROPERTIES', path: '#', params: ['more'] },
            { code: 'INVALID_TYPE', path: '#/name' }
          ]
        }
      }
    })
  })

  t.test('hides the details of an internal error', async t => {
    const outcome = await call('marks.broken')
    t.match(outcome, { ok: false, error: { id: 'unexpected-error', status: 500 } })
    t.notMatch(JSON.stringify(outcome), 'secret')
  })

  t.test('waits for its preparation, and passes it to run', async t => {
    t.match(await call('marks.slow', { name: 'upper' }), { members: '"prepared":"UPPER"' })
  })

  t.test('leaves nothing if it fails while it runs', async t => {
    t.match(await call('marks.put', { name: 'undone', fails: true }), { error: { id: 'invalid-operation' } })
    t.match(await call('marks.has', { name: 'undone' }), { members: '"has":false' })
  })

  t.test('publishes its changes once, and only if it succeeds', async t => {
    told.length = 0
    await call('marks.put', { name: 'told' })
    await call('marks.put', { name: 'untold', fails: true })
    t.same(told, ['alice events told'])
  })

  t.test('of the service needs no user', async t => {
    t.match(await call('hello', {}, '', ''), { members: '"hello":1' })
  })

  t.test('returns a long list page by page', async t => {
    const outcome = await call('marks.count', { to: 8 })
    t.match(outcome, { members: '"numbers":[0,1,2' })
    t.equal(await textOf(outcome), '{"numbers":[0,1,2,3,4,5,6,7],"after":{"text":true}}')
    t.equal(await textOf(await call('marks.count', { to: 0 })), '{"numbers":[],"after":{"text":true}}')
    t.equal(await textOf(await call('marks.count', { to: 3 })), '{"numbers":[0,1,2],"after":{"text":true}}')
  })

  t.test('refuses a token that was revoked while it waited', async t => {
    const { alice, call } = await setUp(t)
    const store = alice.service.server.services.accounts.openStore(
      alice.service.server.services.accounts.find('alice')!
    )
    const pending = call('marks.slow', { name: 'late' })
    await store.write(() => store.sessions.end(alice.access.id))
    t.match(await pending, { ok: false, error: { id: 'invalid-access-token' } })
    t.equal(store.profile.find('app:LATE')['marked'], undefined)
  })
})

t.test('complete results', async t => {
  const mb = 1024 * 1024
  let runs = 0
  const long = method({
    id: 'marks.long',
    summary: 'For tests',
    params: Type.Object({ pages: Type.Integer() }, closed),
    result,
    mode: 'read',
    allow: anyAccess,
    run(_call, { pages }) {
      runs++
      let at = 0
      const texts: Listing<unknown> = {
        next: () => ({ text: JSON.stringify('x'.repeat(mb)), count: 1, done: ++at >= pages })
      }
      return { texts }
    }
  })
  /** A call that waits for the same preparation as the others. */
  const late = method({ ...long, id: 'marks.late', prepare: async () => undefined })
  const limits = { batchResultBytes: 8 * mb }
  const { alice, server } = await openCoffer(t, { limits, sockets: { maxBufferedBytes: 16 * mb } })
  const bob = await alice.service.user('bobby')
  const registry = new Registry(server.services, [long, late, has])
  const call = async (
    client: Client,
    fields: { method?: string; pages?: number; maxLength?: number } = {}
  ) => {
    const { maxLength, method: id = 'marks.long', pages = 2 } = fields
    return await registry.call({
      isWhole: true,
      user: client.username,
      method: id,
      params: id === 'marks.has' ? { name: 'x' } : { pages },
      credentials: { authorization: client.token, ip: '127.0.0.1', via: 'http' },
      ...(maxLength !== undefined && { maxLength })
    })
  }
  const outcomesOf = (outcomes: readonly Outcome[]): unknown[] =>
    outcomes.map(outcome => (outcome.ok ? outcome.members.length > 2 * mb : outcome.error.id))

  t.test('hold a limited number of first pages; others are created later', async t => {
    runs = 0
    let [answered, most] = [0, 0]
    const calls = Array.from({ length: 40 }, async () => {
      const outcome = await call(alice)
      most = Math.max(most, runs - answered++)
      return outcome
    })
    const others = call(bob)
    t.match(await call(bob, { method: 'marks.has' }), { ok: true })
    t.ok(runs < 40, 'short ones of others do not wait for all')
    t.same(
      outcomesOf(await Promise.all([...calls, others])),
      Array.from({ length: 41 }, () => true)
    )
    t.equal(runs, 41)
    // First pages of a quarter of the total, the one that exceeds it, Bob's, and those that already have more pages.
    t.ok(most < 12, `${most} at once`)
  })

  t.test('hold nothing if they are longer than the caller accepts', async t => {
    const calls = Array.from({ length: 40 }, () => call(alice, { maxLength: mb }))
    t.same(new Set(outcomesOf(await Promise.all(calls))), new Set(['too-many-results']))
    const outcome = await call(alice, { pages: 4, maxLength: 3 * mb })
    t.same(outcomesOf([outcome]), ['too-many-results'], 'nor is more of it assembled')
  })

  t.test('are refused if earlier ones leave no space', async t => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => call(alice, { method: 'marks.late' }))
    )
    const refused = outcomes.filter(outcome => !outcome.ok)
    // Half of the total is seven pages of a megabyte and a little; some may continue before others are created.
    t.ok(refused.length >= 10 && refused.length < 40, `${refused.length} are refused`)
    for (const outcome of refused)
      t.match(outcome, { error: { id: 'api-unavailable', details: { retryAfter: 5 } } })
    t.match(await call(alice, { method: 'marks.late' }), { ok: true })
  })
})

t.test('a batch', async t => {
  t.test('returns each result in order', async t => {
    const { batch } = await setUp(t)
    const calls = [
      { method: 'marks.has', params: { name: 'a' } },
      { method: 'marks.put', params: { name: 'a' } },
      { method: 'marks.nothing', params: {} },
      { method: 'events.start', params: {} },
      { method: 'marks.put', params: { name: 'b', fails: true } },
      { method: 'marks.has', params: { name: 'b' } },
      { method: 'marks.has' },
      { method: 'marks.slow', params: { name: 'c' } },
      { method: 'marks.has', params: { name: 'C' } },
      { method: 'marks.broken', params: {} },
      { method: 'marks.count', params: { to: 5 } },
      { method: 'marks.has', params: { name: 'a' } },
      { method: 'callBatch', params: [] },
      { method: 'hello', params: {} }
    ]
    t.match(await batch(calls), [
      { has: false },
      { isNew: true },
      { error: { id: 'invalid-method' } },
      { error: { id: 'removed-method' } },
      { error: { id: 'invalid-operation', message: 'as asked' } },
      { has: false },
      { error: { id: 'invalid-parameters-format' } },
      { prepared: 'C' },
      { has: true },
      { error: { id: 'unexpected-error' } },
      { numbers: [0, 1, 2, 3, 4], after: { text: true } },
      { has: true },
      { error: { id: 'invalid-operation' } },
      { hello: 1 }
    ])
  })

  t.test('of no calls returns no results', async t => {
    const { batch } = await setUp(t)
    t.same(await batch([]), [])
  })

  const malformed: [string, unknown][] = [
    ['an object', {}],
    ['a string', 'calls'],
    ['an array of strings', ['events.get']],
    ['a call without a method', [{ params: {} }]],
    ['a method that is not a string', [{ method: 5, params: {} }]]
  ]
  for (const [name, calls] of malformed)
    t.test(`that is ${name} is refused as a whole`, async t => {
      const { call } = await setUp(t)
      t.match(await call('callBatch', calls), { ok: false, error: { id: 'invalid-parameters-format' } })
    })

  t.test('of a thousand writes keeps their order and publishes each change', async t => {
    const { batch, told } = await setUp(t)
    const calls = Array.from({ length: 1000 }, (_, i) => ({
      method: 'marks.put',
      params: { name: `m${i >> 1}` }
    }))
    const results = await batch(calls)
    t.same(
      results.map(({ isNew }) => isNew),
      calls.map((_, i) => i % 2 === 0)
    )
    t.equal(told.length, 1000)
  })

  t.test('returns no more items than the limit', async t => {
    const { batch } = await setUp(t, { limits: { batchResultItems: 10 } })
    t.match(await batch([10, 11].map(to => ({ method: 'marks.count', params: { to } }))), [
      { numbers: Array.from({ length: 10 }, (_, i) => i) },
      { error: { id: 'too-many-results' } }
    ])
  })

  t.test('stops at the call whose token has been revoked', async t => {
    const { batch, alice } = await setUp(t)
    const store = alice.service.server.services.accounts.openStore(
      alice.service.server.services.accounts.find('alice')!
    )
    const running = batch(
      Array.from({ length: 600 }, () => ({ method: 'marks.put', params: { name: createId() } }))
    )
    await store.write(() => store.sessions.end(alice.access.id))
    const results = await running
    t.match(results[0], { isNew: true })
    t.match(results[599], { error: { id: 'invalid-access-token' } })
  })

  t.test('yields to other calls', async t => {
    const { batch, call } = await setUp(t)
    let isOver = false
    const running = batch(
      Array.from({ length: 5000 }, () => ({ method: 'marks.put', params: { name: createId() } }))
    ).then(() => {
      isOver = true
    })
    t.match(await call('marks.put', { name: 'between' }), { ok: true })
    t.equal(isOver, false)
    await running
  })
})
