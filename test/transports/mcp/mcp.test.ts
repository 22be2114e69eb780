/** Assistants, using the official MCP client: what they can see and change, and their audit trail. */
import { once } from 'node:events'
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { Client as Assistant, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getAccountKey } from '../../../core/call/account-key.js'
import { coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

/** Connects an assistant with a token. */
async function connect(t: Test, { service, username }: Client, token: string): Promise<Assistant> {
  const transport = new StreamableHTTPClientTransport(new URL(`${service.server.url}/${username}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } }
  })
  const assistant = new Assistant({ name: 'test', version: '1.0.0' })
  await assistant.connect(transport)
  t.teardown(() => assistant.close())
  return assistant
}

/** Returns nested arrays as JSON. */
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Calls a tool, and returns its result. */
async function ask(
  assistant: Assistant,
  name: string,
  params: Record<string, unknown> = {}
): Promise<Answer> {
  const { content, isError } = await assistant.callTool({ name, arguments: params })
  const [first] = content as { text: string }[]
  return isError ? { error: first!.text } : JSON.parse(first!.text)
}

t.test('a long result without a place is refused, unless something was written', async t => {
  const { alice, clock, server } = await openCoffer(t)
  await alice.stream('diary')
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'long '.repeat(30_000) }
  await alice.event(note)
  const writer = await alice.grant('contribute', 'diary', { type: 'app' })
  const { longResponses } = server.services
  const recipient = { user: getAccountKey(server.services, 'alice'), access: writer.access.id }
  while (longResponses.tryAcquire(recipient)) continue
  const send = async (name: string, params: object): Promise<Response> => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: params }
    })
    const headers = { authorization: writer.token, 'content-type': 'application/json' }
    const sent = fetch(`${server.url}/alice/mcp`, { method: 'POST', headers, body })
    await until(() => longResponses.load.waiting === 1, 'a response waits')
    clock.advance(11)
    return await sent
  }
  const refused = await send('events_get', {})
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '5')
  t.match(await refused.json(), { error: { id: 'too-many-requests' } })
  await t.rejects(send('events_create', note), 'the result is not known')
  t.equal((await alice.do('events.get', {})).events.length, 2)
})

t.test('an assistant', async t => {
  const { alice } = await coffer(t)
  await alice.stream('body')
  await alice.stream('weight', 'body')
  await alice.stream('diary')
  await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 70, time: 1000 })
  const { id: secret } = await alice.event({ streamIds: ['diary'], content: 'a secret' })
  const reader = await alice.grant('read', 'body', { type: 'app', name: 'assistant' })
  const assistant = await connect(t, alice, reader.token)

  t.test('lists read tools, generated from the methods', async t => {
    const { tools } = await assistant.listTools()
    const names = tools.map(({ name }) => name)
    t.ok(names.includes('events_get') && names.includes('events_sample') && names.includes('streams_facts'))
    for (const { annotations, inputSchema, name } of tools) {
      t.equal(annotations?.readOnlyHint, true, name)
      t.equal(inputSchema.type, 'object', name)
      t.notOk('auth' in (inputSchema.properties ?? {}), name)
      t.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    }
    for (const name of ['events_create', 'accesses_get', 'auth_login', 'account_get', 'hfs_add'])
      t.notOk(names.includes(name), name)
  })

  t.test('reads only what its access permits', async t => {
    const { events } = await ask(assistant, 'events_get', { streams: ['body'] })
    t.match(events, [{ type: 'mass/kg', content: 70 }])
    t.match(await ask(assistant, 'events_getOne', { id: secret }), { error: /^forbidden|^unknown-resource/ })
    t.match(await ask(assistant, 'events_get', { streams: ['diary'] }), { error: /^forbidden/ })
    t.match(await ask(assistant, 'events_create', { streamIds: ['body'], type: 'note/txt', content: 'x' }), {
      error: /^forbidden/
    })
    t.match(await ask(assistant, 'accesses_get'), { error: /Unknown tool/ })
    t.match(await ask(assistant, 'events_get', { limit: 'many' }), { error: /^invalid-parameters-format/ })
    const info = await ask(assistant, 'getAccessInfo')
    t.match(info, { type: 'app', name: 'assistant' })
    t.notMatch(JSON.stringify(info), reader.token)
  })

  t.test('cannot use another token than its own', async t => {
    const { events } = await ask(assistant, 'events_get', { auth: alice.token })
    t.match(events, [{ type: 'mass/kg' }])
    t.equal(events.length, 1)
  })

  t.test('lists streams and events as resources', async t => {
    const { resources } = await assistant.listResources()
    t.match(resources, [
      { uri: 'coffer:///streams/body', name: 'body' },
      { uri: 'coffer:///streams/weight', name: 'body / weight' }
    ])
    t.equal(resources.length, 2)
    const { contents } = await assistant.readResource({ uri: 'coffer:///streams/weight' })
    t.match(JSON.parse((contents[0] as { text: string }).text), {
      facts: [{ streamId: 'weight', count: 1 }],
      events: [{ content: 70 }]
    })
    const owners = await connect(t, alice, alice.token)
    for (const { uri } of (await owners.listResources()).resources)
      t.equal((await owners.readResource({ uri })).contents.length, 1, uri)
    const { resourceTemplates } = await assistant.listResourceTemplates()
    t.equal(resourceTemplates.length, 2)
    for (const uri of [
      'coffer:///streams/diary',
      `coffer:///events/${secret}`,
      'coffer:///streams/%',
      'file:///etc/passwd'
    ])
      await t.rejects(assistant.readResource({ uri }))
    const long = assistant.readResource({ uri: `file:///${'x'.repeat(100_000)}` })
    await t.rejects(long, { message: /^.{100,400}$/ }, 'errors do not repeat long ones')
  })

  t.test('offers prompts with the data that its access permits', async t => {
    const { prompts } = await assistant.listPrompts()
    t.same(
      prompts.map(({ name }) => name),
      ['week', 'compare_periods', 'what_changed']
    )
    const read = async (name: string, given: Record<string, string>): Promise<string> => {
      const { messages } = await assistant.getPrompt({ name, arguments: given })
      return (messages[0]!.content as { text: string }).text
    }
    const week = await read('week', { to: '1970-01-03', zone: 'Europe/Zurich' })
    t.match(week, /Summarise my week[^]*give no medical advice[^]*"measure":"weight","days":1,"value":70/)
    t.notMatch(week, /"note"|looked/)
    const dates = {
      firstFrom: '1970-01-01',
      firstTo: '1970-01-02',
      secondFrom: '1970-01-03',
      secondTo: '1970-01-04'
    }
    t.match(await read('compare_periods', { measure: 'weight', ...dates }), /"value":70[^]*"days":\[\]/)
    t.match(await read('what_changed', { since: '2020-01-01' }), '"measure":"weight"')
    const since = { since: '2026-06-30', zone: 'Europe/Zurich' }
    t.match(await read('what_changed', since), `"createdSince":${Date.UTC(2026, 5, 29, 22) / 1000}`)
    for (const [name, given, message] of [
      ['luck', {}, /Unknown prompt/],
      ['what_changed', {}, /"since" is missing/],
      ['what_changed', { since: 'yesterday' }, /invalid-parameters-format/],
      ['week', { zone: 'Mars/Base' }, /invalid-parameters-format/],
      ['week', { zone: 'x'.repeat(201) }, /too long/]
    ] as const)
      await t.rejects(assistant.getPrompt({ name, arguments: given }), { message })
  })

  t.test('leaves an audit trail of its reads', async t => {
    const { id } = (await alice.do('accesses.get')).accesses.find(({ name }: Answer) => name === 'assistant')
    const { events } = await alice.do('events.get', { streams: [`:_audit:access-${id}`], limit: 100 })
    const actions = new Set(events.map(({ content }: Answer) => content.action))
    for (const action of ['events.get', 'events.getOne', 'streams.get', 'events.create'])
      t.ok(actions.has(action), action)
  })

  t.test('changes only what its access permits', async t => {
    const writer = await alice.grant('contribute', 'diary', { type: 'app', name: 'writing-assistant' })
    const writing = await connect(t, alice, writer.token)
    const { tools } = await writing.listTools()
    t.match(
      tools.find(({ name }) => name === 'events_delete'),
      { annotations: { readOnlyHint: false, destructiveHint: true } }
    )
    const { event } = await ask(writing, 'events_create', {
      streamIds: ['diary'],
      type: 'note/txt',
      content: 'by an assistant'
    })
    t.match(await alice.do('events.getOne', { id: event.id }), { event: { content: 'by an assistant' } })
  })

  t.test('receives an explanation when a result is too large', async t => {
    const long = 'x'.repeat(50_000)
    for (let count = 0; count < 5; count++)
      await alice.event({ streamIds: ['weight'], type: 'note/txt', content: long })
    t.match(await ask(assistant, 'events_get'), { error: /^too-many-results.*fewer/ })
    t.match(await ask(assistant, 'events_get', { types: ['mass/kg'] }), { events: [{ content: 70 }] })
    const writer = await alice.grant('contribute', 'diary', { type: 'app', name: 'long writer' })
    const writing = await connect(t, alice, writer.token)
    const note = { streamIds: ['diary'], type: 'note/txt', content: long.repeat(5) }
    const { error } = await ask(writing, 'events_create', note)
    t.match(error, /^too-many-results: The call took effect/)
    t.notMatch(error, 'fewer', 'which would have it write once more')
    t.match(await alice.do('events.get', { limit: 1 }), { events: [{ content: note.content }] })
  })

  t.test('is disconnected when its access ends', async t => {
    const ended = await alice.grant('read', 'body', { name: 'ended' })
    const former = await connect(t, alice, ended.token)
    await former.listTools()
    const { id } = (await alice.do('accesses.get')).accesses.find(({ name }: Answer) => name === 'ended')
    await alice.do('accesses.delete', { id })
    await t.rejects(former.listTools())
    await t.rejects(former.callTool({ name: 'events_get', arguments: {} }))
  })
})

t.test('the endpoint', async t => {
  const { alice, server } = await coffer(t)
  const send = async (
    body: unknown,
    headers: Record<string, string> = {},
    method = 'POST'
  ): Promise<{ status: number; headers: Headers; body: Answer }> => {
    const response = await fetch(`${server.url}/alice/mcp`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: alice.token,
        ...headers
      },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
    return {
      status: response.status,
      headers: response.headers,
      body: data === '' ? undefined : JSON.parse(data)
    }
  }
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'older', version: '1' } }
  }

  t.test('supports older clients, without a session', async t => {
    const answer = await send(initialize)
    t.equal(answer.status, 200)
    t.match(answer.body, { id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'coffer' } } })
    t.notOk(answer.headers.get('mcp-session-id'))
    const listed = await send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} })
    t.ok(listed.body.result.tools.length > 10)
  })

  t.test('responds in a format that the client accepts', async t => {
    const forms: [accept: string, type: string][] = [
      ['*/*', 'application/json'],
      ['application/*', 'application/json'],
      ['application/json', 'application/json'],
      ['text/html;q=0.5, */*;q=0.1', 'application/json'],
      ['APPLICATION/JSON, TEXT/EVENT-STREAM', 'text/event-stream'],
      ['text/*', 'text/event-stream'],
      ['text/event-stream, */*', 'text/event-stream'],
      ['text/event-stream;q=0, application/json', 'application/json']
    ]
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }
    for (const [accept, type] of forms)
      for (const message of [initialize, call]) {
        const answer = await send(message, { Accept: accept })
        t.equal(answer.status, 200, accept)
        t.ok(answer.headers.get('content-type')?.startsWith(type), accept)
        t.match(answer.body, { id: message.id, result: Object }, accept)
      }
    for (const accept of ['text/html', 'image/*', 'application/json;q=0'])
      t.equal((await send(initialize, { Accept: accept })).status, 406, accept)
    t.equal(
      (await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { Accept: '*/*' })).status,
      202
    )
    const { hostname, port } = new URL(server.url)
    const bare = request({ hostname, port, path: '/alice/mcp', method: 'POST' })
    bare.setHeader('Authorization', alice.token).setHeader('Content-Type', 'application/json')
    bare.end(JSON.stringify(call))
    const [answer] = await once(bare, 'response')
    t.equal(answer.resume().statusCode, 200, 'one that does not say')
  })

  t.test('sends long responses once there is capacity', async t => {
    await alice.stream('diary')
    await alice.event({ content: 'x'.repeat(150_000) })
    const { accounts, longResponses: longAnswers } = alice.service.server.services
    const user = getAccountKey({ accounts }, 'alice')
    const places = Array.from({ length: 20 }, () => longAnswers.tryAcquire({ user, access: alice.access.id }))
    const params = { name: 'events_get', arguments: {} }
    const answer = send({ jsonrpc: '2.0', id: 8, method: 'tools/call', params })
    await until(() => longAnswers.load.waiting === 1, 'the answer to wait')
    t.match((await send(initialize)).body, { id: 1 }, 'short ones need none')
    for (const leave of places) leave?.()
    t.equal((await answer).body.result.structuredContent.events.length, 1)
    await until(() => longAnswers.load.open === 0, 'the place to be free')
  })

  t.test('requires a token', async t => {
    for (const authorization of ['', 'nonsense', 'Bearer nonsense']) {
      const answer = await send(initialize, { Authorization: authorization })
      t.equal(answer.status, 401)
      t.match(answer.headers.get('www-authenticate'), /^Bearer resource_metadata="http.*\/alice\/mcp"$/)
      t.match(answer.body, { error: { id: 'invalid-access-token' } })
    }
    const unknown = await fetch(`${server.url}/nobody-here/mcp`, { method: 'POST' })
    t.equal(unknown.status, 404)
  })

  t.test('refuses malformed messages', async t => {
    const refused: [body: unknown, status: number][] = [
      ['', 400],
      ['{', 400],
      ['null', 400],
      ['"text"', 400],
      [[initialize, initialize], 400],
      [{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }, 404],
      [{ jsonrpc: '2.0', id: 1 }, 400],
      [{ id: 1, method: 'tools/list' }, 400]
    ]
    for (const [body, status] of refused) {
      const answer = await send(body)
      t.equal(answer.status, status, JSON.stringify(body))
      t.ok(answer.body.error, JSON.stringify(body))
    }
    for (const depth of [100, 5000, 100_000]) {
      const call = `{"name":"events_get","arguments":{"streams":${nested(depth)}}}`
      const answer = await send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":${call}}`)
      t.ok(answer.status < 500 && (answer.body.error ?? answer.body.result.isError), `${depth} deep`)
    }
    for (const params of [undefined, null, 1, [], {}, { name: 1 }, { name: 'events_get', arguments: [] }]) {
      const answer = await send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params })
      t.ok(answer.status < 500 && answer.body.error, JSON.stringify(params))
    }
    t.equal((await send('<a/>', { 'Content-Type': 'application/xml' })).status, 415)
    for (const verb of ['GET', 'DELETE', 'PUT']) t.equal((await send(undefined, {}, verb)).status, 405, verb)
    // `fetch` cannot send this method.
    const traced = await new Promise((resolve, reject) => {
      const headers = { Authorization: alice.token }
      const asked = request(`${server.url}/alice/mcp`, { method: 'TRACE', headers }, answer => {
        resolve([answer.resume().statusCode, answer.headers.allow])
      })
      asked.on('error', reject).end()
    })
    t.same(traced, [405, 'POST'], 'TRACE')
    const unknown = await send({ jsonrpc: '2.0', id: 3, method: 'nothing/known', params: {} })
    t.match(unknown.body, { id: 3, error: { code: -32601 } })
  })
})

t.test('names of resources are short, however deep streams are and whatever their names', async t => {
  const { alice } = await coffer(t)
  const rest = 'x'.repeat(1000)
  for (let at = 0; at < 90; at++)
    await alice.do('streams.create', {
      id: `part-${at}`,
      name: `part ${at} ${rest}`,
      ...(at > 0 && { parentId: `part-${at - 1}` })
    })
  for (let at = 0; at < 200; at++)
    await alice.do('streams.create', { id: `leaf-${at}`, name: `leaf ${at}`, parentId: 'part-89' })
  const { token } = await alice.grant('read', '*', { type: 'app', name: 'assistant' })
  const assistant = await connect(t, alice, token)
  const { resources } = await assistant.listResources()
  const listed = resources.filter(({ uri }) => /part|leaf/.test(uri))
  t.equal(listed.length, 290)
  t.match(listed[1]!.name, /^part 0 x+… \/ part 1 x+…$/)
  t.match(listed.find(({ uri }) => uri.endsWith('leaf-199'))?.name, /^… \/ (.+ \/ )?leaf 199$/)
  t.ok(listed.every(each => each.name.length < 1300))
})
