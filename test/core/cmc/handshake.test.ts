import t from 'tap'
import { Client } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
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

for (const isShared of rotate(t, [false, true]))
  t.test(isShared ? 'two accounts on one service' : 'two services', async t => {
    const two = await startTwo(t, {}, { isShared })
    const { accepterService, dora, doraSlug, paul, paulSlug } = two

    t.test('agree on an offer', async t => {
      const { accepted, request } = await relate(two)
      t.match(request.content, { status: 'pending', capabilityId: String, capabilityUrl: String })
      t.match(accepted, {
        status: 'completed',
        dataGrantAccessId: String,
        acceptedBy: { apiEndpoint: String }
      })
      t.match(accepted.from, { username: 'dora-doctor', host: '127.0.0.1' })
      const inbox = await arrived(dora, ':_cmc:inbox', 'consent/accept-cmc')
      t.match(inbox.content, {
        from: { username: 'paul-patient', host: '127.0.0.1' },
        backChannelAccessId: String,
        inviteEventId: request.id,
        originalEventId: String,
        requesterAppCode: 'clinic',
        grantedAccess: { apiEndpoint: accepted.acceptedBy.apiEndpoint },
        features: { chat: true, systemMessaging: true }
      })
      const [grant] = await listPeers(paul)
      t.match(grant, {
        id: accepted.dataGrantAccessId,
        type: 'shared',
        name: 'cmc:clinic-app:dora-doctor@127.0.0.1',
        createdBy: 'system',
        clientData: {
          cmc: {
            counterparty: {
              username: 'dora-doctor',
              apiEndpoint: String,
              remoteChatStreamId: `${scope}:chats:${paulSlug}`,
              remoteCollectorStreamId: `${scope}:collectors:${paulSlug}`
            }
          }
        }
      })
      t.same(grant.permissions, [
        { streamId: 'health', level: 'read' },
        { streamId: 'diary', level: 'contribute' },
        { streamId: ':_cmc:inbox', level: 'create-only' },
        { streamId: `${scope}:chats:${doraSlug}`, level: 'contribute' },
        { streamId: `${scope}:collectors:${doraSlug}`, level: 'contribute' }
      ])
      const [channel] = await listPeers(dora)
      t.match(channel, {
        id: inbox.content.backChannelAccessId,
        name: `cmc-back-channel-clinic--${paulSlug}`,
        clientData: {
          cmc: {
            counterparty: {
              username: 'paul-patient',
              apiEndpoint: accepted.acceptedBy.apiEndpoint,
              remoteChatStreamId: `${scope}:chats:${doraSlug}`
            }
          }
        }
      })
      const after = (await dora.do('events.getOne', { id: request.id })).event.content
      t.match(after, { status: 'completed', acceptedBy: { username: 'paul-patient' }, accessId: channel.id })
    })

    t.test('show an offer before it is accepted', async t => {
      const { id, content } = await offer(dora)
      const { capabilityUrl } = content
      const read = await paul.do('cmc.readOffer', { capabilityUrl })
      t.match(read, {
        requester: { username: 'dora-doctor', host: '127.0.0.1' },
        offer: { id: String, content: { request: requestContent()['request'], capabilityId: String } }
      })
      t.notMatch(JSON.stringify(read), capabilityUrl)
      t.match((await dora.call('cmc.readOffer', { capabilityUrl })).error, {
        id: 'invalid-operation',
        data: { id: 'cmc-handler-counterparty-unknown' }
      })
      t.match(
        (await dora.do('events.getOne', { id })).event.content,
        { status: 'pending' },
        'nothing changes'
      )
    })

    t.test('know what the other side grants, until that ends', async t => {
      const { accepted } = await relate(two)
      const channels = await listPeers(dora)
      const mine = channels.find(
        ({ clientData }) => clientData.cmc.counterparty.apiEndpoint === accepted.acceptedBy.apiEndpoint
      )
      const read = async () => (await dora.do('cmc.getPeerAccess', { id: mine.id })).peerAccess
      t.same(await read(), {
        hasEnded: false,
        permissions: [
          { streamId: 'health', level: 'read', name: 'health' },
          { streamId: 'diary', level: 'contribute', name: 'diary' }
        ]
      })
      t.same(
        (await paul.do('cmc.getPeerAccess', { id: accepted.dataGrantAccessId })).peerAccess.permissions,
        []
      )
      t.match((await dora.call('cmc.getPeerAccess', { id: dora.access.id })).error, {
        id: 'unknown-resource'
      })
    })

    t.test('grant streams of the user in place of those that the offer names, until an end', async t => {
      await paul.stream(`own-${isShared}`)
      const { capabilityUrl } = (await offer(dora, { request: { allowUserChoice: true } })).content
      const expires = accepterService.clock.now() + 3600
      const ownStreams = { health: `own-${isShared}` }
      const grantedPermissions = [{ streamId: 'health', level: 'read' }]
      const accepted = await accept(paul, capabilityUrl, { grantedPermissions, ownStreams, expires })
      const grant = (await listPeers(paul)).find(({ id }) => id === accepted.dataGrantAccessId)
      t.same(grant.permissions[0], { streamId: `own-${isShared}`, level: 'read' })
      t.notOk(JSON.stringify(grant.permissions).includes('health'))
      t.equal(grant.expires, expires)
      for (const content of [
        { expires: accepterService.clock.now() },
        { expires: 'tomorrow' },
        { ownStreams: { health: ':_system:account' } },
        { ownStreams: { health: ':_cmc:inbox' } },
        { ownStreams: ['x'] }
      ]) {
        const { error } = await write(paul, 'consent/accept-cmc', { capabilityUrl, ...content })
        t.match(error, { data: { id: 'cmc-invalid-event-content' } }, JSON.stringify(content))
      }
    })

    t.test('refuse a second acceptance of a single-use offer', async t => {
      const { capabilityUrl } = (await offer(dora)).content
      t.match(await accept(paul, capabilityUrl), { status: 'completed' })
      const before = (await listPeers(paul)).length
      const second = await accept(paul, capabilityUrl)
      t.match(second, {
        status: 'failed',
        failure: {
          reason: 'cmc-handler-delivery-rejected',
          detail: { status: 400, body: { error: { data: { id: 'cmc-capability-consumed' } } } }
        }
      })
      t.equal((await listPeers(paul)).length, before, 'nothing stays granted')
    })
  })

for (const isShared of rotate(t, [false, true]))
  t.test(`names that change, on ${isShared ? 'one service' : 'two services'}`, async t => {
    const two = await startTwo(t, {}, { isShared })
    const { dora, paul } = two
    const { accepted } = await relate(two)
    const { capabilityUrl } = (await offer(dora, { capability: { mode: 'open-link' } })).content
    await dora.do('account.changeUsername', { newUsername: 'dora-surgeon' })
    await paul.do('account.changeUsername', { newUsername: 'paul-walker' })
    const later = await accept(paul, capabilityUrl)
    t.match(later, {
      status: 'completed',
      from: { username: 'dora-surgeon' },
      acceptedBy: { apiEndpoint: /\/paul-walker\/$/ }
    })
    const [latest] = await listEvents(dora, ':_cmc:inbox', 'consent/accept-cmc')
    t.match(latest.content.from, { username: 'paul-walker' })
    // The relationship from before the change goes on.
    const stream = `${scope}:chats:${two.doraSlug}`
    const { event } = await write(paul, 'message/chat-cmc', { content: 'still me' }, stream)
    t.match(await settled(paul, event.id), { status: 'completed' }, accepted.dataGrantAccessId)
  })

t.test('apps with an alias do not take part: peers would have to learn the name', async t => {
  const { dora, requesterService } = await startTwo(t, {}, { isShared: true })
  await dora.call('streams.create', { id: scope, name: 'Clinic', parentId: ':_cmc:apps' })
  const { access } = await dora.grant('manage', scope, { type: 'app', randomAlias: true })
  const holder = new Client(requesterService, access.alias!, access)
  for (const [type, content] of [
    ['consent/request-cmc', requestContent()],
    ['consent/refuse-cmc', { capabilityUrl: 'https://abc@peer.example/dora/' }]
  ] as const)
    t.match(await write(holder, type, content), {
      error: { id: 'invalid-operation', data: { id: 'cmc-invalid-event-content' } }
    })
})

t.test('the history of a grant shows the endpoint of the peer to the user alone', async t => {
  const two = await startTwo(t, { accesses: { updates: true } }, { isShared: true })
  const { paul, requesterService } = two
  const { accepted } = await relate(two, { request: { accessType: 'app' } })
  const id = accepted.dataGrantAccessId
  await paul.do('accesses.update', { id, update: { name: 'Dora' } })
  const endpoint = /piEndpoint":"http/
  const own = await paul.do('accesses.getOne', { id, includeHistory: true })
  t.match(JSON.stringify(own.history), endpoint)
  const token = new URL(accepted.acceptedBy.apiEndpoint).username
  for (const params of [
    { id, includeHistory: true },
    { id: `${id}:1`, includeHistory: true }
  ]) {
    const { access, history } = await requesterService.call('paul-patient', 'accesses.getOne', params, token)
    t.equal(history.length, 1)
    t.notMatch(JSON.stringify([access.clientData, history]), endpoint)
  }
})
