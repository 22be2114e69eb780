/** The routing table, and the user names that its paths reserve. (docs/spec/registration.md#reserved-user-names) */
import t from 'tap'
import { methods } from '../../../core/methods/index.js'
import { isReservedUsername } from '../../../core/registration/usernames.js'
import { servicePaths } from '../../../transports/http/request/address.js'
import { RouteTree } from '../../../transports/http/route-tree.js'
import type { Route } from '../../../transports/http/route.js'
import { serviceRoutes, userRoutes } from '../../../transports/http/routes.js'
import { coffer, testConfig } from '../../support/coffer.js'

/** Creates a route whose target is its own name. */
function route(verb: Route['verb'], path: string): Route {
  return { verb, path, method: `${verb} ${path}`, status: 200 }
}

const adminKey = 'the key of the operator'
const removed = new Set(['events.start', 'events.stop', 'accesses.update', 'whoAmI'])

t.test('routes', async t => {
  t.test('refer to methods that exist, or existed', async t => {
    const known = new Set(methods.map(({ id }) => id))
    for (const { method, path } of [...userRoutes, ...serviceRoutes])
      t.ok(known.has(method) || removed.has(method), `${path}: ${method}`)
  })

  t.test('are unique', async t => {
    for (const routes of [userRoutes, serviceRoutes]) {
      const keys = routes.map(({ verb, path }) => `${verb} ${path.replaceAll(/:\w+/g, ':')}`)
      t.equal(new Set(keys).size, keys.length)
    }
  })

  t.test('begin with reserved user names', async t => {
    const config = testConfig('unused')
    const firsts = new Set([...servicePaths, ...serviceRoutes.map(({ path }) => path.split('/')[1]!)])
    for (const first of firsts) {
      t.ok(servicePaths.has(first), `/${first} is taken for no user`)
      t.ok(
        first.length < 5 || first.includes('.') || isReservedUsername(first, config),
        `${first} cannot be registered`
      )
    }
  })

  t.test('that were removed return 410', async t => {
    const { alice } = await coffer(t)
    for (const [verb, path] of [
      ['POST', '/events/start'],
      ['POST', '/events/stop'],
      ['PUT', '/accesses/some-id'],
      ['GET', '/who-am-i'],
      ['GET', '/auth/who-am-i']
    ] as const) {
      const answer = await alice.http(verb, path, verb === 'GET' ? undefined : {})
      t.match(answer, { status: 410, body: { error: { id: 'removed-method' }, meta: Object } })
    }
  })

  t.test('that delete refuse unknown parameters, wherever they are sent', async t => {
    const service = await coffer(t, { adminKey })
    const { alice } = service
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const deleting = [
      ...userRoutes.map(route => ({ ...route, root: '/alice', authorization: alice.token })),
      ...serviceRoutes.map(route => ({ ...route, root: '', authorization: adminKey }))
    ].filter(({ verb }) => verb === 'DELETE')
    for (const { authorization, path, root } of deleting) {
      const at = `${root}${path.replaceAll(/:\w+/g, 'alice')}`
      const ask = (
        verb: string,
        query: string,
        body: string | undefined,
        type: Record<string, string>
      ): ReturnType<typeof service.http> =>
        service.http(verb, at + query, body, { authorization, ...(body === undefined ? {} : type) })
      const simulate = '{"simulate":true}'
      const override = `_method=DELETE&_auth=${encodeURIComponent(authorization)}`
      for (const [title, sent] of [
        ['query', await ask('DELETE', '?simulate=true', undefined, json)],
        ['body', await ask('DELETE', '', simulate, json)],
        ['query of a form', await ask('POST', '?simulate=true', override, form)],
        ['field of a form', await ask('POST', '', `${override}&simulate=true`, form)],
        ['_json of a form', await ask('POST', '', `${override}&_json=${encodeURIComponent(simulate)}`, form)]
      ] as const)
        t.match(
          sent,
          { status: 400, body: { error: { id: 'invalid-parameters-format', message: /"simulate"/ } } },
          `${path}: ${title}`
        )
    }
    t.ok((await alice.call('getAccessInfo')).id, 'nothing has happened')
  })

  t.test('that delete accept a body without parameters', async t => {
    const { alice } = await coffer(t)
    for (const [index, body] of ['', '{}', 'null', '[]', ' \r\n\t', ' '.repeat(40_000)].entries()) {
      const { id } = await alice.stream(`stream-${index}`)
      t.match(await alice.http('DELETE', `/streams/${id}`, body), { status: 200 }, body)
    }
    const { id } = await alice.stream('kept')
    for (const body of ['{', '\u00A0', '[{"id":1}]', '"all"', '1'])
      t.match(
        await alice.http('DELETE', `/streams/${id}`, body),
        { status: 400, body: { meta: Object } },
        body
      )
    t.match(await alice.do('streams.get', {}), { streams: [{ id: ':_audit:' }, { id, trashed: undefined }] })
  })
})

t.test('Dispatcher', async t => {
  const routes = [
    route('GET', '/'),
    route('GET', '/events'),
    route('GET', '/events/:id'),
    route('DELETE', '/events/:id'),
    route('POST', '/events/start'),
    route('GET', '/events/:id/:fileId'),
    route('GET', '/events/:id/series'),
    route('GET', '/events/:id.jpg'),
    route('GET', '/events/:id.jpeg')
  ]
  const dispatcher = new RouteTree(routes, ({ method }) => method)
  const cases: [verb: string, path: string, found: string | undefined, ids?: object][] = [
    ['GET', '', 'GET /'],
    ['GET', 'events', 'GET /events'],
    ['GET', 'events/a', 'GET /events/:id', { id: 'a' }],
    ['POST', 'events/start', 'POST /events/start'],
    ['DELETE', 'events/start', 'DELETE /events/:id', { id: 'start' }],
    ['GET', 'events/a/series', 'GET /events/:id/series', { id: 'a' }],
    ['GET', 'events/a/b', 'GET /events/:id/:fileId', { id: 'a', fileId: 'b' }],
    ['GET', 'events/a.jpg', 'GET /events/:id.jpg', { id: 'a' }],
    ['GET', 'events/a.jpeg', 'GET /events/:id.jpeg', { id: 'a' }],
    ['GET', 'events/.jpg', 'GET /events/:id', { id: '.jpg' }],
    ['DELETE', 'events/a.jpg', 'DELETE /events/:id', { id: 'a.jpg' }],
    ['GET', 'events/a.jpg/series', 'GET /events/:id/series', { id: 'a.jpg' }],
    ['GET', 'events/__proto__', 'GET /events/:id', { id: '__proto__' }],
    ['GET', 'events/a/b/c', undefined],
    ['GET', 'events/', undefined],
    ['PATCH', 'events', undefined],
    ['GET', 'constructor', undefined],
    ['__proto__', '', undefined]
  ]
  for (const [verb, path, found, ids] of cases)
    t.test(`routes ${verb} /${path} to ${found ?? 'nothing'}`, async t => {
      const match = dispatcher.find(verb, path === '' ? [] : path.split('/'))
      t.equal(match?.target, found)
      t.same(match?.ids, ids)
    })
})
