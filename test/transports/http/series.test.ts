/** Series over HTTP: routes, bodies, tokens, and their separate port. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'

const fields = ['deltaTime', 'value']
const body = {
  format: 'flatJSON',
  fields,
  points: [
    [0, 1],
    [1, 2]
  ]
}

async function holder(alice: Client): Promise<string> {
  return (await alice.event({ type: 'series:mass/kg', content: undefined, time: 0 })).id
}

t.test('series over HTTP', async t => {
  const service = await coffer(t, { hf: { port: 0 } })
  const { alice } = service
  await alice.stream('diary')

  t.test('are created, written and read', async t => {
    const created = await alice.http('POST', '/events', {
      streamIds: ['diary'],
      type: 'series:mass/kg',
      time: 0
    })
    t.match(created, { status: 201, body: { event: { content: { elementType: 'mass/kg', fields } } } })
    const path = `/events/${created.body.event.id}/series`
    t.match(await alice.http('POST', path, body), {
      status: 200,
      body: { status: 'ok', meta: { serverTime: Number } }
    })
    const data = [{ eventId: created.body.event.id, data: { ...body, points: [[5, 6]] } }]
    t.match(await alice.http('POST', '/series/batch', { format: 'seriesBatch', data }), {
      status: 201,
      body: { status: 'ok', meta: { serverTime: Number } }
    })
    const all = await alice.http('GET', path)
    t.match(all, { status: 200, body: { format: 'flatJSON', fields, meta: { serverTime: Number } } })
    t.same(all.body.points, [
      [0, 1],
      [1, 2],
      [5, 6]
    ])
    const some = await alice.http(
      'GET',
      `${path}?fromDeltaTime=0.5&toDeltaTime=5&limit=10&sortAscending=false`
    )
    t.same(some.body.points, [[1, 2]])
    t.equal((await alice.http('GET', `${path}?fromDeltaTime=x`)).status, 400)
    t.equal((await alice.http('GET', '/events/nothing/series')).status, 404)
  })

  t.test('return very large times as they were written', async t => {
    const [first, second] = [await holder(alice), await holder(alice)]
    const times = [1, 9.1e15, 1e300, 1e306, 1.7e308]
    const points = times.map(time => [time, 60])
    for (const [id, column] of [
      [first, 'deltaTime'],
      [second, 'timestamp']
    ] as const) {
      const path = `/events/${id}/series`
      const fields = [column, 'value']
      t.equal((await alice.http('POST', path, { format: 'flatJSON', fields, points })).status, 200)
      // A time with a fraction of a millisecond, so that the times around it are rounded.
      const more = [[0.0001, 60]]
      t.equal((await alice.http('POST', path, { format: 'flatJSON', fields, points: more })).status, 200)
      const read = async (query: string): Promise<Answer> =>
        (await alice.http('GET', `${path}?toDeltaTime=1.75e308${query}`)).body.points
      t.same(await read(''), [[0, 60], ...points], column)
      t.same(await read('&resolution=ns'), [...more, ...points], column)
      t.same(
        await read('&fromDeltaTime=9e305&sample=100&summary=true'),
        [
          [9e305, 1, 60, 60, 60],
          [1.6830900000000004e308, 1, 60, 60, 60]
        ],
        column
      )
      await service.server.settle()
      t.match(await alice.http('GET', `/events/${id}`), { body: { event: { duration: 1.7e308 } } })
    }
    const table = await alice.http('GET', '/events/export?format=csv&series=true&toTime=1.7e308')
    t.match(table.body, ',1e+306,')
    t.notMatch(table.body, 'Infinity')
  })

  t.test('accept only JSON objects', async t => {
    const path = `/events/${await holder(alice)}/series`
    for (const target of [path, '/series/batch'])
      for (const [text, type] of [
        ['{"format":', 'application/json'],
        ['[]', 'application/json'],
        ['"flatJSON"', 'application/json'],
        ['null', 'application/json'],
        ['deltaTime,value\n0,1', 'text/csv'],
        ['deltaTime,value\n0,1', 'text/plain'],
        ['<points/>', 'application/xml'],
        ['--x--', 'multipart/form-data; boundary=x'],
        ['', 'application/json']
      ] as const)
        t.match(
          await alice.http('POST', target, text, { 'content-type': type }),
          { status: 400, body: { error: { id: 'invalid-request-structure' }, meta: {} } },
          `${target} ${type} ${text}`
        )
    const large = JSON.stringify({
      ...body,
      points: Array.from({ length: 800_000 }, (_, i) => [i, 0.123456])
    })
    t.ok(large.length > 10 * 1024 * 1024)
    t.match(await alice.http('POST', path, large), {
      status: 400,
      body: { error: { id: 'invalid-request-structure', message: /10485760/ } }
    })
    t.same((await alice.http('GET', path)).body.points, [])
  })

  t.test('accept the token in the header, in the query, or as Basic, on either port', async t => {
    const path = `/alice/events/${await holder(alice)}/series`
    const basic = `Basic ${Buffer.from(`${alice.token}:`).toString('base64')}`
    for (const url of [service.server.url, service.server.seriesUrl!])
      for (const [query, authorization, status, error] of [
        ['', alice.token, 200],
        [`?auth=${alice.token}`, undefined, 200],
        ['', basic, 200],
        ['', undefined, 401, 'invalid-access-token'],
        ['', 'wrong', 401, 'invalid-access-token'],
        ['?auth=wrong', undefined, 401, 'invalid-access-token']
      ] as const)
        for (const verb of ['POST', 'GET'] as const) {
          const answer = await request(url + path + query, verb, authorization)
          t.equal(answer.status, status, `${verb} ${url} ${query} ${authorization}`)
          t.match(answer.body, { ...(error ? { error: { id: error } } : {}), meta: { serverTime: Number } })
        }
  })

  t.test('have a separate port that serves nothing else', async t => {
    const url = service.server.seriesUrl!
    const id = await holder(alice)
    const data = [{ eventId: id, data: body }]
    const send = async (
      verb: string,
      path: string,
      content?: object
    ): Promise<{ status: number; body: Answer }> => await request(url + path, verb, alice.token, content)
    t.match(await send('POST', '/alice/series/batch', { format: 'seriesBatch', data }), { status: 201 })
    t.same((await send('GET', `/alice/events/${id}/series`)).body.points, body.points)
    t.match(await send('GET', '/system/status'), { status: 200, body: { status: 'ok', meta: {} } })
    for (const path of [
      '/alice/events',
      '/alice/access-info',
      '/reg/service/info',
      '/',
      '/www/assets/index.json'
    ])
      t.match(
        await send('GET', path),
        { status: 404, body: { error: { id: 'unknown-resource' }, meta: {} } },
        path
      )
    t.match(await send('GET', '/nobody/events/x/series'), {
      status: 404,
      body: { error: { message: /Unknown user/ } }
    })
  })

  t.test('allow cross-origin requests', async t => {
    for (const url of [service.server.url, service.server.seriesUrl!]) {
      const response = await fetch(`${url}/alice/series/batch`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example.com',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type'
        }
      })
      t.equal(response.status, 200)
      t.equal(response.headers.get('access-control-allow-origin'), 'https://app.example.com')
      t.equal(response.headers.get('access-control-allow-methods'), 'POST')
      t.equal(response.headers.get('access-control-allow-headers'), 'authorization,content-type')
    }
    const post = await request(`${service.server.seriesUrl}/alice/events/x/series`, 'POST', alice.token)
    t.equal(post.headers.get('access-control-allow-origin'), '*')
  })
})

async function request(
  url: string,
  method: string,
  authorization?: string,
  content: object = body
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization })
    },
    ...(method === 'POST' ? { body: JSON.stringify(content) } : {})
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

t.test('texts of characters that take three bytes are read to the end', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const { id } = await alice.event({ type: 'series:note/txt', content: undefined, time: 0 })
  const points = Array.from({ length: 4096 }, (_, at) => [at, `${at} ${'今日はよく眠れた。'.repeat(22)}`])
  points.push([4096, '今'.repeat(1_000_000)])
  t.equal((await alice.http('POST', `/events/${id}/series`, { ...body, points })).status, 200)
  server.services.spools.open = () => {
    throw new Error('No page has a long text')
  }
  const read = async (query: string): Promise<Answer> =>
    (await alice.http('GET', `/events/${id}/series?${query}`)).body.points
  t.same(await read(''), points)
  t.same(await read('sortAscending=false'), points.toReversed())
  const outcome = await server.dispatcher.call({
    user: 'alice',
    method: 'hfs.get',
    params: { id },
    credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
  })
  const sizes: number[] = []
  const next = outcome.ok ? outcome.remainder?.nextChunk?.bind(outcome.remainder) : undefined
  for (let step = await next?.(); step && !step.done; step = await next?.())
    if (step.value.bytes) sizes.push(step.value.bytes.length)
  t.ok(sizes.length > 0 && sizes.every(size => size < 2_500_000), sizes.join())
})
