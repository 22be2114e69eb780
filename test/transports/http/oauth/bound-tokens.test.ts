/** Tokens that are bound to a key (DPoP, RFC 9449). (docs/api/oauth.md#proof-of-possession) */
import { createHash, createHmac } from 'node:crypto'
import { exportPKCS8, generateKeyPair } from 'jose'
import t from 'tap'
import type { Answer } from '../../../support/coffer.js'
import { coffer, Client, methodModules, Service, testSettings } from '../../../support/coffer.js'
import { startServer } from '../../../../server/server.js'
import {
  callBound,
  createHolder,
  makeProof,
  seenAt,
  type Deviation,
  type Holder
} from '../../../support/key-proofs.js'
import {
  agree,
  app,
  apps,
  begin,
  clientId,
  exchange,
  post,
  redirectUri,
  type Begun
} from '../../../support/oauth.js'
import { socketOf } from '../../../support/socket.js'

const secret = 'a secret of the client'
const confidential = {
  id: 'confidential-client',
  oauth: { redirectURIs: [redirectUri], secretHash: createHash('sha256').update(secret).digest('hex') }
}
const scope = 'offline_access diary:contribute:Diary'
const challenge = 'DPoP algs="ES256", error="invalid_token"'

const at = (claims: Record<string, unknown>): Deviation => ({ claims })
const head = (header: Record<string, unknown>): Deviation => ({ header })

/** Obtains tokens bound to a key. `fields` replace those of the form. */
async function obtainBound(
  service: Service,
  person: Client,
  holder: Holder,
  fields: Record<string, string> = {},
  path = '/oauth2/token'
): Promise<Answer> {
  const begun = await begin(service, {
    scope,
    ...(fields['client_id'] && { client_id: fields['client_id'] })
  })
  const answered = await agree(service, person, begun)
  const answer = await askToken(service, holder, path, {
    grant_type: 'authorization_code',
    code: answered.searchParams.get('code')!,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: begun.verifier,
    ...fields
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body
}

/** Lets a user agree to a request of the client. */
async function agreeTo(service: Service, person: Client): Promise<[Begun, URL]> {
  const begun = await begin(service, { scope })
  return [begun, await agree(service, person, begun)]
}

/** Calls the token endpoint with a proof of a key. */
async function askToken(
  service: Service,
  holder: Holder,
  path: string,
  form: Record<string, string>,
  deviation?: Deviation
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const url = `${service.server.url}${path}`
  const proof = await makeProof(holder, { verb: 'POST', url, now: service.clock.now() }, deviation)
  return await post(service, path, form, { dpop: proof })
}

const refresh = (token: string, fields: Record<string, string> = {}): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  client_id: clientId,
  ...fields
})

t.test('a code with a proof that was used before leaves no access behind', async t => {
  const service = await coffer(t, apps(app))
  const { alice } = service
  const holder = await createHolder()
  const attempts: [asked: string, expected: object, accesses: number][] = [
    [scope, { status: 200 }, 1],
    ['diary:read:Diary', { status: 400, body: { error: 'invalid_dpop_proof' } }, 1]
  ]
  for (const [asked, expected, count] of attempts) {
    const begun = await begin(service, { scope: asked })
    const answered = await agree(service, alice, begun)
    const form = {
      grant_type: 'authorization_code',
      code: answered.searchParams.get('code')!,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: begun.verifier
    }
    const once = { claims: { jti: 'the only one' } }
    t.match(await askToken(service, holder, '/oauth2/token', form, once), expected, asked)
    const { accesses } = await alice.do('accesses.get')
    t.equal(accesses.filter(({ type }: Answer) => type === 'app').length, count, asked)
  }
})

t.test('a bound token', async t => {
  const service = await coffer(t, { ...apps(app, confidential), http: { trustedProxies: [] } })
  const { alice, clock, server } = service
  const [holder, other] = await Promise.all([createHolder(), createHolder()])
  const tokens = await obtainBound(service, alice, holder)
  const token: string = tokens.access_token
  const origin = server.url

  t.match(tokens, { token_type: 'DPoP', expires_in: 3600, apiEndpoint: /^http:.*@/, refresh_token: String })
  const { accesses } = await alice.do('accesses.get')
  const session = accesses.find((each: { token: string }) => each.token === token)
  t.match(session, {
    type: 'app',
    name: `oauth:${clientId}`,
    deviceName: /^oauth-session-/,
    clientData: { dpop: { jkt: holder.thumbprint } }
  })
  t.equal(accesses.filter(({ type }: { type: string }) => type === 'app').length, 1, 'no second access')

  t.test('is accepted with a proof, for every kind of call', async t => {
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'hello' }
    const kinds: [string, string, unknown?][] = [
      ['GET', '/alice/access-info'],
      ['GET', '/alice/events?limit=1'],
      ['POST', '/alice/events', note],
      [
        'POST',
        '/alice',
        [
          { method: 'events.create', params: note },
          { method: 'getAccessInfo', params: {} }
        ]
      ],
      ['POST', '/alice/events', { ...note, content: 'long '.repeat(10_000) }]
    ]
    for (const kind of kinds) {
      const { body, status } = await callBound(service, holder, token, kind)
      t.match(status, /20[01]/, `${kind[0]} ${kind[1]} ${JSON.stringify(body).slice(0, 300)}`)
      for (const result of body.results ?? []) t.notOk(result.error, 'one proof for a whole batch')
    }
    const form = new FormData()
    form.append('event', JSON.stringify({ ...note, type: 'file/attached', content: null }))
    form.append('file', new Blob(['some text']), 'some.txt')
    const added = await callBound(service, holder, token, ['POST', '/alice/events', form])
    t.equal(added.status, 201)
    const { attachments, id } = added.body.event
    const path = `/alice/events/${id}/${attachments[0].id}`
    t.equal((await callBound(service, holder, token, ['GET', path])).body, 'some text')
    const open = await service.http('GET', `${path}?readToken=${attachments[0].readToken}`)
    t.equal(open.body, 'some text', 'files can be downloaded by their read token')
    t.match(await callBound(service, holder, token, ['GET', '/oauth2/userinfo']), {
      status: 403,
      body: { error: 'insufficient_scope' }
    })
  })

  t.test('is refused without a proof, with 401 and a challenge', async t => {
    const path = '/alice/access-info'
    const basic = `Basic ${Buffer.from(`${token}:`).toString('base64')}`
    const proof = async (): Promise<string> =>
      await makeProof(holder, { verb: 'GET', url: origin + path, now: clock.now(), token })
    const attempts: [string, string, Record<string, string>][] = [
      ['as Bearer', path, { authorization: `Bearer ${token}`, dpop: await proof() }],
      ['bare', path, { authorization: token, dpop: await proof() }],
      ['as Basic', path, { authorization: basic, dpop: await proof() }],
      ['in the query', `${path}?auth=${token}`, { dpop: await proof() }],
      ['without a proof', path, { authorization: `DPoP ${token}` }]
    ]
    for (const [name, where, headers] of attempts) {
      const answer = await service.http('GET', where, undefined, headers)
      t.match(answer, { status: 401, body: { error: { id: 'invalid-access-token' } } }, name)
      t.equal(answer.headers.get('www-authenticate'), challenge, name)
    }
    const unbound = await alice.grant('read', 'diary')
    const asDPoP = await callBound(service, holder, unbound.token, ['GET', path])
    t.match(asDPoP, { status: 401, body: { error: { id: 'invalid-access-token' } } }, 'an unbound token')
    t.equal(asDPoP.headers.get('www-authenticate'), challenge)
    const unknown = await callBound(service, holder, 'nothing', ['GET', path])
    t.equal(unknown.status, 401)
    t.equal(unknown.headers.get('www-authenticate'), challenge)
    const inForm = await post(
      service,
      path,
      { _method: 'GET', _auth: `DPoP ${token}` },
      { dpop: await proof() }
    )
    t.equal(inForm.status, 401, 'a form that stands for a header')
  })

  t.test('is refused with a wrong proof', async t => {
    const { privateKey: foreign } = await generateKeyPair('ES384', { extractable: true })
    const rsa = await generateKeyPair('RS256', { extractable: true })
    const url = `${origin}/alice/access-info`
    const privateJwk = { ...holder.jwk, d: 'x'.repeat(43) }
    const now = Math.floor(clock.now())
    const attempts: [string, Deviation][] = [
      ['another method', at({ htm: 'POST' })],
      ['a method in lower case', at({ htm: 'get' })],
      ['another path', at({ htu: `${origin}/alice/events` })],
      ['a slash more', at({ htu: `${url}/` })],
      ['a path in upper case', at({ htu: `${origin}/ALICE/access-info` })],
      ['an encoded slash', at({ htu: `${origin}/alice%2Faccess-info` })],
      ['another host', at({ htu: 'http://example.com/alice/access-info' })],
      ['another port', at({ htu: url.replace(/:\d+\//, ':1/') })],
      ['another scheme', at({ htu: url.replace('http:', 'https:') })],
      ['a user in the URL', at({ htu: url.replace('//', '//user@') })],
      ['no URL', at({ htu: '/alice/access-info' })],
      ['an object as URL', at({ htu: { toString: url } })],
      ['too old', at({ iat: now - 122 })],
      ['too new', at({ iat: now + 122 })],
      ['no time', at({ iat: undefined })],
      ['an expiry in the past', at({ exp: now - 300 })],
      ['no id', at({ jti: undefined })],
      ['an empty id', at({ jti: '' })],
      ['a long id', at({ jti: 'x'.repeat(257) })],
      ['a number as id', at({ jti: 5 })],
      ['no digest of the token', at({ ath: undefined })],
      ['the digest of another', at({ ath: createHash('sha256').update('other').digest('base64url') })],
      ['too long', at({ more: 'x'.repeat(5000) })],
      ['another type', head({ typ: 'JWT' })],
      ['no type', head({ typ: undefined })],
      ['a private key', head({ jwk: privateJwk })],
      ['another key in the header', head({ jwk: other.jwk })],
      ['no key', head({ jwk: undefined })],
      ['a symmetric key', head({ jwk: { kty: 'oct', k: 'c2VjcmV0' } })],
      ['a point that is not on the curve', head({ jwk: { ...holder.jwk, y: 'A'.repeat(43) } })],
      ['a critical extension', head({ crit: ['x'], x: 1 })],
      ['RS256', { header: { alg: 'RS256' }, signer: rsa.privateKey }],
      ['ES384', { header: { alg: 'ES384' }, signer: foreign }],
      [
        'HS256 with the public key',
        { header: { alg: 'HS256' }, signer: Buffer.from(JSON.stringify(holder.jwk)) }
      ],
      ['a signature by another key', { signer: other.key }]
    ]
    for (const [name, deviation] of attempts) {
      let answer
      try {
        answer = await callBound(service, holder, token, ['GET', '/alice/access-info'], deviation)
      } catch (error) {
        t.comment(`${name}: the library makes no such proof: ${String(error)}`)
        continue
      }
      t.match(answer, { status: 401, body: { error: { id: 'invalid-access-token' } } }, name)
      t.equal(answer.headers.get('www-authenticate'), challenge, name)
    }
    t.equal(
      (await callBound(service, other, token, ['GET', '/alice/access-info'])).status,
      401,
      'another key'
    )
    const parts = (await makeProof(holder, { verb: 'GET', url, now, token })).split('.')
    const none = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: holder.jwk })).toString(
      'base64url'
    )
    const hmac = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'HS256', jwk: holder.jwk })).toString(
      'base64url'
    )
    const mac = createHmac('sha256', await exportPKCS8(holder.key)).update(`${hmac}.${parts[1]}`)
    const forged = [
      `${none}.${parts[1]}.`,
      `${none}.${parts[1]}.${parts[2]}`,
      `${hmac}.${parts[1]}.${mac.digest('base64url')}`,
      `${parts[0]}.${parts[1]}.`,
      `${parts[0]}.${parts[1]}`,
      'x',
      '..',
      `${parts.join('.')}, ${parts.join('.')}`
    ]
    for (const dpop of forged) {
      const headers = { authorization: `DPoP ${token}`, dpop }
      t.equal(
        (await service.http('GET', '/alice/access-info', undefined, headers)).status,
        401,
        dpop.slice(-40)
      )
    }
  })

  t.test('is accepted whatever form the URL has that means the same', async t => {
    const path = '/alice/events/a%7Eb%c3%a9'
    const url = `${origin}${path}`
    for (const htu of [
      url,
      `${origin.toUpperCase()}${path}`,
      `${origin}/alice/events/a~b%C3%A9`,
      `${url}?a=b`,
      `${url}#x`
    ])
      t.equal((await callBound(service, holder, token, ['GET', path], { claims: { htu } })).status, 404, htu)
    for (const iat of [-119, 119].map(each => Math.floor(clock.now()) + each))
      t.equal(
        (await callBound(service, holder, token, ['GET', '/alice/streams'], { claims: { iat } })).status,
        200
      )
    const lower = await makeProof(holder, {
      verb: 'GET',
      url: `${origin}/alice/streams`,
      now: clock.now(),
      token
    })
    const headers = { authorization: `dpop  ${token}`, dpop: lower }
    t.equal(
      (await service.http('GET', '/alice/streams', undefined, headers)).status,
      200,
      'the scheme in lower case'
    )
  })

  t.test('accepts each proof once', async t => {
    const url = `${origin}/alice/streams`
    const dpop = await makeProof(holder, { verb: 'GET', url, now: clock.now(), token })
    const headers = { authorization: `DPoP ${token}`, dpop }
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await service.http('GET', '/alice/streams', undefined, headers)).status
      )
    )
    t.same(statuses.toSorted(), [200, ...Array.from({ length: 19 }, () => 401)], 'of 20 at once')
    const jti = 'the same id'
    const again = async (): Promise<number> =>
      (await callBound(service, holder, token, ['GET', '/alice/streams'], { claims: { jti } })).status
    t.same([await again(), await again()], [200, 401], 'a new proof with a used id')
    clock.advance(301)
    t.equal(await again(), 200, 'forgotten when its time has passed')
  })

  t.test('is refused where proofs do not count', async t => {
    const call = (path: string, body?: unknown): ReturnType<typeof callBound> =>
      callBound(service, holder, token, [body === undefined ? 'GET' : 'POST', path, body])
    const { event } = (await call('/alice/events', { streamIds: ['diary'], type: 'note/txt', content: 'x' }))
      .body
    const refused = { status: 401, body: { error: { id: 'invalid-access-token' } } }
    t.match(await call(`/alice/events/${event.id}/series`), refused, 'series')
    t.match(await call('/alice/series/batch', { format: 'seriesBatch', data: [] }), refused, 'series batch')
    t.match(
      (await call('/alice', [{ method: 'hfs.get', params: { id: event.id } }])).body.results[0],
      refused.body
    )
    t.match(await call('/alice/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }), { status: 401 }, 'MCP')
    await t.rejects(socketOf(t, new Client(service, 'alice', session)), 'a socket')
  })

  t.test('keeps its key', async t => {
    const data = { name: 'x', permissions: [], clientData: { dpop: { jkt: other.thumbprint } } }
    t.match((await alice.call('accesses.create', data)).error, { id: 'invalid-operation' })
    const asked = await service.http('POST', '/reg/access', {
      requestingAppId: 'some-app',
      requestedPermissions: [],
      clientData: { dpop: { jkt: other.thumbprint } }
    })
    t.match(asked, { status: 400, body: { error: { id: 'invalid-operation' } } })
  })
})

t.test('a proof is used up for good', async t => {
  const service = await coffer(t, { ...apps(app), publicUrl: 'https://coffer.example' })
  const { clock, directory } = service
  const holder = await createHolder()
  const publicUrl = 'https://coffer.example'
  const outside = seenAt(service, publicUrl)
  const { access_token: token, refresh_token: first } = await obtainBound(outside, service.alice, holder)
  const claims = { jti: 'used before the restart' }
  const call = (where: Service): ReturnType<typeof callBound> =>
    callBound(where, holder, token, ['GET', '/alice/streams'], { claims })
  t.equal((await call(outside)).status, 200)
  t.equal((await askToken(outside, holder, '/oauth/token', refresh(first), { claims })).status, 200)
  await service.server.close()
  const settings = testSettings(directory, { ...apps(app), publicUrl: 'https://coffer.example' })
  const server = await startServer(settings, { clock, methodModules })
  t.teardown(() => server.close())
  const again = seenAt(new Service(server, clock, directory), publicUrl)
  t.match(await call(again), { status: 401, body: { error: { message: /used before/ } } })
  t.match(await askToken(again, holder, '/oauth/token', refresh(first), { claims }), {
    status: 400,
    body: { error: 'invalid_dpop_proof' }
  })
})

t.test('the token endpoint', async t => {
  const service = await coffer(t, apps(app, confidential))
  const { alice, clock } = service
  const [holder, other] = await Promise.all([createHolder(), createHolder()])
  const bad = { status: 400, body: { error: 'invalid_dpop_proof' } }
  const denied = { status: 400, body: { error: 'invalid_grant' } }

  t.test('refuses bad proofs before it uses anything up', async t => {
    const begun = await begin(service, { scope })
    const answered = await agree(service, alice, begun)
    const form = {
      grant_type: 'authorization_code',
      code: answered.searchParams.get('code')!,
      client_id: clientId,
      code_verifier: begun.verifier
    }
    for (const claims of [{ htu: 'http://example.com/' }, { htm: 'GET' }, { iat: 5 }, { jti: '' }])
      t.match(await askToken(service, holder, '/oauth/token', form, { claims }), bad, JSON.stringify(claims))
    t.match(await askToken(service, holder, '/oauth/token', form), { status: 200 })
  })

  t.test('binds the refresh tokens of public clients', async t => {
    const first = await obtainBound(service, alice, holder, {}, '/oauth/token')
    const form = refresh(first.refresh_token)
    t.match(await post(service, '/oauth2/token', form), bad, 'without a proof')
    t.match(await askToken(service, other, '/oauth2/token', form), denied, 'with another key')
    const next = await askToken(service, holder, '/oauth2/token', form)
    t.match(next.body, { token_type: 'DPoP', access_token: first.access_token })
    t.not(next.body.refresh_token, first.refresh_token)
    t.match(
      await askToken(service, other, '/oauth2/token', form),
      denied,
      'within the grace, with another key'
    )
    t.match((await askToken(service, holder, '/oauth2/token', form)).body, {
      refresh_token: next.body.refresh_token
    })
    clock.advance(11)
    t.match(await askToken(service, other, '/oauth2/token', form), denied, 'after it')
    t.match(await callBound(service, holder, first.access_token, ['GET', '/alice/streams']), { status: 200 })
    t.match(await askToken(service, holder, '/oauth2/token', form), denied, 'with the key, a second use')
    t.match(await callBound(service, holder, first.access_token, ['GET', '/alice/streams']), { status: 401 })
    t.match(await askToken(service, holder, '/oauth2/token', refresh(next.body.refresh_token)), denied)
  })

  t.test('leaves bearer tokens as they are', async t => {
    const begun = await begin(service, { scope })
    const bearer = (await exchange(service, begun, await agree(service, alice, begun))).body
    t.equal(bearer.token_type, 'Bearer')
    t.match(await askToken(service, holder, '/oauth/token', refresh(bearer.refresh_token)), denied)
    const bound = await obtainBound(service, alice, holder)
    t.not(bound.access_token, bearer.access_token, 'a bound token of the same client is another access')
    const still = await service.http('GET', '/alice/streams', undefined, {
      authorization: bearer.access_token
    })
    t.equal(still.status, 200)
  })

  t.test(
    'ends the session of a code that is used again, and not the access that the app had before',
    async t => {
      const before = (await exchange(service, ...(await agreeTo(service, alice)))).body
      const [begun, answered] = await agreeTo(service, alice)
      const form = {
        grant_type: 'authorization_code',
        code: answered.searchParams.get('code')!,
        client_id: clientId,
        code_verifier: begun.verifier
      }
      const stolen = (await askToken(service, holder, '/oauth/token', form)).body
      t.equal(stolen.token_type, 'DPoP')
      const streams: ['GET', string] = ['GET', '/alice/streams']
      t.match(await callBound(service, holder, stolen.access_token, streams), { status: 200 })
      t.match(await exchange(service, begun, answered), denied)
      t.match(await callBound(service, holder, stolen.access_token, streams), { status: 401 })
      t.match(await askToken(service, holder, '/oauth/token', refresh(stolen.refresh_token)), denied)
      t.match(
        await service.http(...streams, undefined, { authorization: before.access_token }),
        { status: 200 },
        'nobody else has this one'
      )
    }
  )

  t.test('binds the tokens of clients with a secret, but not their refresh tokens', async t => {
    const fields = { client_id: 'confidential-client', client_secret: secret }
    const first = await obtainBound(service, alice, holder, fields)
    t.equal(first.token_type, 'DPoP')
    const next = await post(service, '/oauth2/token', refresh(first.refresh_token, fields))
    t.match(next.body, { token_type: 'DPoP' })
    t.match(await askToken(service, other, '/oauth2/token', refresh(next.body.refresh_token, fields)), denied)
    t.match((await post(service, '/oauth/introspect', { ...fields, token: first.access_token })).body, {
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: holder.thumbprint }
    })
    t.match(
      await post(service, '/oauth2/token', refresh(next.body.refresh_token)),
      denied,
      'by another client'
    )
  })

  t.test('uses each proof once', async t => {
    const [one, two] = [await obtainBound(service, alice, holder), await obtainBound(service, alice, holder)]
    const claims = { jti: 'one id for two requests' }
    const twice = [one, two].map(each => refresh(each.refresh_token))
    t.match(await askToken(service, holder, '/oauth2/token', twice[0]!, { claims }), { status: 200 })
    t.match(await askToken(service, holder, '/oauth2/token', twice[1]!, { claims }), bad)
  })

  t.test('answers 20 refreshes at once with the same pair', async t => {
    const first = await obtainBound(service, alice, holder)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () =>
        JSON.stringify((await askToken(service, holder, '/oauth2/token', refresh(first.refresh_token))).body)
      )
    )
    t.equal(new Set(answers).size, 1)
    t.match(answers[0], /"refresh_token"/)
  })

  t.test('keeps sessions that can be refreshed when another begins', async t => {
    const dora = await service.user('dorothy')
    const begun = await begin(service, { scope: 'diary:read', expire_after: '60' })
    const code = (await agree(service, dora, begun)).searchParams.get('code')!
    const proofOfCode = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code_verifier: begun.verifier
    }
    t.match(await askToken(service, holder, '/oauth2/token', { ...proofOfCode, code }), { status: 200 })
    const idle = await obtainBound(service, dora, holder)
    service.clock.advance(7200)
    await obtainBound(service, dora, await createHolder())
    const again = await askToken(service, holder, '/oauth2/token', refresh(idle.refresh_token))
    t.match(again, { status: 200, body: { access_token: idle.access_token } })
    const { accesses } = await dora.do('accesses.get', { includeExpired: true })
    t.equal(accesses.filter(({ type }: Answer) => type === 'app').length, 2, 'others end')
  })

  t.test('keeps at most a hundred sessions of a client', async t => {
    const bob = await service.user('bobby')
    const sessions: Answer[] = []
    for (let count = 0; count < 100; count++) {
      sessions.push(await obtainBound(service, bob, holder))
      service.clock.advance(1)
    }
    service.clock.advance(7200)
    const askAgain = async (at: number): Promise<number> =>
      (await askToken(service, holder, '/oauth2/token', refresh(sessions[at]!.refresh_token))).status
    t.equal(await askAgain(1), 200)
    for (let count = 0; count < 2; count++) await obtainBound(service, bob, holder)
    const { accesses } = await bob.do('accesses.get', { includeExpired: true })
    t.equal(accesses.filter(({ name }: { name: string }) => name === `oauth:${clientId}`).length, 100)
    const left = [await askAgain(0), await askAgain(1), await askAgain(2), await askAgain(3)]
    t.same(left, [400, 200, 400, 200], 'of those that have not been refreshed, the oldest end')
  })

  t.test('tells browsers which headers they may use', async t => {
    const { headers } = await service.http('OPTIONS', '/alice/events', undefined, {
      origin: 'https://a.example'
    })
    t.match(headers.get('access-control-allow-headers'), /DPoP/)
    t.match(headers.get('access-control-expose-headers'), /WWW-Authenticate.*DPoP-Nonce/)
    t.match((await service.http('GET', '/service/info')).body.features, { oauth2: true, dpop: true })
  })
})
