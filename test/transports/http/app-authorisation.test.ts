/** App authorisation over HTTP: its paths, statuses, and restarts. (docs/spec/app-authorization.md) */
import { request } from 'node:http'
import t from 'tap'
import { startServer } from '../../../server/server.js'
import { asked, flow, start } from '../../support/asking.js'
import { Service, testSettings, type Answer } from '../../support/coffer.js'

t.test('the app authorisation flow', async t => {
  t.test('is available at all its paths, with the right statuses', async t => {
    const { app, service } = await start(t)
    for (const root of ['/reg/access', '/access'])
      for (const slash of ['', '/']) {
        const created = await service.http('POST', `${root}${slash}`, asked)
        t.equal(created.status, 200)
        t.equal(created.headers.get('cache-control'), 'no-store')
        const { key } = created.body
        const path = `${root}/${key}${slash}`
        t.match(await service.http('GET', path), {
          status: 200,
          body: { status: 'NEED_SIGNIN', meta: Object }
        })
        const preflight = await service.http('OPTIONS', path, undefined, {
          origin: 'https://app.example.com'
        })
        t.equal(preflight.status, 200)
        t.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example.com')
        const decision = { status: 'ACCEPTED', username: 'alice', token: app.token }
        const accepted = await service.http('POST', path, decision)
        t.match(accepted, { status: 200, body: { status: 'ACCEPTED' } })
        t.match(await service.http('GET', path), { status: 200, body: { token: app.token } })
        t.equal((await service.http('POST', path, decision)).status, 400)
        const { body: other } = await service.http('POST', root, asked)
        const refusal = { status: 'REFUSED', reasonId: 'REFUSED_BY_USER', message: 'No.' }
        const refused = { status: 403, body: { ...refusal, reasonID: 'REFUSED_BY_USER', error: undefined } }
        t.match(await service.http('POST', `${root}/${other.key}`, refusal), refused)
        t.match(await service.http('GET', `${root}/${other.key}`), refused)
      }
    t.match(await service.http('GET', '/reg/access/aaaaBBBBccccDDDD'), { status: 400 })
  })

  t.test('refuses malformed requests with a standard error', async t => {
    const { service } = await start(t)
    const { body } = await service.http('POST', '/reg/access/', asked)
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const bodies = ['', '{', 'null', '[]', '12', '"text"', '{"key": 1}', `{"serviceInfo": ${deep}}`]
    const keys = [body.key, 'unknown', '%00', '..%2f..', '__proto__', 'x'.repeat(5000)]
    for (const path of ['', ...keys])
      for (const malformed of bodies) {
        const answer = await service.http('POST', `/reg/access/${path}`, malformed)
        t.match(
          answer,
          { status: 400, body: { error: { id: String }, meta: Object } },
          `${path} ${malformed}`
        )
      }
    for (const key of keys.slice(1)) t.equal((await service.http('GET', `/reg/access/${key}`)).status, 400)
    t.match(await service.http('GET', `/reg/access/${body.key}`), { body: { status: 'NEED_SIGNIN' } })
  })

  t.test('is available on its own host names', async t => {
    const { service } = await start(t, { domain: 'example.org' })
    const http = async (host: string, path: string, body?: object): Promise<Answer> =>
      await new Promise((resolve, reject) => {
        const headers = { host, 'content-type': 'application/json' }
        const outgoing = request(service.server.url + path, { method: body ? 'POST' : 'GET', headers })
        outgoing.on('error', reject)
        outgoing.on('response', response => {
          response.setEncoding('utf8')
          let text = ''
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve(JSON.parse(text)))
        })
        outgoing.end(body && JSON.stringify(body))
      })
    for (const [host, root] of [
      ['access.example.org', '/'],
      ['access.example.org', '/access/'],
      ['access.example.org', '/reg/access/'],
      ['reg.example.org', '/access/'],
      ['reg.example.org', '/reg/access/']
    ] as const) {
      const { key } = await http(host, root, asked)
      t.match(await http(host, `${root}${key}`), { status: 'NEED_SIGNIN', key }, host + root)
    }
  })

  t.test('continues after a restart', async t => {
    const { accept, alice, app, ask, refuse, service } = await start(t)
    const [open, accepted, refused] = [await ask(), await ask(), await ask()]
    await accept(accepted.key, app)
    await refuse(refused.key)
    await service.server.close()
    const server = await startServer(testSettings(service.directory), { clock: service.clock })
    t.teardown(async () => await server.close())
    const again = new Service(server, service.clock, service.directory)
    const { accept: acceptAgain, poll } = flow(again, alice)
    t.match(await poll(accepted.key), { status: 'ACCEPTED', token: app.token })
    t.match(await poll(refused.key), { status: 'REFUSED' })
    t.match(await poll(open.key), { status: 'NEED_SIGNIN', requestingAppId: 'asking-app' })
    t.match(await acceptAgain(open.key, app), { status: 'ACCEPTED' })
    t.match(await acceptAgain(refused.key, app), { status: 400 })
  })

  t.test('leaves nothing behind after a deletion or expiry', async t => {
    const { accept, app, ask, service } = await start(t)
    const { platform } = service.server.services
    const first = await ask()
    const second = await ask()
    await accept(second.key, app)
    const { accounts } = service.server.services
    await accounts.remove(accounts.find('alice')!)
    t.equal(
      platform.authRequests.find(second.key, service.clock.now()),
      undefined,
      'of an account that is deleted'
    )
    service.clock.advance(3600)
    platform.changeNow('removeExpired', service.clock.now())
    t.equal(platform.authRequests.find(first.key, 0), undefined, 'once it has expired')
  })
})
