/** Any token, any method, any transport: no response reveals hidden data. */
import t, { type Test } from 'tap'
import { createLog } from '../../server/log.js'
import { coffer, Client, type Answer, type Service } from '../support/coffer.js'
import { socketOf } from '../support/socket.js'
import { receiver } from '../support/receiver.js'
import { inBatch, overHttp, RawSocket, routesOf, type Attack } from '../hostile/wires.js'
import { aimsAt } from './aims.js'
import { plantSecrets, type Secrets } from './secrets.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

t.setTimeout(900_000)
t.comment(`COFFER_TEST_SEED=${seed}`)

const adminKey = 'the key of the operator'

/** A caller with a token, or without. */
interface Caller {
  readonly name: string
  readonly token: string | undefined
  /** Whether the token gives access to the account at all. */
  readonly isAdmitted: boolean
  /** Whether it may read visible data. */
  readonly reads?: true
  /** Ids of hidden streams in its own permissions. */
  readonly knows: readonly string[]
}

function of(name: string, client: Client, reads?: true): Caller {
  return {
    name,
    token: client.token,
    isAdmitted: true,
    knows: (client.access.permissions ?? []).flatMap(one => ('streamId' in one ? [one.streamId] : [])),
    ...(reads && { reads })
  }
}

/** Returns callers with every kind of token. */
async function callers(service: Service, alice: Client, { ids, open }: Secrets): Promise<Caller[]> {
  const none = { streamId: 'hidden-closed', level: 'none' } as const
  const granted = async (
    type: string,
    level: 'read' | 'contribute' | 'manage' | 'create-only'
  ): Promise<Caller> =>
    of(
      `${type}, ${level}`,
      await alice.grantAll([{ streamId: 'open', level }, none], { type, name: `caller-${type}-${level}` }),
      ...(level === 'create-only' ? [] : ([true] as const))
    )
  const admitted: Caller[] = []
  for (const type of ['app', 'shared'])
    for (const level of ['read', 'contribute', 'manage', 'create-only'] as const)
      admitted.push(await granted(type, level))
  const hidden = ['hidden-closed', 'hidden-stream', 'hidden-binned', 'hidden-gone', ':_system:account']
  const closed = hidden.map(streamId => ({ streamId, level: 'none' }) as const)
  for (const level of ['read', 'manage'] as const) {
    const star = await alice.grantAll([{ streamId: '*', level }, ...closed.slice(0, -1)], {
      name: `caller-star-${level}`
    })
    admitted.push(of(`shared, ${level} on all but what is hidden`, star, true))
  }
  for (const type of ['app', 'shared']) {
    const client = await alice.grant('read', `${ids['followed']}:health`, {
      type,
      name: `caller-copy-${type}`
    })
    admitted.push(of(`${type}, one followed stream`, client, true))
  }
  admitted.push(
    of(
      'features only',
      await alice.grantAll([{ feature: 'selfAudit', setting: 'forbidden' }], { name: 'caller-none' })
    )
  )

  const bob = await service.user('bobby')
  const deleted = await alice.grant('manage', 'hidden-stream', { name: 'caller-deleted' })
  await alice.do('accesses.delete', { id: deleted.access.id })
  const signedOut: Answer = await service.call(undefined, 'test.signIn', {
    username: 'alice',
    appId: 'caller-out'
  })
  await service.call('alice', 'auth.logout', {}, signedOut.access.token)
  const { mfaToken } = await service.call('alice', 'mfa.activate', { method: 'totp' }, alice.token)
  const { event } = await alice.do('events.getOne', { id: open.event })
  const expired = await alice.grant('manage', 'hidden-stream', { name: 'caller-expired', expireAfter: 10 })
  service.clock.advance(11)
  const refused = Object.entries({
    'no token': undefined,
    'an unknown token': 'no-such-token',
    "another user's token": bob.token,
    'a deleted access': deleted.token,
    'a session that ended': signedOut.access.token as string,
    'an expired access': expired.token,
    'a read token': event.attachments[0].readToken as string,
    'the token of a pending second factor': mfaToken as string,
    "the operator's key": adminKey
  }).map(([name, token]) => ({ name, token, isAdmitted: false, knows: [] }))
  return [...admitted, ...refused]
}

/** Returns markers in a response that the caller cannot know from this call or, for the audit log, an earlier one. */
function leaksIn(answer: unknown, asked: string, { ids, inner }: Secrets, own: string): string[] {
  const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '')
  return [
    ...inner.filter(mark => mark !== own && text.includes(mark)),
    ...Object.values(ids).filter(id => text.includes(id) && !asked.includes(id))
  ]
}

t.test('isolation', async t => {
  const lines: string[] = []
  const log = createLog({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const service = await coffer(
    t,
    {
      adminKey,
      cmc: { allowInternalTargets: true },
      accesses: { updates: true },
      hf: { port: 0 },
      log: { level: 'debug', requests: true },
      webhooks: { allowInternalTargets: true },
      throttle: { invalidTokens: 1e9, failures: 1e9, perAddress: 1e9, perAccount: 1e9 }
    },
    log
  )
  const { alice } = service
  const secrets = await plantSecrets(t, service, alice)
  // Otherwise the holder event would follow its series during a comparison.
  await service.server.settle()
  const aims = aimsAt(secrets)
  const methods = service.server.dispatcher.definitions
    .map(({ id }) => id)
    .filter(id => !id.startsWith('test.'))
  const all = await callers(service, alice, secrets)

  t.test('covers every method', async t => {
    t.same(Object.keys(aims).toSorted(), methods.toSorted())
  })

  t.test('detects leaks: the owner sees the markers', async t => {
    const seen = new Set<string>()
    for (const method of methods.filter(id => /\.get\w*$/.test(id)))
      for (const params of aims[method] ?? [])
        for (const leak of leaksIn(
          await alice.call(method, params),
          JSON.stringify(params),
          secrets,
          alice.token
        ))
          seen.add(leak)
    t.ok(seen.size > secrets.inner.length / 2, `${seen.size} of ${secrets.inner.length} marks`)
    t.ok(seen.has('73137.5'))
    const path = `/alice/events/${secrets.ids.holder}/series`
    const atSeries = await fetch(service.server.seriesUrl + path, { headers: { authorization: alice.token } })
    t.match(await atSeries.text(), '73137.5', 'at the port for series too')
  })

  for (const caller of all)
    await t.test(`is preserved against ${caller.name}`, async t => {
      const before = await hiddenParts(alice, secrets)
      const leaks: string[] = []
      const tokens = all.flatMap(({ token }) =>
        token !== undefined && token !== caller.token ? [token] : []
      )
      let asked = caller.knows.join()
      const look = (wire: string, method: string, params: object, answer: unknown): void => {
        const named = JSON.stringify(params)
        const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '')
        asked += named
        // The audit log repeats params of earlier calls.
        const mayRepeat =
          method === 'audit.get' || named.includes(':_audit:') ? asked : named + caller.knows.join()
        for (const leak of leaksIn(text, mayRepeat, secrets, caller.token ?? ''))
          leaks.push(`${leak} by ${method} ${named} over ${wire}: ${text.slice(0, 500)}`)
        for (const token of tokens)
          if (text.includes(token)) leaks.push(`a token by ${method} ${named} over ${wire}`)
      }
      await ask(service, caller, { aims, look, turn: all.indexOf(caller) + seed })
      t.same(leaks, [])
      t.same(await hiddenParts(alice, secrets), before, 'nothing hidden has changed')
      if (caller.isAdmitted) {
        const { events } = await new Client(service, 'alice', { token: caller.token } as never).do(
          'events.get',
          { fromTime: 0 }
        )
        t.equal(
          JSON.stringify(events).includes('overt'),
          caller.reads === true,
          'what lies open is seen by those who may'
        )
      }
    })

  t.test('is preserved in messages of sockets and webhooks', t => listen(t, service, alice, secrets, all))

  t.test('is preserved in what the operator sees', async t => {
    const metrics = await service.http('GET', '/metrics', undefined, { authorization: adminKey })
    t.equal(metrics.status, 200)
    // Creates a record of an operator's action.
    await service.http('DELETE', '/system/users/alice/wait', undefined, { authorization: adminKey })
    const answers = {
      metrics: metrics.body,
      health: (await service.http('GET', '/readyz')).body,
      description: (await service.http('GET', '/docs/openapi.json')).body,
      information: (await service.http('GET', '/service/info')).body,
      ...Object.fromEntries(
        await Promise.all(
          ['overview', 'users', 'users/alice', 'deeds', 'settings'].map(async path => [
            path,
            (await service.http('GET', `/system/${path}`, undefined, { authorization: adminKey })).body
          ])
        )
      ),
      log: lines.join('\n')
    }
    const tokens = all.flatMap(({ token }) => token ?? [])
    for (const [name, answer] of Object.entries(answers)) {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
      t.ok(text.length > 100, `${name} is there`)
      t.same(
        [...secrets.inner, ...tokens].filter(mark => text.includes(mark)),
        [],
        name
      )
    }
    t.notMatch(String(answers.metrics), /alice|bobby/)
  })
})

interface Asking {
  readonly aims: Readonly<Record<string, readonly object[]>>
  readonly look: (wire: string, method: string, params: object, answer: unknown) => void
  /** The caller's place among all. */
  readonly turn: number
}

/**
 * Makes all calls of every method, over every transport. In the short form, a caller with access makes every second call and others
 * every third one, over HTTP or a socket, and every fifth of these also in a batch and at the port for series. Which ones differs
 * from call to call, and each time.
 */
async function ask(
  service: Service,
  { isAdmitted, token }: Caller,
  { aims, look, turn }: Asking
): Promise<void> {
  const { seriesUrl, url } = service.server
  const headers: Record<string, string> = {
    origin: url,
    ...(token === undefined ? {} : { authorization: token })
  }
  const socket = isAdmitted ? await RawSocket.open(url, 'alice', token!) : undefined
  const step = isAdmitted ? 2 : 3
  let at = turn
  let place = Math.floor(turn / step)
  for (const [method, list] of Object.entries(aims))
    for (const value of list) {
      if (!isLong && at++ % step !== 0) continue
      const isTurn = isLong || place++ % 5 === 0
      const usesHttp = isLong || !socket || place % 2 === 0
      const usesSocket = isLong || !usesHttp
      const text = JSON.stringify(value)
      const members = Array.isArray(value)
        ? undefined
        : new Map(Object.entries(value).map(([name, one]): [string, string] => [name, JSON.stringify(one)]))
      const call: Attack = { url, username: 'alice', headers, method, params: { text, members } }
      for (const { isOfUser, route } of routesOf(method)) {
        // With the admin key, responses of the operator's own routes are not leaks.
        if (token === adminKey && /^(admin|system|users|previews)\./.test(method)) continue
        if (usesHttp || !isOfUser)
          look(`${route.verb} ${route.path}`, method, value, (await overHttp(call, route, isOfUser)).body)
        if (!isOfUser || !isTurn) continue
        const atSeries = await overHttp({ ...call, url: seriesUrl! }, route, true)
        look(`${route.verb} ${route.path} at the port for series`, method, value, atSeries.body)
      }
      if (isTurn) look('batch', method, value, (await inBatch(call)).body)
      if (socket && usesSocket) look('socket', method, value, (await socket.call(method, text)).body)
    }
  socket?.close()
}

/** Returns data that only the owner may change. */
async function hiddenParts(alice: Client, { ids }: Secrets): Promise<Answer> {
  const streams = [ids.hidden, ids.closed, ids.binned, ids.followed]
  const query = {
    streams,
    state: 'all',
    fromTime: -1e300,
    toTime: 1e300,
    modifiedSince: 0,
    includeDeletions: true
  }
  const { eventDeletions, events } = await alice.do('events.get', query)
  const { webhooks } = await alice.do('webhooks.get')
  const { accesses } = await alice.do('accesses.get')
  return {
    events,
    eventDeletions,
    points: (await alice.do('hfs.get', { id: ids.holder })).points,
    copiedPoints: (await alice.do('hfs.get', { id: ids.followedHolder })).points,
    copiedStreams: (await alice.do('streams.get', { parentId: ids.followed, state: 'all' })).streams,
    streams: (await alice.do('streams.get', { parentId: ids.hidden, state: 'all' })).streams,
    webhook: webhooks.find(({ id }: Answer) => id === ids.webhook),
    access: accesses
      .filter(({ id }: Answer) => id === ids.app || id === ids.shared)
      .map(({ id, permissions }: Answer) => ({ id, permissions })),
    profile: (await alice.do('profile.getPrivate')).profile,
    slices: (await alice.do('followedSlices.get')).followedSlices,
    connections: (await alice.do('connections.get')).connections,
    account: { ...(await alice.do('account.get')).account, storageUsed: undefined }
  }
}

/** Checks that sockets and webhooks of other callers hear nothing of hidden changes. */
async function listen(
  t: Test,
  service: Service,
  alice: Client,
  { ids, inner }: Secrets,
  all: readonly Caller[]
): Promise<void> {
  const others = all.filter(({ isAdmitted, name }) => isAdmitted && name !== 'features only')
  const clients = others.map(({ token }) => new Client(service, 'alice', { token } as never))
  const sockets = await Promise.all(clients.map(client => socketOf(t, client)))
  const hook = await receiver(t)
  for (const client of clients)
    await client.do('webhooks.create', { url: `${hook.url}/${client.token.slice(0, 6)}` })
  await Promise.all(sockets.map(socket => socket.news()))
  const before = hook.deliveries.length
  await alice.event({ streamIds: [ids.hidden], content: inner[0] })
  await alice.do('events.update', { id: ids.both, update: { description: inner[1] } })
  await alice.do('streams.update', { id: ids.below, update: { clientData: { a: inner[2] } } })
  await alice.do('hfs.add', {
    id: ids.holder,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: [[5, 2]]
  })
  for (const [index, socket] of sockets.entries())
    t.same(await socket.news(), [], `${others[index]!.name} hears nothing`)
  service.clock.advance(60)
  await alice.event({ streamIds: ['open'], content: 'overt' })
  const seeOpen = clients.filter((_, index) => !others[index]!.name.includes('followed'))
  await hook.received(before + seeOpen.length)
  const called = hook.deliveries.slice(before).map(({ path }) => path)
  t.same(called.toSorted(), seeOpen.map(({ token }) => `POST /${token.slice(0, 6)}`).toSorted())
  for (const { body, path, text } of hook.deliveries.slice(before)) {
    t.same(body.messages, ['eventsChanged'], `${path} hears of what lies open only`)
    t.same(
      inner.filter(mark => text.includes(mark)),
      []
    )
  }
}
