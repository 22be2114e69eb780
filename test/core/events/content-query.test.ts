/**
 * Conditions on `content` and `clientData` in `events.get`; random ones are tested in get-model.test.ts.
 * (docs/spec/streams-queries.md#conditions-on-contents)
 */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'

t.test('conditions on contents', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const put = async (content: unknown, clientData?: unknown): Promise<void> => {
    await alice.event({ type: 'test/any', content, ...(clientData !== undefined && { clientData }) })
  }
  await put({ n: 1, s: 'one', deep: { er: { est: true } } })
  await put({ n: 2, s: 'two', none: null })
  await put({ n: '2', s: 'onerous', list: [1], 'app:key-1_a': 5 })
  await put('text', { 'my-app:id': 'x1' })
  await put(7)
  await put(undefined)

  const found = async (params: object): Promise<unknown[]> => {
    const { events, error } = await alice.call('events.get', { sortAscending: true, ...params })
    return error ?? events.map(({ content }: Answer) => content?.s ?? content ?? null)
  }

  const cases: [string, object, unknown[]][] = [
    ['eq', { path: 'n', eq: 2 }, ['two']],
    ['eq by type', { path: 'n', eq: '2' }, ['onerous']],
    ['eq null', { path: 'none', eq: null }, ['two']],
    ['eq of something deep', { path: 'deep.er.est', eq: true }, ['one']],
    ['eq of a key of all characters', { path: 'app:key-1_a', eq: 5 }, ['onerous']],
    ['neq', { path: 'n', neq: 2 }, ['one', 'onerous']],
    ['neq of what is not a single value', { path: 'list', neq: 1 }, ['onerous']],
    ['in', { path: 'n', in: [1, '2', true] }, ['one', 'onerous']],
    ['in nothing', { path: 'n', in: [] }, []],
    ['exists', { path: 'none', exists: true }, ['two']],
    ['exists not', { path: 'n', exists: false }, ['text', 7, null]],
    ['gt', { path: 'n', gt: 1 }, ['two']],
    ['gte', { path: 'n', gte: 1 }, ['one', 'two']],
    ['lt of texts', { path: 's', lt: 'oner' }, ['one']],
    ['lte of texts', { path: 's', lte: 'onerous' }, ['one', 'onerous']],
    ['prefix', { path: 's', prefix: 'one' }, ['one', 'onerous']],
    ['the whole', { path: '$', eq: 'text' }, ['text']],
    ['the whole as a number', { path: '$', gt: 6 }, [7]],
    ['no content at all', { path: '$', exists: false }, [null]],
    ['an index is not a key', { path: 'list.0', exists: true }, []],
    ['what objects inherit is not a key', { path: 'constructor.name', exists: true }, []]
  ]
  for (const [name, condition, expected] of cases)
    t.test(`${name}: ${JSON.stringify(condition)}`, async t => {
      t.same(await found({ content: [condition] }), expected)
      const query = encodeURIComponent(JSON.stringify([condition]))
      const { body } = await alice.http('GET', `/events?sortAscending=true&content=${query}`)
      t.equal(body.events.length, expected.length, 'over HTTP')
    })

  t.test('must all hold', async t => {
    const content = [
      { path: 'n', gte: 1 },
      { path: 's', prefix: 'o' }
    ]
    t.same(await found({ content }), ['one'])
    for (const content of [[], null])
      t.same(await found({ content }), ['one', 'two', 'onerous', 'text', 7, null])
  })

  t.test('also apply to clientData', async t => {
    t.same(await found({ clientData: [{ path: 'my-app:id', prefix: 'x' }] }), ['text'])
    const both = { clientData: [{ path: '$', exists: true }], content: [{ path: '$', eq: 7 }] }
    t.same(await found(both), [])
  })

  t.test('may be JSON text, in a batch too', async t => {
    t.same(await found({ content: '[{"path":"n","eq":2}]' }), ['two'])
    const call = { method: 'events.get', params: { content: [{ path: 'n', eq: 2 }] } }
    t.equal((await alice.http('POST', '/', [call])).body.results[0].events.length, 1)
  })

  t.test('can be combined with skip, limit and times', async t => {
    const content = [{ path: 'n', exists: true }]
    t.same(await found({ content, skip: 1 }), ['two', 'onerous'])
    t.same(await found({ content, limit: 2 }), ['one', 'two'])
    t.same(await found({ content, fromTime: 0, toTime: 1e10, limit: 1, skip: 2 }), ['onerous'])
    t.same(await found({ content, modifiedSince: 0, state: 'all' }), ['one', 'two', 'onerous'])
    t.same(await found({ content, types: ['note/txt'] }), [])
  })

  t.test('find only what the caller may read', async t => {
    await alice.stream('secret')
    await alice.event({ streamIds: ['secret'], type: 'test/any', content: { n: 99 } })
    const app = await alice.grant('read', 'diary')
    const content = [{ path: 'n', gt: 1 }]
    t.equal((await app.do('events.get', { content })).events.length, 1)
    t.equal((await alice.do('events.get', { content })).events.length, 2)
  })

  const malformed: [string, unknown][] = [
    ['no array', { path: 'n', eq: 1 }],
    ['a number', 5],
    ['no JSON', '[{'],
    ['JSON of no array', '{"path":"n","eq":1}'],
    ['texts', ['a', 'b']],
    ['no path', [{ eq: 1 }]],
    ['an empty path', [{ path: '', eq: 1 }]],
    ['an empty key', [{ path: 'a..b', eq: 1 }]],
    ['a dot at the end', [{ path: 'a.', eq: 1 }]],
    ['a path that is not a text', [{ path: 5, eq: 1 }]],
    ['quotes in a path', [{ path: 'a"b', eq: 1 }]],
    ['brackets in a path', [{ path: 'a[0]', eq: 1 }]],
    ['a line end after a path', [{ path: 'a\n', eq: 1 }]],
    ['$ within a path', [{ path: '$.a', eq: 1 }]],
    ['a very long path', [{ path: 'a'.repeat(1001), eq: 1 }]],
    ['no operation', [{ path: 'a' }]],
    ['two operations', [{ path: 'a', gt: 1, lt: 5 }]],
    ['an unknown operation', [{ path: 'a', like: 1 }]],
    ['an inherited operation', [{ path: 'a', constructor: 1 }]],
    ['eq with an object', [{ path: 'a', eq: {} }]],
    ['in without an array', [{ path: 'a', in: 1 }]],
    ['in with arrays', [{ path: 'a', in: [[1]] }]],
    ['exists without a boolean', [{ path: 'a', exists: 'true' }]],
    ['gt with a boolean', [{ path: 'a', gt: true }]],
    ['lte with null', [{ path: 'a', lte: null }]],
    ['prefix with a number', [{ path: 'a', prefix: 1 }]],
    ['too many', Array.from({ length: 21 }, () => ({ path: 'a', eq: 1 }))]
  ]
  for (const [what, content] of malformed)
    t.test(`are refused: ${what}`, async t => {
      const refused = { error: { id: 'invalid-parameters-format' }, status: 400 }
      t.match(await alice.call('events.get', { content }), refused)
      t.match(await alice.call('events.get', { clientData: content }), refused)
    })

  t.test('are listed as a feature', async t => {
    t.equal((await alice.http('GET', '/service/info')).body.features.contentQueries, true)
  })
})

t.test('conditions on contents find large events', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let n = 0; n < 60; n++)
    await alice.event({ type: 'test/any', content: { n, text: 'x'.repeat(100_000) } })
  const { events } = await alice.do('events.get', { content: [{ path: 'n', in: [3, 58] }], limit: 1000 })
  t.same(
    events.map(({ content }: Answer) => content.n),
    [58, 3]
  )
})
