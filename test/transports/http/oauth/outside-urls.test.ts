/** The URL that a proof names is the one that clients see, whatever lies between. (docs/api/oauth.md#proof-of-possession) */
import t, { type Test } from 'tap'
import { coffer, type Overrides } from '../../../support/coffer.js'
import { createHolder, makeProof } from '../../../support/key-proofs.js'
import { agree, app, apps, begin, clientId, redirectUri } from '../../../support/oauth.js'
import { rawHttp } from '../../../support/raw-http.js'

interface Request {
  readonly verb?: string
  /** As the service receives it. */
  readonly path: string
  readonly host: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** The URL that the client sees. */
  readonly htu: string
}

/** Starts a service, and returns a function that sends requests with proofs. */
async function start(t: Test, settings: Overrides, root: string, host: string) {
  const service = await coffer(t, { ...settings, ...apps(app) })
  const holder = await createHolder()
  let token: string | undefined
  const send = async ({ verb = 'GET', path, host: name, headers, body, htu }: Request) => {
    const dpop = await makeProof(holder, { verb, url: htu, now: service.clock.now(), token })
    const authorization = token === undefined ? undefined : { authorization: `DPoP ${token}` }
    return await rawHttp(service.server.url, {
      verb,
      path,
      headers: { host: name, dpop, ...authorization, ...headers },
      ...(body === undefined ? {} : { body })
    })
  }
  const begun = await begin(service, { scope: 'offline_access diary:read:Diary' })
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: (await agree(service, service.alice, begun)).searchParams.get('code')!,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: begun.verifier
  }).toString()
  const { body } = await send({
    verb: 'POST',
    path: '/oauth2/token',
    host,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
    htu: `${root}/oauth2/token`
  })
  t.match(body, { token_type: 'DPoP' })
  token = body.access_token
  return { send, apiEndpoint: body.apiEndpoint as string }
}

t.test('with a host for each user', async t => {
  const settings = { domain: 'coffer.test', publicUrl: 'https://core.coffer.test' }
  const { apiEndpoint, send } = await start(t, settings, 'https://core.coffer.test', 'core.coffer.test')
  t.match(apiEndpoint, /@alice\.coffer\.test\/$/)
  const own = 'https://alice.coffer.test'
  const core = 'https://core.coffer.test'
  for (const [host, path, htu] of [
    ['alice.coffer.test', '/streams', `${own}/streams`],
    ['ALICE.coffer.test:443', '/streams?state=all', `${own}/streams`],
    ['alice.coffer.test', '/alice/streams', `${own}/alice/streams`],
    ['alice.coffer.test', '/access-info', `${own}/access-info`],
    ['core.coffer.test', '/alice/streams', `${core}/alice/streams`],
    // A proxy turns the host into a path, or the other way round.
    ['core.coffer.test', '/alice/streams', `${own}/streams`],
    ['localhost:3000', '/alice/streams', `${own}/streams`],
    ['alice.coffer.test', '/streams', `${core}/alice/streams`]
  ] as const)
    t.equal((await send({ host, path, htu })).status, 200, `${host} ${path} ${htu}`)
  for (const [host, path, htu] of [
    ['alice.coffer.test', '/streams', 'https://bob.coffer.test/streams'],
    ['alice.coffer.test', '/streams', `${core}/streams`],
    ['alice.coffer.test', '/streams', `${core}/bob/streams`],
    ['alice.coffer.test', '/streams', `${own}/bob/streams`],
    ['alice.coffer.test.evil.test', '/alice/streams', 'https://alice.coffer.test.evil.test/streams'],
    ['evil.test', '/alice/streams', 'https://evil.test/alice/streams']
  ] as const)
    t.equal((await send({ host, path, htu })).status, 401, `${host} ${path} ${htu}`)
})

t.test('behind a proxy that removes a prefix of the path', async t => {
  const root = 'https://example.test/coffer'
  const settings = { publicUrl: root, http: { trustedProxies: ['127.0.0.1'] } }
  const { apiEndpoint, send } = await start(t, settings, root, 'localhost:3000')
  t.match(apiEndpoint, /@example\.test\/coffer\/alice\/$/)
  const headers = {
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'http',
    'x-forwarded-prefix': '/evil',
    'x-forwarded-for': '192.0.2.1'
  }
  const of = (htu: string): Request => ({ host: 'localhost:3000', path: '/alice/streams', headers, htu })
  t.equal((await send(of(`${root}/alice/streams`))).status, 200)
  for (const htu of [
    'https://example.test/alice/streams',
    'http://localhost:3000/alice/streams',
    'http://evil.test/evil/alice/streams',
    'https://evil.test/coffer/alice/streams'
  ])
    t.equal((await send(of(htu))).status, 401, htu)
})
