/** Access aliases: the holder of the token never learns the user name, and no one else can use the alias. */
import t, { type Test } from 'tap'
import { Client as Assistant, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { userRoutes } from '../../../transports/http/routes.js'
import { Client, openCoffer, type Answer, type Service } from '../../support/coffer.js'
import { callBound, createHolder, makeProof } from '../../support/key-proofs.js'
import { app, apps, begin, exchange, post, redirectUri, type Person } from '../../support/oauth.js'
import { receiver } from '../../support/receiver.js'
import { connect, until } from '../../support/socket.js'

const name = 'hippolyta'
const form = /^r-[a-z0-9]{8}$/

interface Setup {
  readonly service: Service
  readonly owner: Client
  /** An app with an alias. */
  readonly holder: Client & { readonly alias: string }
}

async function setUp(t: Test, overrides = {}): Promise<Setup> {
  const service = await openCoffer(t, {
    webhooks: { allowInternalTargets: true, minIntervalMs: 0 },
    ...overrides
  })
  const owner = await service.user(name, { email: 'queen@example.com', language: 'en' })
  await owner.stream('diary')
  return { service, owner, holder: await give(owner) }
}

/** Creates an access with an alias; its client calls by that alias. */
async function give(by: Client, fields = {}): Promise<Setup['holder']> {
  const { access } = await by.grant('manage', 'diary', { type: 'app', randomAlias: true, ...fields })
  return asHolder(by.service, access)
}

function asHolder(service: Service, access: Answer): Setup['holder'] {
  return Object.assign(new Client(service, access.alias, access), { alias: access.alias })
}

t.test('an access with an alias', async t => {
  const { holder, owner, service } = await setUp(t)

  t.test('has the alias in its endpoint and as its user name', async t => {
    const { access, alias, token } = holder
    t.match(alias, form)
    const endpoint = `${service.server.url.replace('//', `//${token}@`)}/${alias}/`
    t.match(access, { alias, apiEndpoint: endpoint })
    t.match(await holder.call('getAccessInfo'), { user: { username: alias }, alias, apiEndpoint: endpoint })
    const { accesses } = await owner.do('accesses.get')
    const listed = accesses.find(({ id }: Answer) => id === access.id)
    t.match(listed, { alias, apiEndpoint: endpoint }, 'as its owner sees it, too')
    t.equal(listed.integrity, access.integrity)
  })

  t.test('is not made for sessions, and cannot be chosen', async t => {
    t.match(
      await owner.call('accesses.create', {
        type: 'personal',
        name: 'x',
        permissions: [],
        randomAlias: true
      }),
      {
        error: { id: 'forbidden' }
      }
    )
    const { access } = await owner.grant('read', 'diary', { alias: 'r-aaaaaaaa' })
    t.notOk('alias' in access)
    t.match(await owner.call('accesses.create', { name: 'y', permissions: [], randomAlias: 'yes' }), {
      error: { id: 'invalid-parameters-format' }
    })
  })

  t.test('gives an alias to those to whom it gives access in turn', async t => {
    const shared = asHolder(service, (await holder.grant('read', 'diary')).access)
    t.match(shared.alias, form)
    t.not(shared.alias, holder.alias)
    t.match(await shared.call('getAccessInfo'), { user: { username: shared.alias } })
  })

  t.test('is valid by its alias alone, and its alias with its token alone', async t => {
    const other = await give(owner)
    const plain = await owner.grant('read', 'diary')
    const unknown = await service.http('GET', '/r-00000000/events', undefined, { authorization: owner.token })
    const asUnknown = (alias: string): object =>
      JSON.parse(JSON.stringify(unknown.body.error).replaceAll('r-00000000', alias)) as object
    const tokens = { none: '', wrong: 'wrong', owner: owner.token, plain: plain.token, other: other.token }
    for (const [whose, token] of Object.entries(tokens))
      for (const [verb, path, body] of [
        ['GET', '/events'],
        ['GET', '/access-info'],
        ['POST', '', []],
        ['POST', '/auth/login', { username: holder.alias, password: 'guessed it', appId: 'some-app' }],
        ['POST', '/account/request-password-reset', { appId: 'some-app' }],
        ['POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: '' }]
      ] as const) {
        const headers: Record<string, string> = token === '' ? {} : { authorization: token }
        const ask = async (alias: string): Promise<Answer> =>
          await service.http(
            verb,
            `/${alias}${path}`,
            path.includes('login') ? { ...Object(body), username: alias } : body,
            headers
          )
        const [known, never] = [await ask(holder.alias), await ask('r-00000000')]
        t.equal(known.status, never.status, `${whose} ${verb} ${path}`)
        t.same(known.body.error, Object(never.body).error && asUnknownOf(never.body.error, holder.alias))
      }
    t.same(
      (await service.http('GET', `/${holder.alias}/events`, undefined, {})).body.error,
      asUnknown(holder.alias)
    )
    t.match(await service.call(name, 'events.get', {}, holder.token), {
      status: 401,
      error: { id: 'invalid-access-token' }
    })
    t.match(await service.call('alice', 'events.get', {}, holder.token), { status: 401 })
    for (const path of [`/reg/${holder.alias}/server`, `/reg/cores?username=${holder.alias}`])
      t.match(await service.http('GET', path), { status: 404 }, path)
  })

  t.test('is the same user in any letter case and encoding', async t => {
    const { alias, token } = holder
    for (const path of [alias.toUpperCase(), alias.replace('r', '%72'), alias.replace('-', '%2D')])
      t.match(await service.http('GET', `/${path}/access-info`, undefined, { authorization: token }), {
        status: 200,
        body: { user: { username: alias } }
      })
    for (const path of [`${alias}.`, `${alias}%20`, `${alias}%00`, `.%2F${alias}`, alias.slice(0, -1)])
      t.equal(
        (await service.http('GET', `/${path}/access-info`, undefined, { authorization: token })).status,
        404
      )
  })

  t.test('frees its alias when it ends', async t => {
    const gone = await give(owner)
    const { server } = service
    await owner.do('accesses.delete', { id: gone.access.id })
    t.match(await gone.call('events.get'), { status: 404, error: { id: 'unknown-resource' } })
    await until(() => !server.services.platform.usernames.isTaken(gone.alias), 'the alias to be free')
  })

  t.test('reserves its form of names', async t => {
    for (const username of ['r-abcdefgh', 'r-00000000', 'with--two']) {
      const body = { username, password: 'a password', email: `${username}@example.com`, appId: 'some-app' }
      t.match(await service.http('POST', '/users', body), { status: 409 }, username)
      t.match((await service.http('GET', `/reg/${username}/check_username`)).body, { reserved: true })
    }
  })
})

function asUnknownOf(error: object, alias: string): object {
  return JSON.parse(JSON.stringify(error).replaceAll('r-00000000', alias)) as object
}

t.test('whatever the holder gets', async t => {
  const target = await receiver(t)
  const { holder, owner, service } = await setUp(t)
  const { alias, token } = holder
  const seen: string[] = []
  /** Notes everything of a response, and the decoded form of texts in base64. */
  const look = (what: string, ...texts: readonly unknown[]): void => {
    for (const each of texts) {
      const text = typeof each === 'string' ? each : JSON.stringify(each)
      seen.push(`${what} ${text}`)
      const place = text.toLowerCase().indexOf(name)
      if (place >= 0) t.fail(`${what}: …${text.slice(Math.max(0, place - 80), place + 40)}`)
    }
  }
  const ask = async (verb: string, path: string, body?: unknown, headers = {}): Promise<Answer> => {
    const answer = await service.http(verb, path, body, { authorization: token, ...headers })
    look(`${verb} ${path}`, [...answer.headers], answer.body)
    return answer
  }
  t.match(JSON.stringify(await owner.do('getAccessInfo')), name, 'of others it would be found')
  await owner.event({ content: 'by the owner' })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
  form.append('file', new Blob(['not a picture'], { type: 'image/png' }), 'picture.png')
  const { event } = (await ask('POST', `/${alias}/events`, form)).body
  await ask('POST', `/${alias}/accesses`, {
    name: 'in turn',
    permissions: [{ streamId: 'diary', level: 'read' }]
  })
  const { webhook } = (await ask('POST', `/${alias}/webhooks`, { url: target.url })).body
  const series = (await ask('POST', `/${alias}/events`, { streamIds: ['diary'], type: 'series:mass/kg' }))
    .body.event
  await ask('POST', `/${alias}/events/${series.id}/series`, {
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: [[0, 1]]
  })
  await ask(
    'GET',
    `/${alias}/events/${event.id}/${event.attachments[0].id}?readToken=${event.attachments[0].readToken}`
  )
  const ids = [event.id, webhook.id, 'nothing']
  for (const { path, verb } of userRoutes) {
    if (verb === 'DELETE') continue
    for (const id of path.includes(':') ? ids : ['']) {
      const filled = path.replaceAll(/:[a-z]+/gi, id)
      await ask(verb, `/${alias}${filled}`, verb === 'GET' ? undefined : {})
    }
  }
  for (const query of [
    '?toHTML=true',
    '?form=csv',
    '?form=fhir',
    '?form=gpx',
    '?auth=x',
    '?streams[]=nothing'
  ])
    for (const path of ['/events', '/events/export', '/audit/logs', '/streams'])
      await ask('GET', `/${alias}${path}${query}`)
  for (const path of ['', '/', '/nowhere', '/nowhere/at/all', '/service/info'])
    for (const accept of ['application/json', 'text/html', '*/*'])
      await ask('GET', `/${alias}${path}`, undefined, { accept })
  await ask('DELETE', `/${alias}/nothing`)
  await ask('OPTIONS', `/${alias}/events`)
  await ask('POST', `/${alias}/events`, '{broken')
  await ask('POST', `/${alias}`, [
    { method: 'getAccessInfo', params: {} },
    { method: 'accesses.get', params: {} },
    { method: 'events.get', params: {} },
    { method: 'audit.getLogs', params: {} },
    { method: 'account.get', params: {} },
    { method: 'no.such', params: {} }
  ])
  // Errors of wrong tokens, and of the service's own endpoints.
  for (const authorization of ['wrong', owner.token])
    await ask('GET', `/${alias}/events`, undefined, { authorization })
  await ask('GET', `/.well-known/oauth-protected-resource/${alias}/mcp`)
  await ask('POST', `/${alias}/mcp`, {}, { authorization: 'wrong' })
  await ask('POST', '/oauth/introspect', new URLSearchParams({ token }).toString())

  // Assistants.
  const transport = new StreamableHTTPClientTransport(new URL(`${service.server.url}/${alias}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } }
  })
  const assistant = new Assistant({ name: 'test', version: '1.0.0' })
  await assistant.connect(transport)
  t.teardown(() => assistant.close())
  look('MCP', assistant.getServerVersion(), assistant.getInstructions() ?? '')
  const { tools } = await assistant.listTools()
  look('MCP tools', tools)
  for (const tool of tools)
    look(`MCP ${tool.name}`, await assistant.callTool({ name: tool.name, arguments: {} }).catch(String))
  const { resources } = await assistant.listResources()
  look('MCP resources', resources)
  for (const { uri } of resources) look(`MCP ${uri}`, await assistant.readResource({ uri }).catch(String))

  // Sockets.
  const socket = await connect(t, service.server.url, alias, token)
  socket.raw.onAny((...all: unknown[]) => look('socket', all))
  for (const method of ['getAccessInfo', 'accesses.get', 'events.get', 'account.get', 'no.such'])
    look(`socket ${method}`, await socket.call(method))
  await owner.event({ content: 'news' })
  await until(() => socket.heard.includes('eventsChanged'), 'a message')
  await t.rejects(connect(t, service.server.url, alias, owner.token), /Unknown user "r-/)
  await t.rejects(connect(t, service.server.url, name, token), /./, 'not by the user name')

  // Webhooks.
  await target.received(1)
  look('webhook', target.deliveries)
  t.ok(seen.length > 150, `${seen.length} texts`)

  t.test('after the account has moved, and while it is suspended', async t => {
    const { services } = service.server
    const account = services.accounts.find(name)!
    await services.accounts.relocate(account, `https://elsewhere.example/${name}/`)
    const moved = await ask('GET', `/${alias}/events`)
    t.match(moved, { status: 301, body: { error: { id: 'user-account-relocated' } } })
    t.equal(moved.headers.get('location'), `https://elsewhere.example/${alias}/`)
    await services.accounts.undoRelocation(account)
    await services.accounts.suspend(account, 1)
    t.equal((await ask('GET', `/${alias}/events`)).status, 404)
    await services.accounts.resume(account)
    t.equal((await ask('GET', `/${alias}/events`)).status, 200)
  })
})

t.test('an app whose access has an alias', async t => {
  const { owner, service } = await setUp(t, {
    ...apps(app),
    oauth: { accessSeconds: 3600 }
  })
  /** Accepts a request with an alias, as a page does. */
  const accept = async (key: string, person: Person): Promise<{ alias: string; answer: Answer }> => {
    const asked = await service.call(undefined, 'authRequest.poll', { key })
    const { clientData, expireAfter, requestedPermissions, requestingAppId } = asked
    const { checkedPermissions } = await person.do('accesses.checkApp', {
      requestingAppId,
      requestedPermissions,
      requestKey: key,
      ...(clientData && { clientData })
    })
    const { access } = await person.do('accesses.create', {
      type: 'app',
      name: requestingAppId,
      permissions: checkedPermissions,
      randomAlias: true,
      ...(clientData && { clientData }),
      ...(expireAfter !== undefined && { expireAfter })
    })
    const decision = { key, status: 'ACCEPTED', token: access.token, apiEndpoint: access.apiEndpoint }
    const byName = await service.call(
      undefined,
      'authRequest.decide',
      { key, status: 'ACCEPTED', token: access.token, username: name },
      person.token
    )
    t.match(byName, { error: { id: 'invalid-access-token' } }, 'the name is no way to it')
    const answer = await service.call(undefined, 'authRequest.decide', decision, person.token)
    return { alias: access.alias, answer }
  }

  t.test('gets it by polling', async t => {
    const asked = await service.call(undefined, 'authRequest.create', {
      requestingAppId: 'polling-app',
      requestedPermissions: [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }]
    })
    const { alias, answer } = await accept(asked.key, owner)
    t.match(answer, { status: 'ACCEPTED', username: alias, apiEndpoint: new RegExp(`/${alias}/$`) })
    const polled = await service.http('GET', `/reg/access/${asked.key}`)
    t.match(polled.body, { status: 'ACCEPTED', username: alias })
    t.notMatch(JSON.stringify([answer, polled.body, ...polled.headers]), name)
  })

  t.test('gets it by OAuth, in all answers and tokens', async t => {
    const begun = await begin(service, {
      scope: 'diary:contribute:Diary offline_access openid profile email'
    })
    const key = begun.location.searchParams.get('key') ?? ''
    const { alias, answer } = await accept(key, owner)
    t.notMatch(answer.redirect, name)
    const { body, status } = await exchange(service, begun, new URL(answer.redirect))
    t.equal(status, 200, JSON.stringify(body))
    const { access_token: token, refresh_token: refresh } = body
    t.match(body, {
      username: alias,
      apiEndpoint: `${service.server.url.replace('//', `//${token}@`)}/${alias}/`
    })
    for (const each of [token, refresh]) t.ok(each.startsWith(`${alias}~`), each)
    const claims = Buffer.from(body.id_token.split('.')[1], 'base64url').toString()
    const auth = { authorization: `Bearer ${token}` }
    const info = await service.http('GET', '/oauth/userinfo', undefined, auth)
    t.match(info.body, { preferred_username: alias })
    const client = { client_id: body.client_id ?? app.id }
    const introspected = await post(service, '/oauth/introspect', { ...client, token })
    t.match(introspected.body, { active: true, username: alias })
    const refreshed = await post(service, '/oauth/token', {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: refresh
    })
    t.match(refreshed.body, { username: alias, refresh_token: new RegExp(`^${alias}~`) })
    const events = await service.http('GET', `/${alias}/events`, undefined, auth)
    t.equal(events.status, 200)
    const all = [body, claims, info.body, introspected.body, refreshed.body, events.body]
    t.notMatch(JSON.stringify(all).replaceAll('queen@example.com', ''), name)
    // The same tokens under the user name are unknown.
    const [, ...rest] = (refreshed.body.refresh_token as string).split('~')
    t.match(
      (
        await post(service, '/oauth/token', {
          ...client,
          grant_type: 'refresh_token',
          refresh_token: [name, ...rest].join('~')
        })
      ).body,
      { error: 'invalid_grant' }
    )
    t.same(
      (
        await post(service, '/oauth/introspect', {
          ...client,
          token: refreshed.body.refresh_token.replace(alias, name)
        })
      ).body,
      { active: false }
    )
    t.equal(
      (await post(service, '/oauth/revoke', { ...client, token: refreshed.body.refresh_token })).status,
      200
    )
    t.match(await service.http('GET', `/${alias}/events`, undefined, auth), { status: 404 })
  })

  t.test('gets it by OAuth with tokens bound to keys', async t => {
    const scope = 'diary:read:Diary offline_access'
    const aliases = new Set<string>()
    /** Exchanges a code with a proof, and uses the tokens. */
    const use = async (redirect: string, verifier: string, what: string): Promise<void> => {
      const holder = await createHolder()
      const url = `${service.server.url}/oauth2/token`
      const request = async (fields: Record<string, string>): Promise<Answer> => {
        const dpop = await makeProof(holder, { verb: 'POST', url, now: service.clock.now() })
        return (await post(service, '/oauth2/token', { client_id: app.id, ...fields }, { dpop })).body
      }
      const tokens = await request({
        grant_type: 'authorization_code',
        code: new URL(redirect).searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier
      })
      t.match(tokens, { token_type: 'DPoP', username: form }, what)
      t.notMatch(JSON.stringify(tokens), name, what)
      const { access_token: token, refresh_token: refresh, username: alias } = tokens
      aliases.add(alias)
      for (const each of [token, refresh]) t.ok(each.startsWith(`${alias}~`), what)
      const refreshed = await request({ grant_type: 'refresh_token', refresh_token: refresh })
      t.match(refreshed, { username: alias, access_token: token }, what)
      const events = await callBound(service, holder, token, ['GET', `/${alias}/events`])
      t.equal(events.status, 200, JSON.stringify(events.body))
      t.notMatch(JSON.stringify(events.body), name)
      t.match(await callBound(service, holder, token, ['GET', `/${name}/events`]), { status: 401 })
    }
    const first = await begin(service, { scope })
    const { answer } = await accept(first.location.searchParams.get('key') ?? '', owner)
    await use(answer.redirect, first.verifier, 'a new access')

    const bearer = await begin(service, { scope })
    const accepted = await accept(bearer.location.searchParams.get('key') ?? '', owner)
    const { body } = await exchange(service, bearer, new URL(accepted.answer.redirect))
    t.match(body, { token_type: 'Bearer', username: accepted.alias })
    const again = await begin(service, { scope })
    const key = again.location.searchParams.get('key') ?? ''
    const { access_token: token, apiEndpoint } = body
    const decision = { key, status: 'ACCEPTED', token, apiEndpoint }
    const decided = await service.call(undefined, 'authRequest.decide', decision, owner.token)
    await use(decided.redirect, again.verifier, 'a session beside an access that is in use')
    t.equal(aliases.size, 2)
    t.notOk(aliases.has(accepted.alias), 'it has an alias of its own')
  })
})
