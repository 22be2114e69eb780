/** Assistants without a token: discovery, registration, and consent in a browser. (docs/api/mcp.md#signing-in) */
import { request } from 'node:http'
import t from 'tap'
import {
  Client as Assistant,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider
} from '@modelcontextprotocol/client'
import { untilHeading } from '../../support/browser.js'
import { coffer } from '../../support/coffer.js'
import { signIn, startPages } from '../../support/pages.js'

/** The state of an assistant; `asked` is the URL to which it sends the user. */
class Memory implements OAuthClientProvider {
  readonly #kept = new Map<string, unknown>()
  asked: URL | undefined

  constructor(readonly redirectUrl: string) {}

  readonly clientMetadata = {
    client_name: 'An assistant',
    redirect_uris: ['http://127.0.0.1/www/assets/index.json'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none'
  }
  state = (): string => 'the state of the assistant'
  clientInformation = (): never => this.#kept.get('client') as never
  saveClientInformation = (client: unknown): void => void this.#kept.set('client', client)
  tokens = (): never => this.#kept.get('tokens') as never
  saveTokens = (tokens: unknown): void => void this.#kept.set('tokens', tokens)
  codeVerifier = (): string => this.#kept.get('verifier') as string
  saveCodeVerifier = (verifier: string): void => void this.#kept.set('verifier', verifier)
  redirectToAuthorization = (url: URL): void => void (this.asked = url)
}

t.test('an assistant without a token', async t => {
  const { open, register, service, url } = await startPages(t, { oauth: { registration: true } })
  const token = await register('daisy')
  await service.call('daisy', 'streams.create', { id: 'diary', name: 'Diary' }, token)
  // A port that is known only now: loopback redirects may use any port.
  const memory = new Memory(`${url}/www/assets/index.json`)
  const endpoint = new URL(`${url}/daisy/mcp`)
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(endpoint, { authProvider: memory })

  const first = transport()
  await t.rejects(new Assistant({ name: 'test', version: '1' }).connect(first), UnauthorizedError)
  const { asked } = memory
  t.match(Object.fromEntries(asked!.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: endpoint.href,
    scope: /\*:read/
  })

  const page = await open(asked!.href)
  await untilHeading(page, 'Sign in')
  t.equal(await page.getByLabel('Username or email').inputValue(), 'daisy', 'the resource says whose')
  await signIn(page, 'daisy')
  await untilHeading(page, 'Allow An assistant?')
  const text = await page.getByRole('main').innerText()
  t.match(text, /All your data/)
  t.match(text, /An assistant registered itself/)
  t.match(text, `Redirects to\n${new URL(url).host}`)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${memory.redirectUrl}?**`)
  const answered = new URL(page.url())
  t.equal(answered.searchParams.get('state'), 'the state of the assistant')
  await first.finishAuth(answered.searchParams)

  const assistant = new Assistant({ name: 'test', version: '1' })
  await assistant.connect(transport())
  t.teardown(() => assistant.close())
  const { tools } = await assistant.listTools()
  t.ok(tools.some(({ name }) => name === 'events_get'))
  const { isError } = await assistant.callTool({ name: 'streams_facts', arguments: {} })
  t.notOk(isError)
  t.notOk(
    tools.some(({ name }) => name === 'events_create'),
    'it may only read'
  )
  await page.context().close()

  const { accesses } = await service.call('daisy', 'accesses.get', {}, token)
  const held = accesses.find(({ type }: { type: string }) => type === 'app')
  t.match(held, { oauth: { clientName: 'An assistant' }, permissions: [{ streamId: '*', level: 'read' }] })
  await service.call('daisy', 'accesses.delete', { id: held.id }, token)
  await t.rejects(assistant.listTools(), /refresh_token is unknown/, 'what was ended stays so')
})

t.test('the MCP endpoint', async t => {
  t.test('refers to the sign-in', async t => {
    const service = await coffer(t)
    const { url } = service.server
    const { headers, status } = await service.http('POST', '/alice/mcp', {})
    t.equal(status, 401)
    const place = `${url}/.well-known/oauth-protected-resource/alice/mcp`
    t.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${place}"`)
    t.match(await (await fetch(place)).json(), {
      resource: `${url}/alice/mcp`,
      authorization_servers: [url],
      scopes_supported: ['*:read']
    })
    for (const path of ['', '/alice', '/alice/events', '/alice/mcp/more', '/../mcp'])
      t.equal((await service.http('GET', `/.well-known/oauth-protected-resource${path}`)).status, 404, path)
  })

  t.test('refers to it below a path and on subdomains of users', async t => {
    const below = await coffer(t, { publicUrl: 'https://example.com/coffer' })
    const { headers } = await below.http('POST', '/alice/mcp', {})
    t.match(
      headers.get('www-authenticate'),
      '"https://example.com/coffer/.well-known/oauth-protected-resource/alice/mcp"'
    )
    for (const path of ['/alice/mcp', '/coffer/alice/mcp'])
      t.match((await below.http('GET', `/.well-known/oauth-protected-resource${path}`)).body, {
        resource: 'https://example.com/coffer/alice/mcp'
      })
    for (const path of ['', '/coffer'])
      t.match((await below.http('GET', `/.well-known/oauth-authorization-server${path}`)).body, {
        issuer: 'https://example.com/coffer',
        token_endpoint: 'https://example.com/coffer/oauth/token'
      })
    const hosts = await coffer(t, { domain: 'coffer.test', publicUrl: 'https://coffer.test' })
    const ask = async (
      method: string,
      path: string
    ): Promise<{ status: number; challenge: string; text: string }> =>
      await new Promise((resolve, reject) => {
        const sent = request(
          hosts.server.url + path,
          { method, headers: { host: 'alice.coffer.test' } },
          response => {
            let text = ''
            response.on('data', chunk => (text += String(chunk)))
            response.on('end', () =>
              resolve({
                status: response.statusCode!,
                challenge: response.headers['www-authenticate'] ?? '',
                text
              })
            )
          }
        )
        sent.on('error', reject)
        sent.end()
      })
    t.match(await ask('POST', '/mcp'), {
      status: 401,
      challenge:
        'Bearer resource_metadata="https://alice.coffer.test/.well-known/oauth-protected-resource/mcp"'
    })
    const told = await ask('GET', '/.well-known/oauth-protected-resource/mcp')
    t.match(JSON.parse(told.text), { resource: 'https://alice.coffer.test/mcp' })
  })
})
