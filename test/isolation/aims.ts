/** The calls that a curious caller makes of each method. The test fails for a method without an entry. */
import type { Secrets } from './secrets.js'

const everything = { fromTime: -1e300, toTime: 1e300, state: 'all', limit: 10_000 }

/** Params by method: for hidden data, for visible data that can be changed harmlessly, and for lists. */
export function aimsAt({ ids, open }: Secrets): Record<string, readonly object[]> {
  const { both, closed, hidden, holder, note } = ids
  const copies = [ids.followedDiary!, ids.followed!]
  const streams = [...copies, closed, hidden, ids.below!, ids.binned!, ids.gone!]
  const [copiedHolder, copiedPicture] = [{ id: ids.followedHolder }, { id: ids.followedPicture }]
  const events = [
    ...[note, both, ids.lower, ids.trashed, ids.deleted, ids.picture, holder].map(id => ({ id })),
    { id: ids.followedNote },
    copiedHolder,
    copiedPicture
  ]
  const accesses = [ids.app, ids.shared, ids.former, ids.session].map(id => ({ id }))
  const permissions = [{ streamId: hidden, level: 'read' }]
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
  const webhook = { id: ids.webhook }
  const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
  const attestation = { ...credential, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } }
  const signature = {
    ...credential,
    response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' }
  }
  const account = { username: 'alice', password: 'a guess at it', appId: 'some-app' }
  return {
    'accesses.checkApp': [{ requestingAppId: 'some-app', requestedPermissions: permissions }],
    'accesses.create': [
      { name: 'x', permissions },
      { name: 'x', permissions: [{ streamId: '*', level: 'read' }] },
      { name: 'x', permissions: [{ streamId: closed, level: 'read' }] },
      { name: 'x', type: 'app', permissions: [] },
      { name: 'x', permissions: [{ streamId: `:_audit:access-${ids.app}`, level: 'read' }] },
      { name: 'x', permissions: [{ streamId: ':_system:email', level: 'read' }] },
      ...copies.map(streamId => ({ name: 'x', permissions: [{ streamId, level: 'read' }] }))
    ],
    'accesses.delete': accesses,
    'accesses.get': [{}, { includeExpired: true, includeDeletions: true }],
    'accesses.getReceipt': accesses.map(({ id }) => ({ id })),
    'accesses.getOne': accesses.flatMap(({ id }) => [{ id, includeHistory: true }, { id: `${id}:1` }]),
    'accesses.update': accesses.flatMap(({ id }) => [
      { id, update: { name: 'x' } },
      { id, update: { permissions: [{ streamId: '*', level: 'read' }] } }
    ]),
    'account.changeUsername': [{ newUsername: 'somebody-else' }],
    'account.getUsernameChanges': [{}],
    'account.changePassword': [{ oldPassword: 'a guess', newPassword: 'another guess' }],
    'account.confirmEmail': [{ token: 'a guess' }],
    'account.export': [{}],
    'account.get': [{}],
    'account.getEmail': [{}],
    'account.getNotices': [{}],
    'account.keep': [{}],
    'account.resumeDeliveries': [{}],
    'account.requestEmailConfirmation': [{}],
    'account.requestPasswordReset': [{ appId: 'some-app' }],
    'account.resetPassword': [{ appId: 'some-app', resetToken: 'a guess', newPassword: 'another guess' }],
    'account.update': [{ update: { language: 'de' } }],
    'account.verifyEmail': [{ appId: 'some-app', token: 'a guess' }],
    'account.updateNotices': [{ update: { isOn: false } }],
    'admin.createInvitations': [{ count: 1 }],
    'admin.getInvitations': [{}],
    'admin.getServerUsers': [{ server: 'localhost' }],
    'admin.getServers': [{}],
    'admin.getUser': [{ username: 'alice' }],
    'admin.getUsers': [{}],
    'audit.get': [{}, { accessId: ids.app }, { accessId: ids.former }, { fromTime: 0, toTime: 1e10 }],
    'auth.emailCheck': [{ email: 'alice@example.com' }],
    'auth.emailCheckPost': [{ email: 'alice@example.com' }],
    'auth.login': [account],
    'auth.loginByIdentity': [{ ticket: 'a guess', secret: 'a guess', appId: 'some-app' }],
    'auth.logout': [],
    'auth.lookUpIdentity': [{ ticket: 'a guess', secret: 'a guess' }],
    'auth.passkeyChallenge': [{ appId: 'some-app' }],
    'auth.passkeyLogin': [{ appId: 'some-app', credential: signature }],
    'auth.register': [{ ...account, email: 'other@example.com' }],
    'auth.registerOlder': [{ ...account, email: 'other@example.com' }],
    'auth.usernameCheck': [{ username: 'alice' }],
    'auth.usernameCheckPost': [{ username: 'alice' }],
    'authRequest.create': [{ requestingAppId: 'some-app', requestedPermissions: permissions }],
    'authRequest.decide': [{ key: 'a-guess', status: 'ACCEPTED', username: 'alice', token: 'a guess' }],
    'authRequest.poll': [{ key: 'a-guess' }],
    callBatch: [
      [
        { method: 'events.getOne', params: { id: note } },
        { method: 'events.get', params: everything }
      ]
    ],
    'channels.create': [
      { type: 'event', name: 'x', target: { streamId: hidden } },
      { type: 'event', name: 'x', target: { streamId: closed } },
      { type: 'person', name: 'x', target: { accessId: ids.app } },
      { type: 'mail', name: 'x', target: { address: 'a@example.com' } }
    ],
    'channels.delete': [{ id: ids.channel }],
    'channels.get': [{}],
    'channels.getOne': [{ id: ids.channel }],
    'channels.test': [{ id: ids.channel }],
    'channels.update': [{ id: ids.channel, update: { name: 'x' } }],
    'connections.create': [
      { dialect: 'owntracks', name: 'x' },
      { dialect: 'owntracks', name: 'x', parentId: hidden },
      { dialect: 'owntracks', name: 'x', parentId: closed }
    ],
    'connections.delete': [{ id: ids.connection }],
    'connections.get': [{}],
    'connections.getOne': [{ id: ids.connection }],
    'connections.preview': [{ id: ids.connection, mapping: { value: '', type: 'note/txt' } }],
    'connections.update': [{ id: ids.connection, update: { name: 'x' } }],
    'events.addAttachment': events,
    'events.create': [
      ...streams.map(id => ({ streamIds: [id], type: 'note/txt', content: 'x' })),
      { streamIds: ['open', hidden], type: 'note/txt', content: 'x' },
      { streamIds: [':_system:email'], type: 'email/string', content: 'x@example.com' },
      { id: note, streamIds: ['open'], type: 'note/txt', content: 'x' },
      { id: ids.deleted, streamIds: ['open'], type: 'note/txt', content: 'x' }
    ],
    'events.delete': [...events],
    'events.deleteAttachment': [
      { id: note, fileId: ids.fileId },
      { ...copiedPicture, fileId: ids.followedFile },
      { id: open.event, fileId: ids.fileId }
    ],
    'events.get': [
      {},
      everything,
      { ...everything, modifiedSince: 0, includeDeletions: true },
      { ...everything, sortAscending: true, running: true },
      { ...everything, types: ['note/txt', 'picture/attached', 'series:mass/kg'] },
      ...streams.map(id => ({ ...everything, streams: [id] })),
      ...streams.map(id => ({ ...everything, streams: ['open', id] })),
      { ...everything, streams: { any: ['*'], not: ['open'] } },
      { ...everything, streams: { any: [...copies, '*'] } },
      { ...everything, text: 'canary' },
      ...copies.map(id => ({ ...everything, text: 'canary*', streams: [id] })),
      { ...everything, streams: { any: ['open'], all: [closed] } },
      { ...everything, streams: { any: ['open'], not: [closed] } },
      { ...everything, streams: [{ any: ['open'] }, { any: [hidden] }] },
      { ...everything, streams: [':_system:account'] },
      { ...everything, streams: [':_system:email'] },
      { ...everything, streams: [':_audit:'] },
      { ...everything, streams: [`:_audit:access-${ids.app}`] },
      { ...everything, streams: [':_audit:action-events-get'] },
      { ...everything, content: [{ path: '$', exists: true }] },
      { ...everything, clientData: [{ path: '$', exists: true }] }
    ],
    'events.getAttachment': [
      { id: note, fileId: ids.fileId },
      { id: open.event, fileId: ids.fileId },
      { id: ids.picture, fileId: ids.pictureFile },
      { ...copiedPicture, fileId: ids.followedFile },
      { ...copiedPicture, fileId: ids.followedText },
      { id: open.event, fileId: ids.followedText },
      { id: open.event, fileId: open.file }
    ],
    'events.getOne': [
      ...events.flatMap(({ id }) => [{ id }, { id, includeHistory: true }]),
      { id: open.event }
    ],
    'events.export': ['csv', 'csv-wide', 'json', 'ndjson', 'gpx', 'fhir', 'fhir-ndjson'].flatMap(format => {
      const params = { format, fromTime: -1e300, toTime: 1e300, state: 'all' }
      const withPoints = ['csv', 'ndjson', 'gpx', 'fhir', 'fhir-ndjson'].includes(format)
        ? [true, false]
        : [false]
      return [
        params,
        ...withPoints.map(series => ({ ...params, series })),
        ...streams.map(id => ({ ...params, streams: [id] })),
        { ...params, streams: [':_audit:'] }
      ]
    }),
    'events.sample': [undefined, ['open'], ...streams.map(id => [id]), [':_system:account']].flatMap(
      asked => {
        const params = { fromTime: -1e300, toTime: 1e300, parts: 4000, ...(asked && { streams: asked }) }
        return [params, { ...params, state: 'all' }, { ...params, field: 'value' }]
      }
    ),
    'events.update': [
      ...events.map(({ id }) => ({ id, update: { description: 'x' } })),
      { id: open.event, update: { streamIds: [hidden] } },
      ...copies.map(id => ({ id: open.event, update: { streamIds: ['open', id] } })),
      { id: open.event, update: { streamIds: ['open', closed] } }
    ],
    'followedSlices.create': [{ name: 'x', url: 'https://x.example/', accessToken: 'x' }],
    'followedSlices.delete': [{ id: ids.slice }],
    'followedSlices.get': [{}],
    'followedSlices.update': [{ id: ids.slice, update: { name: 'x' } }],
    'identities.begin': [{}],
    'identities.create': [{ ticket: 'a guess', secret: 'a guess' }],
    'identities.delete': [{ id: 'a-guess' }],
    'identities.get': [{}],
    'imports.cancel': [{ id: 'a guess' }],
    'imports.create': [{}, { parentId: hidden }],
    'imports.delete': [{ id: 'a guess' }],
    'imports.get': [{}],
    'imports.getOne': [{ id: 'a guess' }],
    'imports.look': [{ id: 'a guess' }, { id: 'a guess', parentId: hidden }],
    'imports.run': [
      { id: 'a guess' },
      { id: 'a guess', parentId: hidden },
      { id: 'a guess', lanes: { lane: { streamId: hidden } } }
    ],
    getAccessInfo: [{}],
    'letter.get': [{}],
    'letter.unsubscribe': [{ token: 'a guess' }],
    'letter.update': [{ update: { isOn: true, showsValues: true } }],
    'measures.around': [
      { measure: 'weight', eventId: note },
      { measure: 'weight', eventId: ids.followedNote },
      ...streams.map(id => ({ measure: 'note', streamId: id, type: 'note/txt' }))
    ],
    'measures.compare': [undefined, ...streams.map(id => [id])].map(asked => ({
      measure: 'note',
      other: 'weight',
      from: '2023-11-01',
      to: '2023-12-31',
      ...(asked && { streams: asked })
    })),
    'measures.days': ['note', 'weight'].flatMap(measure =>
      [undefined, ...streams.map(id => [id])].map(asked => ({
        measure,
        from: '2023-11-01',
        to: '2023-12-31',
        ...(asked && { streams: asked })
      }))
    ),
    'measures.facts': [
      {},
      { createdSince: 0 },
      ...streams.map(id => ({ streams: [id] })),
      { streams: { any: ['open'], not: [closed] } },
      { streams: [':_system:account'] },
      { streams: [':_audit:'] }
    ],
    'measures.get': [{}],
    'measures.sample': ['note', 'weight'].flatMap(measure =>
      [undefined, ...streams.map(id => [id]), [':_system:account']].flatMap(asked => {
        const params = {
          measure,
          fromTime: -1e300,
          toTime: 1e300,
          parts: 100,
          ...(asked && { streams: asked })
        }
        return [params, { ...params, merge: 'each' }, { ...params, last: true }]
      })
    ),
    'measures.week': [{}, ...['2023-11-15', '2023-11-19'].map(to => ({ to }))],
    'mirrors.create': [{ accessId: ids.app }, { accessId: ids.shared }],
    'mirrors.delete': [{ id: note }, { id: ids.mirror }],
    'mirrors.get': [{}],
    'mirrors.getOne': [{ id: note }, { id: ids.mirror }],
    'mirrors.notify': [
      { id: note, key: 'k'.repeat(32) },
      { id: ids.mirror, key: 'k'.repeat(32) }
    ],
    'mirrors.report': [{ number: 1, state: 'live', reads: [] }],
    'mirrors.reportErasure': [{ number: 1, state: 'erased', reads: [] }],
    'mfa.activate': [{ method: 'totp' }],
    'mfa.challenge': [{}],
    'mfa.confirm': [{ code: '000000' }],
    'mfa.deactivate': [{}],
    'mfa.recover': [{ ...account, recoveryCode: 'a guess' }],
    'mfa.verify': [{ code: '000000' }],
    'previews.cleanUpCache': [{}],
    'previews.get': [{ id: ids.picture }, { id: note }, copiedPicture],
    'passkeys.challenge': [{ purpose: 'prove' }, { purpose: 'add', password: 'a guess' }],
    'passkeys.create': [{ credential: attestation }],
    'passkeys.delete': [{ id: ids.passkey }],
    'passkeys.get': [{}],
    'passkeys.update': [{ id: ids.passkey, update: { name: 'x' } }],
    'profile.get': [{ id: 'private' }, { id: 'public' }, { id: 'app' }],
    'profile.getApp': [{}],
    'profile.getPrivate': [{}],
    'profile.getPublic': [{}],
    'profile.update': [{ id: 'private', update: { a: 1 } }],
    'profile.updateApp': [{ update: { a: 1 } }],
    'profile.updatePrivate': [{ update: { a: 1 } }],
    'profile.updatePublic': [{ update: { a: 1 } }],
    'registration.app': [{ appid: 'some-app' }],
    'registration.apps': [{}],
    'registration.cores': [{ username: 'alice' }],
    'registration.hostings': [{}],
    'registration.invitationTokenCheck': [{ invitationtoken: 'a guess' }],
    'registration.server': [{ username: 'alice' }],
    'registration.uid': [{ email: 'alice@example.com' }],
    'registration.username': [{ email: 'alice@example.com' }],
    'hfs.add': [holder, copiedHolder.id].map(id => ({ id, ...points })),
    'hfs.addBatch': [holder, copiedHolder.id].map(eventId => ({
      format: 'seriesBatch',
      data: [{ eventId, data: points }]
    })),
    'hfs.deletePoints': [{ id: holder }, copiedHolder],
    'hfs.get': [
      { id: holder },
      { id: open.holder },
      copiedHolder,
      { ...copiedHolder, sample: 10, summary: true }
    ],
    'forms.answer': [{ id: ids.form, response: { resourceType: 'QuestionnaireResponse', item: [] } }],
    'forms.create': [hidden, closed].map(streamId => ({ template: 'phq-9', streamId })),
    'forms.delete': [{ id: ids.form }],
    'forms.get': [{}],
    'forms.getOne': [{ id: ids.form }],
    'forms.update': [{ id: ids.form, update: { streamId: 'open' } }],
    'reminders.answer': [{ id: ids.reminder, due: 1, answer: 'done' }],
    'reminders.create': [hidden, closed].map(streamId => ({
      name: 'x',
      kind: 'habit',
      schedule: { times: ['08:00'] },
      zone: 'UTC',
      streamId,
      event: { type: 'note/txt', content: 'x' },
      channelIds: [ids.channel]
    })),
    'reminders.days': [{ id: ids.reminder, from: '2026-01-01', to: '2026-12-31' }],
    'reminders.delete': [{ id: ids.reminder }],
    'reminders.get': [{}],
    'reminders.getOne': [{ id: ids.reminder }],
    'reminders.update': [{ id: ids.reminder, update: { name: 'x', channelIds: [ids.channel] } }],
    'rules.acknowledge': [{ id: ids.rule }],
    'rules.create': [
      { name: 'x', channelIds: [ids.channel], condition: { kind: 'looked', accessId: ids.app } },
      { name: 'x', channelIds: [], condition: { kind: 'missing', streamId: hidden, for: 3600 } },
      { name: 'x', channelIds: [], condition: { kind: 'words', anyOf: ['a'], streamIds: [closed] } },
      {
        name: 'x',
        channelIds: [],
        condition: { kind: 'above', measure: 'weight', value: 1, streamIds: [hidden, closed] }
      }
    ],
    'rules.delete': [{ id: ids.rule }],
    'rules.get': [{}],
    'rules.getOne': [{ id: ids.rule }],
    'rules.test': [
      { id: ids.rule, from: 0, to: 1e7 },
      {
        rule: { name: 'x', channelIds: [], condition: { kind: 'missing', streamId: hidden, for: 3600 } },
        from: 0,
        to: 1e7
      },
      {
        rule: {
          name: 'x',
          channelIds: [],
          condition: { kind: 'missing', measure: 'weight', streamIds: [hidden], for: 60 }
        },
        from: 0,
        to: 1e7
      }
    ],
    'rules.update': [{ id: ids.rule, update: { name: 'x' } }],
    'service.info': [{}],
    'sessions.delete': [{ id: ids.session }],
    'sessions.deleteAll': [{}],
    'sessions.get': [{}],
    'cmc.getPeerAccess': [{ id: note }],
    'cmc.readOffer': [{ capabilityUrl: 'https://token@coffer.example/daisy/' }],
    'sharedSecrets.create': [
      { ttl: 60, title: 'x', onConsumed: { message: 'x' }, secret: 'a secret of the caller itself' }
    ],
    'sharedSecrets.getOne': [{ key: `${note}.${'x'.repeat(43)}` }],
    'sharedSecrets.retrieve': [{ key: `${note}.${'x'.repeat(43)}` }],
    'streams.create': [
      ...streams.map(parentId => ({ name: 'x', parentId })),
      // The id of a deleted stream can be reused.
      ...streams.slice(0, -1).map(id => ({ id, name: id, parentId: 'open' })),
      { name: 'x', parentId: ':_system:account' }
    ],
    'streams.delete': streams.flatMap(id => [{ id }, { id, mergeEventsWithParent: true }]),
    'streams.facts': [
      {},
      ...streams.map(id => ({ streams: [id] })),
      { streams: { any: ['open'], not: [closed] } },
      { streams: [':_system:account'] },
      { streams: [':_audit:'] }
    ],
    'oauth.acceptOffer': [{ state: 'a guess' }],
    'oauth.readOffer': [{ state: 'a guess' }],
    'oauth.authorize': [{ client_id: 'some-app', redirect_uri: 'https://x.example/' }],
    'oauth.getKeys': [{}],
    'oauth.getUserInfo': [{}],
    'oauth.introspect': [{ client_id: 'some-app', token: 'a guess' }],
    'oauth.register': [{ redirect_uris: ['https://x.example/'] }],
    'oauth.revoke': [{ client_id: 'some-app', token: 'a guess' }],
    'oauth.token': [{ client_id: 'some-app', grant_type: 'authorization_code', code: 'a guess' }],
    'streams.get': [
      {},
      { state: 'all' },
      { state: 'all', includeDeletionsSince: 0 },
      ...[...streams, '*', ':_system:account', ':_audit:'].map(parentId => ({ parentId, state: 'all' }))
    ],
    'streams.update': [
      ...streams.map(id => ({ id, update: { clientData: { a: 1 } } })),
      { id: 'open-child', update: { parentId: hidden } },
      { id: 'open-child', update: { parentId: closed } }
    ],
    'system.bringBackUser': [{ username: 'alice' }],
    'system.checkPlatformIntegrity': [{}],
    'system.createResetLink': [{ username: 'alice' }],
    'system.openSession': [{ username: 'alice', appId: 'my-app' }],
    'system.createUser': [{ username: 'alice', passwordHash: 'x', email: 'x@example.com' }],
    'system.deactivateMfa': [{ username: 'alice' }],
    'system.deletePasskeys': [{ username: 'alice' }],
    'oauth.getClients': [{}],
    'system.getAccess': [{ id: 'cunknown' }, { id: 'cunknown', username: 'alice' }],
    'system.getBreachScope': [{ id: 'cunknown', username: 'alice' }],
    'system.getDeeds': [{}],
    'system.getGrowth': [{}],
    'system.getOperator': [{ username: 'alice' }],
    'system.getOverview': [{}],
    'system.getSettings': [{}],
    'system.getUser': [{ username: 'alice' }],
    'system.getUserInfo': [{ username: 'alice' }],
    'system.getUsers': [{}, { search: 'alice' }],
    'system.keepUser': [{ username: 'alice' }],
    'system.limitUser': [{ username: 'alice', bytes: 1 }],
    'system.relocateUser': [{ username: 'alice', url: 'https://x.example/' }],
    'oauth.restoreClientKey': [{ client: 'gone-app', kid: 'a-key' }],
    'system.resumeUser': [{ username: 'alice' }],
    'oauth.revokeClient': [{ client: 'gone-app' }],
    'oauth.revokeClientKey': [{ client: 'gone-app', kid: 'a-key' }],
    'system.setPassword': [{ username: 'alice', passwordHash: 'x' }],
    'system.suspendUser': [{ username: 'alice' }],
    'system.unlockUser': [{ username: 'alice' }],
    'users.delete': [{ username: 'alice' }],
    'webhooks.create': [
      { url: 'http://x.example/', scopes: { a: { kind: 'events', query: { streams: [hidden] } } } }
    ],
    'webhooks.delete': [webhook],
    'webhooks.get': [{}],
    'webhooks.getOne': [webhook],
    'webhooks.test': [webhook],
    'webhooks.update': [{ ...webhook, update: { state: 'inactive' } }]
  }
}
