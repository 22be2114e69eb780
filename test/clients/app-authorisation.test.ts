/**
 * Authorisation of an app by the client library: from the request to a working connection, and sign-out.
 * (docs/spec/compatibility.md#what-clients-rely-on)
 */
import t from 'tap'
import pryv, { type Connection } from 'pryv'
import { coffer, type Answer } from '../support/coffer.js'

const requestingAppId = 'asking-app'
const requestedPermissions = [
  { streamId: 'diary', level: 'contribute' as const, defaultName: 'Diary' },
  { streamId: 'walks', level: 'read' as const, defaultName: 'Walks' }
]

t.test('the client library', async t => {
  const coffered = await coffer(t)
  const { server } = coffered
  /** Sends a request to a poll URL, as a page does without the library. */
  const send = async (poll: string, body?: object): Promise<Answer> =>
    await coffered.http(body ? 'POST' : 'GET', poll.slice(server.url.length), body)
  const service = new pryv.Service(`${server.url}/reg/service/info`)
  const user = { username: 'bob-the-user', password: 'a long secret', email: 'bob@example.com' }
  await service.createUser({ ...user, hosting: 'auto', appId: 'pages-of-coffer' })

  /** Does what the sign-in page does once its user agrees. */
  async function agree(poll: string): Promise<Answer> {
    const { body: asked } = await send(poll)
    const page = await service.login(user.username, user.password, 'pages-of-coffer')
    const { checkedPermissions, matchingAccess } = (await page.apiOne('accesses.checkApp', {
      requestingAppId: asked.requestingAppId,
      requestedPermissions: asked.requestedPermissions
    })) as Answer
    const access = matchingAccess ?? (await create(page, asked.requestingAppId, checkedPermissions))
    const { username } = user
    const apiEndpoint = await service.apiEndpointFor(username, access.token)
    return await send(poll, {
      status: 'ACCEPTED',
      apiEndpoint,
      username,
      token: access.token
    })
  }

  /** Requests access as apps with their own button do; resolves with all states up to the last. */
  async function ask(decide: (poll: string) => Promise<unknown>): Promise<Answer[]> {
    return await new Promise((resolve, reject) => {
      const states: Answer[] = []
      const onStateChange = (state: Answer): void => {
        states.push(state)
        if (state.status === 'NEED_SIGNIN' && states.at(-2)?.status !== 'NEED_SIGNIN')
          decide(state.poll).catch(reject)
        if (state.status === 'ACCEPTED' || state.status === 'ERROR') resolve(states)
        if (state.status === 'INITIALIZED' && states.length > 2) resolve(states)
      }
      const settings = { authRequest: { requestingAppId, requestedPermissions }, onStateChange } as never
      const controller = new pryv.Auth.AuthController(settings, service, null as never)
      controller
        .init()
        .then(() => controller.handleClick())
        .catch(reject)
    })
  }

  await t.test('requests access, is accepted and uses the connection', async t => {
    await service.info()
    const states = await ask(agree)
    t.match(
      states.map(({ status }) => status),
      ['LOADING', 'INITIALIZED', 'NEED_SIGNIN', 'ACCEPTED']
    )
    t.match(states[2], { authUrl: /access\.html\?/, poll: /\/reg\/access\/\w{16}$/, poll_rate_ms: 1000 })
    const { apiEndpoint, username, serviceInfo } = states.at(-1)
    t.equal(username, user.username)
    t.match(serviceInfo, { name: 'Coffer' })

    const app = new pryv.Connection(apiEndpoint)
    t.match(await app.accessInfo(), { type: 'app', name: requestingAppId, user: { username } })
    const event = await app.apiOne(
      'events.create',
      { streamIds: ['diary'], type: 'note/txt', content: 'Hello' },
      'event'
    )
    t.match(event, { content: 'Hello', streamIds: ['diary'] })
    await t.rejects(
      app.apiOne('events.create', { streamIds: ['walks'], type: 'note/txt', content: 'No' }, 'event')
    )
  })

  await t.test('receives the same access again', async t => {
    const first = await ask(agree)
    const second = await ask(agree)
    t.equal(first.at(-1).apiEndpoint, second.at(-1).apiEndpoint)
  })

  await t.test('returns to its initial state when the user refuses', async t => {
    const states = await ask(async poll => {
      const { status } = await send(poll, {
        status: 'REFUSED',
        reasonId: 'REFUSED_BY_USER',
        message: 'The user refused.'
      })
      t.equal(status, 403)
    })
    t.equal(states.at(-1).status, 'INITIALIZED')
  })

  await t.test('requests access and polls without a button', async t => {
    const asked = await service.startAccessRequest({ requestingAppId, requestedPermissions })
    t.match(asked, { key: /^\w{16}$/, authUrl: /^http/, poll: /^http/, pollRateMs: 1000 })
    t.match(await service.pollAccessRequest(asked.key), { status: 'NEED_SIGNIN', key: asked.key })
    t.match(await service.pollAccessRequest(asked.poll), { status: 'NEED_SIGNIN' })
    t.equal((await agree(asked.poll)).status, 200)
    const accepted = await service.pollAccessRequest(asked.key)
    t.match(accepted, { status: 'ACCEPTED', username: user.username })
    t.match(await new pryv.Connection(accepted.apiEndpoint).accessInfo(), { name: requestingAppId })

    const refused = await service.startAccessRequest({ requestingAppId, requestedPermissions })
    await send(refused.poll, { status: 'REFUSED', reasonID: 'WHATEVER', message: 'No.' })
    t.match(await service.pollAccessRequest(refused.key), { status: 'REFUSED', reasonID: 'WHATEVER' })
    await t.rejects(service.pollAccessRequest('aaaaBBBBccccDDDD'), { name: 'PryvError', status: 400 })
    await t.rejects(service.startAccessRequest({ requestingAppId: 'short' } as never), {
      name: 'PryvError',
      status: 400
    })
  })
})

/** Creates the access that the app requested. */
async function create(page: Connection, name: string, permissions: Answer): Promise<Answer> {
  return await page.apiOne('accesses.create', { type: 'app', name, permissions }, 'access')
}
