/** A user's day, with each request at the next of three nodes: several nodes behave like one. */
import { Client as Assistant, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import pryv from 'pryv'
import { test } from 'tap'
import { agree, app, begin, exchange, post } from '../../support/oauth.js'
import { connect } from '../../support/socket.js'
import { asked } from '../../support/asking.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../engine-servers.js'
import { createStories, restlessFlags } from './restless.js'
import { adminKey, ThreeNodes } from './three-nodes.js'

const apps = JSON.stringify([app])

const isLong = process.env['COFFER_TEST_LONG'] === '1'

test('three nodes', { timeout: isLong ? 3_600_000 : 900_000 }, async t => {
  const three = await ThreeNodes.start(t, [
    `--access.apps=${apps}`,
    '--throttle.invalidTokens=30',
    ...restlessFlags
  ])
  const { nodes } = three
  const daisy = await three.user('daisy')
  const owner = await three.ownerOf('daisy')

  await t.test('name the same node as serving a user', async t => {
    for (const { url } of nodes) {
      const core = await three.http('GET', '/reg/cores?username=daisy', undefined, {}, url)
      t.match(core.body, { core: { url: `https://${owner.name}.example` } })
      const email = await three.http('GET', '/reg/cores?email=daisy%40example.com', undefined, {}, url)
      t.equal(email.status, 200)
      t.equal((await three.http('GET', '/daisy/service/info', undefined, {}, url)).status, 200)
    }
  })

  await t.test('accept streams, events and batches', async t => {
    await daisy.do('streams.create', { id: 'diary', name: 'Diary' })
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'one' }
    const created = await daisy.http('POST', '/events', note)
    t.equal(created.status, 201)
    const { id } = created.body.event
    t.match(await daisy.http('PUT', `/events/${id}`, { content: 'two' }), { status: 200 })
    for (const { url } of nodes)
      t.match(await daisy.http('GET', `/events/${id}`, undefined, url), {
        status: 200,
        body: { event: { content: 'two' } }
      })
    const batch = await daisy.http('POST', '', [
      { method: 'events.create', params: { ...note, content: 'three' } },
      { method: 'events.get', params: { streams: ['diary'] } }
    ])
    t.equal(batch.body.results[1].events.length, 2)
  })

  await t.test('accept series as the client library writes them', async t => {
    const { event } = await daisy.do('events.create', {
      streamIds: ['diary'],
      type: 'series:mass/kg',
      time: 1_600_000_000
    })
    const fields = ['deltaTime', 'value']
    for (const [index, { url }] of nodes.entries()) {
      const endpoint = `${url.replace('//', `//${daisy.token}@`)}/daisy/`
      const connection = new pryv.Connection(endpoint)
      const written = await connection.addPointsToHFEvent(event.id, fields, [[index, 70 + index]])
      t.match(written, { status: 'ok' })
    }
    for (const { url } of nodes) {
      const { body } = await daisy.http('GET', `/events/${event.id}/series`, undefined, url)
      t.same(body.points, [
        [0, 70],
        [1, 71],
        [2, 72]
      ])
    }
  })

  await t.test('let an app request access, the user agree and the app receive it', async t => {
    const { body: began } = await three.http('POST', '/reg/access', asked)
    t.equal(began.status, 'NEED_SIGNIN')
    const { access } = await daisy.do('accesses.create', {
      type: 'app',
      name: 'asking-app',
      permissions: [{ streamId: 'diary', level: 'read' }]
    })
    for (const { url } of nodes)
      t.match(await three.http('GET', `/reg/access/${began.key}`, undefined, {}, url), {
        body: { status: 'NEED_SIGNIN' }
      })
    const decision = { status: 'ACCEPTED', username: 'daisy', token: access.token }
    t.equal((await three.http('POST', `/reg/access/${began.key}`, decision)).status, 200)
    for (const { url } of nodes)
      await until('the app to learn of it', async () => {
        const { body } = await three.http('GET', `/reg/access/${began.key}`, undefined, {}, url)
        return body.token === access.token
      })
  })

  const service = {
    http: three.http.bind(three),
    /** Calls a method as the consent page does. */
    call: async (_user: undefined | string, method: string, params: unknown, token?: string) => {
      const { key, ...decision } = params as { key: string }
      const headers: Record<string, string> = token === undefined ? {} : { authorization: token }
      const isPoll = method === 'authRequest.poll'
      const verb = isPoll ? 'GET' : 'POST'
      return (await three.http(verb, `/reg/access/${key}`, isPoll ? undefined : decision, headers)).body
    }
  }

  await t.test("know an app's request immediately, whichever node received it", async t => {
    for (let times = 0; times < 6; times++) {
      const { location } = await begin(service)
      const requestKey = location.searchParams.get('key')
      const requested = { requestingAppId: app.id, requestKey, requestedPermissions: [] }
      t.ok(await daisy.do('accesses.checkApp', requested))
    }
  })

  await t.test('issue tokens by OAuth', async t => {
    const begun = await begin(service)
    const answered = await agree(service, daisy, begun)
    const { body: tokens, status } = await exchange(service, begun, answered)
    t.equal(status, 200)
    const authorization = `Bearer ${tokens.access_token}`
    for (const { url } of nodes)
      t.equal((await three.http('GET', '/daisy/events', undefined, { authorization }, url)).status, 200)
    t.not((await exchange(service, begun, answered)).status, 200, 'a code once')
    for (let times = 0; times < 3; times++) {
      const next = await begin(service)
      const { body, status } = await exchange(service, next, await agree(service, daisy, next))
      t.equal(status, 200, `whichever node it is exchanged at: ${body.error_description ?? ''}`)
    }
  })

  await t.test('refresh an OAuth token and revoke it', async t => {
    const begun = await begin(service, { scope: 'diary:read:Diary offline_access' })
    const { body: tokens } = await exchange(service, begun, await agree(service, daisy, begun))
    const fields = { client_id: app.id, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const { body: refreshed, status } = await post(service, '/oauth/token', fields)
    t.equal(status, 200)
    const again = await Promise.all(nodes.map(() => post(service, '/oauth/token', fields)))
    for (const { body } of again)
      t.equal(body.refresh_token, refreshed.refresh_token, 'the same one at any node')
    const authorization = `Bearer ${refreshed.access_token}`
    t.equal((await three.http('GET', '/daisy/events', undefined, { authorization })).status, 200)
    const ended = { client_id: app.id, token: refreshed.refresh_token }
    t.equal((await post(service, '/oauth/revoke', ended)).status, 200)
    for (const { url } of nodes)
      t.equal((await three.http('GET', '/daisy/events', undefined, { authorization }, url)).status, 401)
  })

  await t.test('notify sockets of changes made at other nodes', async t => {
    const sockets = await Promise.all(nodes.map(({ url }) => connect(t, url, 'daisy', daisy.token)))
    for (const { url } of nodes) {
      for (const socket of sockets) socket.heard.length = 0
      const note = { streamIds: ['diary'], type: 'note/txt', content: 'told' }
      t.equal((await daisy.http('POST', '/events', note, url)).status, 201)
      for (const socket of sockets) await until('the change', () => socket.heard.includes('eventsChanged'))
    }
    const { events } = await sockets[0]!.call('events.get', { limit: 1 })
    t.match(events, [{ content: 'told' }])
  })

  await t.test('serve assistants', async t => {
    for (const { url } of nodes) {
      const assistant = new Assistant({ name: 'test', version: '1.0.0' })
      await assistant.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/daisy/mcp`), {
          requestInit: { headers: { Authorization: `Bearer ${daisy.token}` } }
        })
      )
      t.teardown(() => assistant.close())
      const { content, isError } = await assistant.callTool({ name: 'events_get', arguments: { limit: 1 } })
      t.notOk(isError)
      t.match(content, [{ text: /"told"/ }])
    }
  })

  await t.test('import a file, report progress and export the account', async t => {
    const form = new FormData()
    const rows = Array.from({ length: 50 }, (_, day) => `2024-0${1 + (day % 9)}-1${day % 10},${60 + day}`)
    form.append('file', new Blob([['date,weight (kg)', ...rows].join('\n')]), 'weights.csv')
    const sent = await daisy.http('POST', '/imports', form)
    t.equal(sent.status, 201, JSON.stringify(sent.body))
    const { id } = sent.body.import
    for (const { url } of nodes)
      await until('the file to be looked at', async () => {
        const { body } = await daisy.http('GET', `/imports/${id}`, undefined, url)
        return body.import.state !== 'looking'
      })
    const { body: looked } = await daisy.http('GET', `/imports/${id}`)
    t.equal(looked.import.state, 'looked', JSON.stringify(looked))
    for (const { url } of nodes) {
      const response = await fetch(`${url}/daisy/account/export`, { headers: { authorization: daisy.token } })
      t.equal(response.status, 200)
      t.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 2), 'PK')
    }
  })

  await t.test('serve pages, and list the same accounts for the operator', async t => {
    for (const { url } of nodes) {
      for (const page of ['/app/', '/operator'])
        t.ok(
          [200, 301, 302, 307, 308].includes((await three.http('GET', page, undefined, {}, url)).status),
          page
        )
      const headers = { authorization: adminKey }
      const found = await three.http('GET', '/system/user-info/daisy', undefined, headers, url)
      t.match(found, { status: 200, body: { userInfo: { username: 'daisy' } } })
      const checked = await three.http('GET', '/system/check-platform-integrity', undefined, headers, url)
      t.same(
        checked.body.checks.flatMap(({ errors }: { errors: string[] }) => errors),
        []
      )
    }
  })

  await t.test('throttle guesses at every node', async t => {
    const headers = { authorization: 'a guess' }
    const isHeldBack = async (): Promise<boolean> => {
      const guesses = nodes.map(({ url }) => three.http('GET', '/daisy/access-info', undefined, headers, url))
      return (await Promise.all(guesses)).every(({ status }) => status === 429)
    }
    await until('all nodes to hold them back', isHeldBack)
    t.equal((await daisy.http('GET', '/access-info')).status, 200)
  })

  await t.test('delete an account at every node', async t => {
    const headers = { authorization: adminKey }
    t.equal((await three.http('DELETE', '/users/daisy', undefined, headers)).status, 200)
    for (const { url } of nodes)
      await until('the account to be gone', async () => {
        const { body } = await daisy.http('GET', '/events', undefined, url)
        return body.error?.id === 'unknown-resource'
      })
    await three.user('daisy')
  })

  for (const [what, story] of rotate(t, createStories(three))) await t.test(what, story)
})
