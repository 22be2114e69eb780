import t from 'tap'
import { Client, type Answer } from '../../support/coffer.js'
import {
  accept,
  arrived,
  listEvents,
  listPeers,
  offer,
  relate,
  requestContent,
  scope,
  settled,
  startTwo,
  write
} from '../../support/two-servers.js'
import { until } from '../../support/socket.js'

/** Returns a client with the token of an access that a peer holds. */
function asPeer(owner: Client, access: Answer): Client {
  return new Client(owner.service, owner.username, access)
}

t.test('streams', async t => {
  const { dora } = await startTwo(t, {}, { isShared: true })
  const ids = async (): Promise<string[]> => {
    const list: string[] = []
    const walk = (streams: Answer[]): void => {
      for (const { children, id } of streams) {
        if (id.startsWith(':_cmc:')) list.push(id)
        walk(children ?? [])
      }
    }
    walk((await dora.do('streams.get')).streams)
    return list
  }
  t.same(await ids(), [], 'a new account has none')
  const sub = `${scope}:Bar`
  const made = await dora.http('POST', '/streams', { id: sub, name: 'Bar', parentId: scope })
  t.match(made, { status: 201, body: { stream: { id: sub } } })
  t.match(await dora.http('POST', '/streams', { id: sub, name: 'Bar', parentId: scope }), { status: 409 })
  t.same((await ids()).toSorted(), [':_cmc:', ':_cmc:apps', scope, sub, ':_cmc:inbox'].toSorted())
  for (const [id, parentId] of [
    [':_cmc:inbox', ':_cmc:'],
    [`${scope}:chats`, scope],
    [':_cmc:_internal:retries', ':_cmc:_internal'],
    [`${scope}:collectors:x--y`, `${scope}:collectors`]
  ])
    t.match(await dora.http('POST', '/streams', { id, name: 'x', parentId }), {
      status: 400,
      body: { error: { id: 'invalid-operation', data: { id: 'cmc-reserved-stream' } } }
    })
  for (const id of [':_cmc:inbox', '%3A_cmc%3Ainbox'])
    t.match(await dora.http('DELETE', `/streams/${id}`), {
      status: 400,
      body: { error: { data: { id: 'cmc-reserved-stream-undeletable' } } }
    })
  t.match(await dora.http('GET', '/events?streams[]=:_cmc:_internal:retries'), {
    status: 200,
    body: { events: [] }
  })
})

t.test('offers', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora } = two
  const app = await dora.grantAll([{ streamId: scope, level: 'manage' }], { type: 'app' })
  const { error, event } = await write(app, 'consent/request-cmc', requestContent({ hdsFormSpec: { a: 1 } }))
  t.equal(error, undefined)
  t.match(event.content, { capabilityUrl: String, capabilityId: String, status: 'pending' })
  const token = new URL(event.content.capabilityUrl).username
  const get = (path: string) =>
    dora.service.http('GET', `/dora-doctor${path}`, undefined, { authorization: token })
  const { body } = await get('/events?types[]=consent/request-cmc&limit=1')
  t.equal(body.events.length, 1)
  t.match(body.events[0].content, { requesterUsername: 'dora-doctor', hdsFormSpec: { a: 1 } })
  t.notMatch(JSON.stringify(body), 'capabilityUrl')
  t.same((await get('/streams')).body.streams, [])
  t.equal((await get('/accesses')).status, 403)
  t.equal((await get('/access-info')).status, 200)
  for (const [changed, id] of [
    [{ request: { consent: undefined } }, 'cmc-invalid-event-content'],
    [{ request: { permissions: [] } }, 'cmc-invalid-event-content'],
    [{ request: { permissions: [{ streamId: 'x', level: 'none' }] } }, 'cmc-offer-invalid-permissions'],
    [
      { request: { permissions: [{ streamId: ':_cmc:inbox', level: 'read' }] } },
      'cmc-offer-invalid-permissions'
    ],
    [{ request: { expiresAt: two.requesterService.clock.now() + 5 } }, 'cmc-capability-ttl-out-of-range']
  ] as const)
    t.match(await write(dora, 'consent/request-cmc', requestContent(changed)), {
      error: { id: 'invalid-operation', data: { id } }
    })
  const listed = (await dora.do('accesses.get')).accesses.filter((each: Answer) => each.clientData?.cmc)
  t.equal(listed.length, 1)
  t.notOk('token' in listed[0])
  t.notOk('apiEndpoint' in listed[0])
  // Reading everything does not show the link.
  const wide = await dora.grant('read', '*')
  const seen = (await wide.do('events.get', { limit: 10 })).events
  t.equal(seen.length, 1)
  t.notOk('capabilityUrl' in seen[0].content)
})

t.test('acceptance', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, paul } = two
  const app = await paul.grantAll([{ streamId: scope, level: 'manage' }], { type: 'app' })
  const url = (await offer(dora)).content.capabilityUrl
  t.match(await write(app, 'consent/accept-cmc', { capabilityUrl: url }), {
    error: { data: { id: 'cmc-accept-requires-personal-token' } }
  })
  const plain = await paul.do('events.create', {
    streamIds: ['diary'],
    type: 'consent/accept-cmc',
    content: { capabilityUrl: url }
  })
  t.same(plain.event.content, { capabilityUrl: url }, 'elsewhere it is an ordinary event')
  for (const [granted, changes, reason] of [
    [[{ streamId: 'health', level: 'read' }], {}, 'cmc-consent-user-choice-not-allowed'],
    [[{ streamId: 'health', level: 'manage' }], {}, 'cmc-granted-permissions-not-subset'],
    [[{ streamId: 'diary', level: 'contribute' }], mandatory(), 'cmc-mandatory-permission-refused']
  ] as const) {
    const request = await offer(dora, changes)
    const failed = await accept(paul, request.content.capabilityUrl, { grantedPermissions: granted })
    t.match(failed, { status: 'failed', failure: { reason } })
  }
  const less = { streamId: 'diary', level: 'read' }
  const health = { streamId: 'health', level: 'read' }
  for (const [granted, changes, reason] of [
    [[health, less], {}, 'cmc-consent-user-choice-not-allowed'],
    [[health, less, { ...less, level: 'create-only' }], mandatory(), 'cmc-granted-permissions-not-subset'],
    [[health, { ...less, level: 'none' }], mandatory(), 'cmc-granted-permissions-not-subset'],
    [[{ ...health, level: 'create-only' }], mandatory(), 'cmc-granted-permissions-not-subset'],
    [[{ feature: 'selfAudit', setting: 'allowed' }], mandatory(), 'cmc-granted-permissions-not-subset'],
    [[health, { ...less, level: 'read' }], mandatory('diary'), 'cmc-mandatory-permission-refused']
  ] as const) {
    const { content } = await offer(dora, changes)
    const failed = await accept(paul, content.capabilityUrl, { grantedPermissions: granted })
    t.match(failed, { status: 'failed', failure: { reason } }, reason)
  }
  t.same(await listPeers(paul), [])
  const lower = await offer(dora, mandatory())
  const grantedPermissions = [health, less]
  t.match(await accept(paul, lower.content.capabilityUrl, { grantedPermissions }), { status: 'completed' })
  const [lowered] = await listPeers(paul)
  t.same(lowered.permissions.slice(0, 2), grantedPermissions, 'a lower level than what is asked for')
  await paul.do('accesses.delete', { id: lowered.id })
  const some = await offer(dora, mandatory())
  const chosen = { grantedPermissions: [{ streamId: 'health', level: 'read' }] }
  t.match(await accept(paul, some.content.capabilityUrl, chosen), { status: 'completed' })
  const [grant] = await listPeers(paul)
  t.same(grant.permissions[0], { streamId: 'health', level: 'read' })
  t.equal(grant.permissions.length, 4)
  const own = await offer(dora)
  t.match(await accept(dora, own.content.capabilityUrl), {
    failure: { reason: 'cmc-handler-counterparty-unknown' }
  })
  const odd = await accept(paul, 'https://127.0.0.1/nobody/')
  t.match(odd, { failure: { reason: 'cmc-handler-offer-read-failed' } }, 'a URL without a token')
})

function mandatory(id = 'health'): { readonly request: object } {
  return {
    request: {
      allowUserChoice: true,
      permissions: [
        { streamId: 'health', level: 'read', defaultName: 'Health', mandatory: id === 'health' },
        { streamId: 'diary', level: 'contribute', defaultName: 'Diary', mandatory: id === 'diary' }
      ]
    }
  }
}

t.test('two acceptances at once', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, paul, requesterService } = two
  const peter = await requesterService.user('peter-patient')
  const { capabilityUrl } = (await offer(dora)).content
  const results = await Promise.all([accept(paul, capabilityUrl), accept(peter, capabilityUrl)])
  t.same(results.map(({ status }: Answer) => status).toSorted(), ['completed', 'failed'])
})

t.test('open links', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, doraSlug, paul, paulSlug } = two
  const request = await offer(dora, { capability: { mode: 'open-link' } })
  const { capabilityId, capabilityUrl } = request.content
  t.match(await accept(paul, capabilityUrl), { status: 'completed' })
  t.match(await accept(paul, capabilityUrl), {
    failure: { detail: { body: { error: { data: { id: 'cmc-capability-already-accepted-by-you' } } } } }
  })
  t.match((await dora.do('events.getOne', { id: request.id })).event.content, { acceptedCount: 1 })
  const closed = await write(dora, 'consent/invalidate-link-cmc', { capabilityId, reason: { en: 'closed' } })
  t.match(closed.event.content, { status: 'completed' })
  const peter = await two.requesterService.user('peter-patient')
  t.match(await accept(peter, capabilityUrl), {
    failure: { detail: { body: { error: { data: { id: 'cmc-capability-invalidated' } } } } }
  })
  await write(dora, 'message/chat-cmc', { content: 'still here' }, `${scope}:chats:${paulSlug}`)
  t.match(await arrived(paul, `${scope}:chats:${doraSlug}`, 'message/chat-cmc'), {
    content: { content: 'still here' }
  })
  t.match(await write(dora, 'consent/invalidate-link-cmc', { capabilityId: 'unknown-id' }), {
    event: { content: { status: 'failed', failure: { reason: 'capability-access-not-found' } } }
  })
})

t.test('messages', async t => {
  const two = await startTwo(t)
  const { dora, doraSlug, paul, paulSlug } = two
  await relate(two)
  const sent = await write(
    dora,
    'message/chat-cmc',
    { content: 'Hello', from: { username: 'someone', host: 'else' }, status: 'completed' },
    `${scope}:chats:${paulSlug}`
  )
  t.equal(sent.event.content.status, 'pending')
  t.notOk('from' in sent.event.content)
  const chat = await arrived(paul, `${scope}:chats:${doraSlug}`, 'message/chat-cmc')
  t.same(chat.content, { content: 'Hello', from: { username: 'dora-doctor', host: '127.0.0.1' } })
  t.match(await settled(dora, sent.event.id), { status: 'completed' })
  const [grant] = await listPeers(paul)
  const peer = asPeer(paul, grant)
  const twice = {
    id: chat.id,
    streamIds: [`${scope}:chats:${doraSlug}`],
    type: 'message/chat-cmc',
    content: { content: 'Hello' }
  }
  t.match(await peer.call('events.create', twice), { error: { id: 'item-already-exists' } })
  const mine = await write(paul, 'message/chat-cmc', { content: 'Hi' }, `${scope}:chats:${doraSlug}`)
  t.match(await settled(paul, mine.event.id), { status: 'completed' })
  t.match(await peer.call('events.update', { id: mine.event.id, update: { content: { content: 'x' } } }), {
    error: { id: 'forbidden' }
  })
  t.match(await peer.call('events.delete', { id: mine.event.id }), { error: { id: 'forbidden' } })
  const long = 'x'.repeat(10_241)
  t.match(await write(dora, 'message/chat-cmc', { content: long }, `${scope}:chats:${paulSlug}`), {
    error: { data: { id: 'cmc-invalid-event-content' } }
  })
  t.match(await write(dora, 'message/chat-cmc', { content: 'x' }), {
    event: { content: { status: 'failed', failure: { reason: 'cmc-chat-stream-not-chat' } } }
  })
  t.match(await write(paul, 'consent/revoke-cmc', {}, ':_cmc:inbox'), {
    error: { data: { id: 'cmc-not-counterparty' } }
  })
  t.match(await write(peer, 'message/chat-cmc', { content: 'x' }, ':_cmc:inbox'), {
    error: { data: { id: 'cmc-event-type-not-allowed' } }
  })
  const update = { content: { content: 'Hi again', status: 'failed', from: null } }
  const updated = await paul.do('events.update', { id: mine.event.id, update })
  t.match(updated.event.content, { content: 'Hi again', status: 'completed' })
  t.notOk('from' in updated.event.content)
})

t.test('a relationship without chat', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, doraSlug, paul, paulSlug } = two
  await relate(two, { request: { features: { chat: false } } })
  t.match(await write(dora, 'message/chat-cmc', { content: 'x' }, `${scope}:chats:${paulSlug}`), {
    event: { content: { status: 'failed', failure: { reason: 'cmc-chat-disabled' } } }
  })
  const alert = { level: 'info', title: 'News', body: { en: 'Something' } }
  await write(dora, 'notification/alert-cmc', alert, `${scope}:collectors:${paulSlug}`)
  t.match(await arrived(paul, `${scope}:collectors:${doraSlug}`, 'notification/alert-cmc'), {
    content: alert
  })
})

for (const how of ['revoke', 'delete', 'revoke by the requester'])
  t.test(`the end of a relationship: ${how}`, async t => {
    const two = await startTwo(t)
    const { dora, paul } = two
    const { accepted } = await relate(two)
    const [channel] = await listPeers(dora)
    const [ender, other, accessId] =
      how === 'revoke by the requester' ? [dora, paul, channel.id] : [paul, dora, accepted.dataGrantAccessId]
    if (how === 'delete') await ender.do('accesses.delete', { id: accessId })
    else {
      const { event } = await write(ender, 'consent/revoke-cmc', { accessId, reason: { en: 'enough' } })
      t.match(await settled(ender, event.id), { status: 'completed', peerNotified: true })
    }
    t.same(await listPeers(ender), [])
    const revoke = await arrived(other, ':_cmc:inbox', 'consent/revoke-cmc')
    t.match(revoke.content, { status: 'completed', accessId, from: { username: ender.username } })
    t.same(revoke.content.reason, how === 'delete' ? undefined : { en: 'enough' })
    t.same(await listPeers(other), [])
    t.match(await write(ender, 'consent/revoke-cmc', { accessId }), {
      event: { content: { failure: { reason: 'cmc-revoke-counterparty-access-not-found' } } }
    })
  })

for (const reason of ['no', { en: 'no', fr: 'non' }])
  t.test(
    `a refusal whose reason is ${typeof reason === 'string' ? 'text' : 'in several languages'}`,
    async t => {
      const two = await startTwo(t)
      const { dora, paul } = two
      const request = await offer(dora)
      const { capabilityUrl } = request.content
      const { event } = await write(paul, 'consent/refuse-cmc', { capabilityUrl, reason })
      t.match(await settled(paul, event.id), { status: 'completed' })
      const refusal = await arrived(dora, ':_cmc:inbox', 'consent/refuse-cmc')
      t.match(refusal.content, { inviteEventId: request.id, from: { username: 'paul-patient' } })
      t.same(refusal.content.reason, reason)
      t.match((await dora.do('events.getOne', { id: request.id })).event.content, {
        status: 'completed',
        refusedBy: { username: 'paul-patient' }
      })
      t.match(await accept(paul, capabilityUrl), { status: 'failed' })
    }
  )

t.test('a change of permissions', async t => {
  const two = await startTwo(t, { accesses: { updates: true } })
  const { dora, doraSlug, paul, paulSlug } = two
  const { accepted } = await relate(two)
  const newPermissions = [{ streamId: 'health', level: 'contribute' }]
  await write(dora, 'consent/scope-request-cmc', { newPermissions }, `${scope}:collectors:${paulSlug}`)
  const theirs = `${scope}:collectors:${doraSlug}`
  const request = await arrived(paul, theirs, 'consent/scope-request-cmc')
  const answer = { scopeRequestEventId: request.id, accept: true }
  const app = await paul.grantAll([{ streamId: scope, level: 'manage' }], { type: 'app' })
  t.match(await write(app, 'consent/scope-update-cmc', answer, theirs), {
    error: { data: { id: 'cmc-accept-requires-personal-token' } }
  })
  const { event } = await write(paul, 'consent/scope-update-cmc', answer, theirs)
  t.equal(event.content.newAccessId, `${accepted.dataGrantAccessId}:1`)
  const [grant] = await listPeers(paul)
  t.same(grant.permissions.slice(0, 2), [
    ...newPermissions,
    { streamId: ':_cmc:inbox', level: 'create-only' }
  ])
  const told = await arrived(dora, `${scope}:collectors:${paulSlug}`, 'consent/scope-update-cmc')
  t.match(told.content, { accept: true, newPermissions, scopeRequestEventId: request.id })
  await settled(paul, event.id)
  const update = { permissions: [{ streamId: 'diary', level: 'read' }] }
  await paul.do('accesses.update', { id: grant.id, update })
  await until(
    async () =>
      (await listEvents(dora, `${scope}:collectors:${paulSlug}`)).some(
        each => each.content.source === 'post-hook'
      ),
    'the announcement'
  )
  const after = (await listPeers(paul))[0]
  t.equal(after.permissions.length, 4)
  t.match(after.permissions[0], { streamId: 'diary', level: 'read' })
})

t.test('a new end of an access', async t => {
  const two = await startTwo(t)
  const { accepterService, dora, doraSlug, paul, paulSlug } = two
  const now = accepterService.clock.now()
  const { accepted } = await relate(two, {}, { expires: now + 3600 })
  const theirs = `${scope}:collectors:${doraSlug}`
  const newPermissions = [{ streamId: 'health', level: 'read' }]
  const move = async (expires: unknown): Promise<Answer> => {
    const content = { accessId: accepted.dataGrantAccessId, newPermissions, expires }
    return await write(paul, 'consent/scope-update-cmc', content, theirs)
  }
  t.match(await move('soon'), { error: { data: { id: 'cmc-invalid-event-content' } } })
  t.match((await move(now)).event.content, {
    status: 'failed',
    failure: { reason: 'cmc-scope-update-local-apply-failed', detail: { reason: 'end-in-past' } }
  })
  t.equal((await listPeers(paul))[0].expires, now + 3600, 'nothing has changed')
  for (const expires of [now + 7200, null, now + 60]) {
    const { event } = await move(expires)
    t.match(await settled(paul, event.id), { status: 'completed' })
    const [grant] = await listPeers(paul)
    t.equal(grant.expires ?? null, expires)
    t.equal(grant.permissions.length, 4, 'those for messages stay')
    const [told] = await listEvents(dora, `${scope}:collectors:${paulSlug}`, 'consent/scope-update-cmc')
    t.equal(told.content.expires, expires, 'the peer is told')
    const { peerAccess } = await dora.do('cmc.getPeerAccess', { id: (await listPeers(dora))[0].id })
    t.equal(peerAccess.expires ?? null, expires, 'and sees it')
  }
  accepterService.clock.advance(61)
  t.match(await arrived(dora, ':_cmc:inbox', 'consent/revoke-cmc'), { content: { reason: 'expired' } })
})

t.test('credentials', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, paul } = two
  await relate(two)
  const wide = await dora.grant('read', '*')
  const inbox = await listEvents(wide, ':_cmc:inbox')
  t.equal(inbox.length, 1)
  t.notMatch(JSON.stringify(inbox), /apiEndpoint"/)
  const elsewhere = await dora.grantAll([
    { streamId: ':_cmc:inbox', level: 'read' },
    { streamId: ':_cmc:apps:other', level: 'read' }
  ])
  t.notMatch(JSON.stringify(await listEvents(elsewhere, ':_cmc:inbox')), /apiEndpoint"/)
  const entitled = await dora.grantAll([
    { streamId: ':_cmc:inbox', level: 'read' },
    { streamId: scope, level: 'read' }
  ])
  t.match(JSON.stringify(await listEvents(entitled, ':_cmc:inbox')), /apiEndpoint"/)
  const audit = JSON.stringify(await paul.do('events.get', { streams: [':_audit:accesses'], limit: 100 }))
  t.match(audit, 'cmc.accept')
  t.notMatch(audit, 'http:')
  for (const format of ['csv', 'json']) {
    const exported = await dora.call('events.export', { format, streams: [':_cmc:inbox'] })
    if (!exported.error) t.notMatch(JSON.stringify(exported), 'http:')
  }
})
