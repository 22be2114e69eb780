import t from 'tap'
import { accept, arrived, listPeers, offer, relate, scope, startTwo } from '../../support/two-servers.js'

for (const isShared of [false, true])
  t.test(isShared ? 'two accounts on one service' : 'two services', async t => {
    const two = await startTwo(t, {}, { isShared })
    const { dora, doraSlug, paul, paulSlug } = two

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
