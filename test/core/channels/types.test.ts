/** Each type of channel, with a real receiver. */
import { createHmac, createPublicKey, verify } from 'node:crypto'
import t from 'tap'
import { Client } from '../../support/coffer.js'
import { mailbox } from '../../support/mailbox.js'
import { PushSubscription } from '../../support/push-subscription.js'
import { receiver } from '../../support/receiver.js'
import { relate, startTwo } from '../../support/two-servers.js'
import { until } from '../../support/socket.js'
import { addChannel, queue, reaches, startWorld } from './world.js'

t.test('a body of RFC 8291 is decrypted', async t => {
  // The example of its appendix A.
  const subscription = PushSubscription.from(
    'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    'BTBZMqHH6r4Tts7J_aSIgg'
  )
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'
  t.equal(subscription.decrypt(Buffer.from(body, 'base64url')), 'When I grow up, I want to be a watermelon')
})

t.test('over HTTP', async t => {
  const { alice, server: service } = await startWorld(t)
  const server = await receiver(t)
  const subscription = PushSubscription.create()
  const { webPushKey } = await alice.do('channels.get')
  const cases = [
    ['web-push', subscription.toJSON(`${server.url}/push`), 'POST /push'],
    ['ntfy', { url: `${server.url}/ntfy`, topic: 'alice-1', token: 'tk_secret' }, 'POST /ntfy'],
    ['gotify', { url: `${server.url}/gotify/`, token: 'app-secret' }, 'POST /gotify/message'],
    ['apprise', { url: `${server.url}/apprise`, key: 'key-secret' }, 'POST /apprise/notify/key-secret'],
    ['webhook', { url: `${server.url}/hook`, secret: 'hook-secret' }, 'POST /hook']
  ] as const
  const channelIds: string[] = []
  for (const [type, target] of cases) channelIds.push((await addChannel(alice, type, target)).id)
  t.equal(
    await queue(alice, {
      key: 'rule:1:1',
      channelIds: [...channelIds, 'unknown'],
      urgency: 'high',
      title: 'Glykämie – niedrig',
      actions: [{ id: 'seen', title: 'Seen', page: 'alerts/1?seen=1' }]
    }),
    5
  )
  for (const id of channelIds) await reaches(alice, id, 'delivered', 1)
  const url = `${service.url}/app/alice/alerts/1`
  const shown = { title: 'Glykämie – niedrig' }
  const get = (path: string) => server.deliveries.find(each => each.path === path)!
  const bodies: Record<string, object> = {
    'POST /ntfy': {
      ...shown,
      topic: 'alice-1',
      message: 'Below 4 mmol/l',
      priority: 5,
      click: url,
      actions: [{ action: 'view', label: 'Seen', url: `${url}?seen=1` }]
    },
    'POST /gotify/message': {
      ...shown,
      message: 'Below 4 mmol/l',
      priority: 8,
      extras: { 'client::notification': { click: { url } } }
    },
    'POST /apprise/notify/key-secret': { ...shown, body: `Below 4 mmol/l\n${url}`, type: 'warning' },
    'POST /hook': {
      ...shown,
      text: 'Below 4 mmol/l',
      urgency: 'high',
      username: 'alice',
      source: { kind: 'rule', id: 'rule-1' },
      url
    }
  }
  const ids = new Set<unknown>()
  for (const [index, [type, , path]] of cases.entries()) {
    const { body, headers } = get(path)
    if (bodies[path]) t.match(body, bodies[path], type)
    ids.add(headers['coffer-message-id'])
    const [delivery] = (await alice.do('channels.getOne', { id: channelIds[index] })).deliveries
    t.equal(headers['coffer-message-id'], delivery.id, type)
  }
  t.equal(ids.size, cases.length, 'each channel has its own id')
  t.equal(get('POST /ntfy').headers.authorization, 'Bearer tk_secret')
  t.equal(get('POST /ntfy').body.sequence_id, get('POST /ntfy').headers['coffer-message-id'])
  t.equal(get('POST /gotify/message').headers['x-gotify-key'], 'app-secret')
  const hook = get('POST /hook')
  const [, time, digest] = /^t=([\d.]+),v1=(\w+)$/.exec(String(hook.headers['webhook-signature']))!
  t.equal(digest, createHmac('sha256', 'hook-secret').update(`${time}.${hook.text}`).digest('hex'))

  const push = get('POST /push')
  t.match(push.headers, {
    'content-encoding': 'aes128gcm',
    ttl: '3600',
    urgency: 'high',
    topic: push.headers['coffer-message-id']
  })
  t.match(JSON.parse(subscription.decrypt(push.bytes)), {
    id: push.headers['coffer-message-id'],
    title: 'Glykämie – niedrig',
    text: 'Below 4 mmol/l',
    page: 'alice/alerts/1',
    actions: [{ id: 'seen', page: 'alice/alerts/1?seen=1' }]
  })
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(String(push.headers.authorization))!
  t.equal(key, webPushKey)
  const [head, claims, signature] = token.split('.') as [string, string, string]
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), { aud: server.url, sub: /^mailto:/ })
  const point = Buffer.from(webPushKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url')
  )
  t.ok(isValid, 'signed with the key of the service')

  const shownChannels =
    JSON.stringify(await alice.do('channels.get')) + JSON.stringify(await alice.do('audit.get'))
  for (const secret of ['tk_secret', 'app-secret', 'key-secret', 'hook-secret', '/push"', 'p256dh'])
    t.notMatch(shownChannels, secret, 'secrets are not shown')
  t.match((await alice.do('channels.get')).channels, [
    { target: { origin: server.url, digest: String } },
    { target: { topic: 'alice-1', hasToken: true } },
    { target: { hasToken: true } },
    { target: { hasKey: true } },
    { target: { hasSecret: true } }
  ])
  const long = await queue(alice, { key: 'long', channelIds: [channelIds[0]!], text: '漢'.repeat(2000) })
  t.equal(long, 1)
  await until(() => server.deliveries.length === 6, 'the long message')
  const last = server.deliveries[5]!
  t.ok(last.bytes.length < 4096, 'fits into the limit of push services')
  t.match(JSON.parse(subscription.decrypt(last.bytes)).text, /^漢+…$/)
})

t.test('a message that an Apprise server has sent to no one is not delivered', async t => {
  const { alice } = await startWorld(t)
  const server = await receiver(t)
  server.answer = 204
  const channel = await addChannel(alice, 'apprise', { url: server.url, key: 'unknown' })
  await queue(alice, { key: 'a', channelIds: [channel.id] })
  t.match(await reaches(alice, channel.id, 'failed', 1), [{ error: { id: 'refused', status: 204 } }])
  const hook = await addChannel(alice, 'webhook', { url: server.url })
  await queue(alice, { key: 'b', channelIds: [hook.id] })
  await reaches(alice, hook.id, 'delivered', 1)
})

t.test('a subscription that is gone ends its channel', async t => {
  const { alice } = await startWorld(t)
  const server = await receiver(t)
  const target = PushSubscription.create().toJSON(server.url)
  for (const status of [404, 410]) {
    server.answer = status
    const channel = await addChannel(alice, 'web-push', target)
    await queue(alice, { key: `gone:${status}`, channelIds: [channel.id] })
    t.match(await reaches(alice, channel.id, 'failed'), [{ error: { id: 'refused', status } }])
    t.match(await alice.do('channels.getOne', { id: channel.id }), {
      channel: { state: 'ended', reason: 'gone' }
    })
    t.equal(await queue(alice, { key: `later:${status}`, channelIds: [channel.id] }), 0)
    t.match(await alice.call('channels.test', { id: channel.id }), { error: { id: 'invalid-operation' } })
  }
  server.answer = 201
  const [first] = (await alice.do('channels.get')).channels
  await alice.do('channels.update', { id: first.id, update: { state: 'active', target } })
  const again = await alice.call('channels.create', { type: 'web-push', name: 'x', target })
  t.match(again.error, { id: 'item-already-exists' }, 'one channel for each browser')
  await alice.do('channels.test', { id: first.id })
  await reaches(alice, first.id, 'delivered')
})

t.test('mail', async t => {
  const box = await mailbox(t)
  const service = await startWorld(t, box.settings)
  const bob = await service.user('bobby', { email: 'bob@example.com', language: 'de' })
  t.match(
    await bob.call('channels.create', { type: 'mail', name: 'x', target: { address: 'eve@example.com' } }),
    { error: { id: 'invalid-operation' } },
    'only addresses of the account'
  )
  const { email } = (await bob.do('account.get')).account
  const { services } = service.server
  const account = services.accounts.find('bobby')!
  await services.accounts
    .openStore(account)
    .write(() => services.accounts.openStore(account).confirmed.set('email', email))
  const channel = await addChannel(bob, 'mail', { address: email.toUpperCase() })
  t.equal(channel.target.address, email)
  const { deliveryId } = await bob.do('channels.test', { id: channel.id })
  const mail = await box.receivedBy(email)
  t.equal(mail.subject, 'Testbenachrichtigung')
  t.match(
    mail.text,
    /So sehen Benachrichtigungen von Coffer aus\.\s+Coffer öffnen:\s+http.*\/app\/bobby\/channels/
  )
  t.match(await reaches(bob, channel.id, 'delivered'), [{ id: deliveryId, source: { kind: 'test' } }])
  const app = await bob.grantAll([{ streamId: '*', level: 'manage' }], { type: 'app' })
  for (const type of ['mail', 'person'])
    t.match(
      await app.call('channels.create', { type, name: 'x', target: { address: email } }),
      { error: { id: 'forbidden' } },
      `${type}: only personal tokens`
    )
  await services.accounts
    .openStore(account)
    .write(() => services.accounts.openStore(account).confirmed.set('email', 'other@example.com'))
  await queue(bob, { key: 'late', channelIds: [channel.id] })
  t.match(await reaches(bob, channel.id, 'failed'), [{ error: { id: 'address-not-confirmed' } }, {}])
})

t.test('events of the account', async t => {
  const { alice } = await startWorld(t)
  await alice.stream('inbox')
  await alice.stream('hidden')
  const app = await alice.grant('contribute', 'inbox', { type: 'app' })
  for (const streamId of ['hidden', 'unknown'])
    t.match(
      await app.call('channels.create', { type: 'event', name: 'x', target: { streamId } }),
      { error: { id: streamId === 'hidden' ? 'forbidden' : 'unknown-referenced-resource' } },
      streamId
    )
  const channel = await addChannel(app, 'event', { streamId: 'inbox' })
  await queue(alice, { key: 'note', channelIds: [channel.id] })
  await reaches(alice, channel.id, 'delivered')
  const { events } = await alice.do('events.get', { streams: ['inbox'] })
  t.match(events, [
    {
      type: 'note/txt',
      content: 'Glucose\n\nBelow 4 mmol/l',
      createdBy: app.access.id,
      clientData: { 'coffer:channel': { id: channel.id, source: { kind: 'rule' } } }
    }
  ])
  await alice.do('streams.delete', { id: 'inbox' })
  await queue(alice, { key: 'trashed', channelIds: [channel.id] })
  t.match(await reaches(alice, channel.id, 'failed'), [{ error: { id: 'stream-gone' } }, {}])
})

t.test('an access with an alias', async t => {
  const { alice, server: service } = await startWorld(t)
  const server = await receiver(t)
  await alice.stream('diary')
  const { access } = await alice.grant('read', 'diary', { type: 'app', randomAlias: true })
  const app = new Client(alice.service, access.alias ?? '', access)
  const subscription = PushSubscription.create()
  for (const [type, target] of [
    ['webhook', { url: `${server.url}/hook` }],
    ['ntfy', { url: `${server.url}/ntfy`, topic: 'x' }],
    ['web-push', subscription.toJSON(`${server.url}/push`)]
  ] as const) {
    const { id } = await addChannel(app, type, target)
    await queue(alice, { key: type, channelIds: [id] })
    await reaches(app, id, 'delivered')
  }
  const [hook, ntfy, push] = server.deliveries
  const url = `${service.url}/app/${access.alias}/alerts/1`
  t.match(hook!.body, { username: access.alias, url })
  t.match(ntfy!.body, { click: url })
  t.match(JSON.parse(subscription.decrypt(push!.bytes)), { page: `${access.alias}/alerts/1` })
  for (const { headers, text } of server.deliveries)
    t.notMatch(JSON.stringify(headers) + text, 'alice', 'nothing tells the user name')
})

t.test('a person with access', async t => {
  const two = await startTwo(t, { channels: { allowInternalTargets: true } }, { isShared: true })
  const { dora, paul } = two
  await relate(two)
  const { accesses } = await paul.do('accesses.get')
  const { id: accessId } = accesses.find((each: { clientData?: object }) =>
    JSON.stringify(each).includes('"counterparty"')
  )
  t.match(
    await paul.call('channels.create', { type: 'person', name: 'x', target: { accessId: paul.access.id } }),
    { error: { id: 'unknown-referenced-resource' } }
  )
  const channel = await addChannel(paul, 'person', { accessId })
  await queue(paul, { key: 'chat', channelIds: [channel.id] })
  await reaches(paul, channel.id, 'delivered')
  let received: { content: { content: string } }[] = []
  await until(async () => {
    ;({ events: received } = await dora.do('events.get', { types: ['message/chat-cmc'] }))
    return received.length > 0
  }, 'the message at the other account')
  t.equal(received[0]!.content.content, 'Glucose\n\nBelow 4 mmol/l')
  const { rule } = await paul.do('rules.create', {
    name: 'x',
    channelIds: [channel.id],
    atMostEvery: 60,
    condition: { kind: 'arrived', accessId: paul.access.id }
  })
  const countFirings = async (): Promise<number> => {
    const { deliveries } = await paul.do('channels.getOne', { id: channel.id })
    return deliveries.filter(({ source }: { source: { id: string } }) => source.id === rule.id).length
  }
  await paul.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'x' })
  await until(async () => (await countFirings()) === 1, 'a message')
  await reaches(paul, channel.id, 'delivered')
  for (let minute = 0; minute < 3; minute++) {
    two.accepterService.clock.advance(61)
    await two.accepterService.server.settle()
  }
  t.equal(await countFirings(), 1, 'a rule is not caused by its own messages')
  await paul.do('rules.delete', { id: rule.id })
  await paul.do('accesses.delete', { id: accessId })
  await queue(paul, { key: 'gone', channelIds: [channel.id] })
  t.match(await reaches(paul, channel.id, 'failed'), [{ error: { id: 'person-gone' } }, {}])
})
