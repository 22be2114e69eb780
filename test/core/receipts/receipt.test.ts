import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet } from 'jose'
import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { accept, listPeers, offer, startTwo } from '../../support/two-servers.js'

/** Reads a receipt, and verifies its signature with the public keys of the service. */
async function read(client: Client, id: string): Promise<Answer> {
  const { jws, receipt } = await client.do('accesses.getReceipt', { id })
  await verify(client, jws, receipt)
  return receipt
}

async function verify(client: Client, jws: string, receipt: Answer): Promise<void> {
  const { body } = await client.service.http('GET', '/oauth2/jwks/receipts')
  const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(body))
  t.match(protectedHeader, { alg: 'RS256', typ: 'consent-receipt+jwt', kid: String })
  const { iat, iss, ...signed } = JSON.parse(Buffer.from(payload).toString())
  t.same(signed, receipt)
  t.same([iss, typeof iat], [receipt.issuer, 'number'])
}

t.test('a receipt', async t => {
  const service = await openCoffer(t, { accesses: { updates: true } })
  const { alice, clock } = service
  const { url } = service.server
  for (const id of ['diary', 'work']) await alice.stream(id)
  const app = await alice.grantAll(
    [
      { streamId: 'diary', level: 'manage' },
      { streamId: 'work', level: 'read' }
    ],
    {
      type: 'app',
      name: 'an-app',
      clientData: { 'app-web-auth:description': { type: 'note/txt', content: 'To draw your diary' } }
    }
  )

  t.test('tells who, what, why and until when', async t => {
    const receipt = await read(alice, app.access.id)
    t.match(receipt, {
      type: 'ConsentRecord',
      conformsTo: 'ISO/IEC TS 27560:2023',
      id: `${url}/alice/accesses/${app.access.id}`,
      version: 0,
      issued: new Date(clock.now() * 1000).toISOString(),
      issuer: url,
      hasDataSubject: { username: 'alice', service: url },
      hasRecipient: { kind: 'app', name: 'an-app' },
      hasPersonalData: [
        {
          streamId: 'diary',
          level: 'manage',
          hasProcessing: ['Access', 'Record', 'Alter', 'Erase', 'Organise']
        },
        { streamId: 'work', level: 'read', hasProcessing: ['Access'] }
      ],
      hasConsentStatus: 'ConsentGiven',
      validUntil: null,
      withdrawal: { method: /^DELETE /, page: `${url}/app/alice/shared/${app.access.id}` },
      evidence: { auditStreamId: `:_audit:access-${app.access.id}` },
      '@context': { '@vocab': 'https://w3id.org/dpv#' }
    })
    t.equal(receipt.hasNotice, null, 'what an app says of itself is no evidence')
    t.equal(receipt.hasLegalBasis, 'Consent')
  })

  t.test('of an access that ends after the last date has no end', async t => {
    const { access } = await alice.grant('read', 'diary', { expireAfter: 1e13 })
    t.equal((await read(alice, access.id)).validUntil, null)
  })

  t.test('follows changes and the end of the access', async t => {
    const { access } = await alice.do('accesses.create', {
      name: 'a link',
      permissions: [{ streamId: 'diary', level: 'read' }],
      expireAfter: 60
    })
    await alice.do('accesses.update', { id: access.id, update: { name: 'another name' } })
    const changed = await read(alice, access.id)
    t.match(changed, {
      id: new RegExp(`/accesses/${access.id}:1$`),
      version: 1,
      hasRecipient: { kind: 'link', name: 'another name' },
      hasNotice: null,
      validUntil: new Date((clock.now() + 60) * 1000).toISOString()
    })
    t.equal((await read(alice, `${access.id}:1`)).version, 1)
    for (const id of [`${access.id}:9`, `${access.id}:0`])
      t.match((await alice.call('accesses.getReceipt', { id })).error, { id: 'unknown-resource' })
    clock.advance(61)
    t.match(await read(alice, access.id), { hasConsentStatus: 'ConsentExpired' })
  })

  t.test('is for the user, the access itself, and the app that shared it', async t => {
    t.match(await read(app, app.access.id), { hasRecipient: { name: 'an-app' } })
    const shared = await app.grant('read', 'diary', { name: 'shared by the app' })
    const other = await alice.grant('read', 'diary', { name: 'shared by alice' })
    const byApp = await read(app, shared.access.id)
    t.match(byApp, { hasRecipient: { name: 'shared by the app' } })
    t.notOk('hasLegalBasis' in byApp, 'the user has not agreed to it')
    const own = await read(shared, shared.access.id)
    t.notOk('page' in own.withdrawal)
    for (const [client, id] of [
      [app, other.access.id],
      [shared, app.access.id],
      [other, shared.access.id]
    ] as const)
      t.match((await client.call('accesses.getReceipt', { id })).error, { id: 'unknown-resource' })
    t.match((await alice.call('accesses.getReceipt', { id: alice.access.id })).error, {
      id: 'invalid-operation'
    })
  })

  t.test('has the texts that the user was shown, and the record of the agreement', async t => {
    const notice = { language: 'de', texts: ['Eine App möchte Zugriff', 'diary', 'Lesen'] }
    const allow = async (level: string, streamId: string, token?: string): Promise<Client> => {
      const permissions = [
        { streamId: 'diary', level: 'read' },
        { streamId, level }
      ]
      const requestingAppId = `app-${level}-${String(token !== undefined)}`
      const request = { requestingAppId, requestedPermissions: permissions }
      const { key } = await service.call(undefined, 'authRequest.create', request)
      const client = await alice.grantAll(permissions as never, { type: 'app', name: requestingAppId })
      const decision = { key, status: 'ACCEPTED', username: 'alice', token: client.token, notice }
      const { error } = await service.call(undefined, 'authRequest.decide', decision, token)
      t.notOk(error)
      return client
    }
    const allowed = await allow('read', 'work', alice.token)
    const receipt = await read(alice, allowed.access.id)
    const texts = { page: { de: notice.texts.join('\n') } }
    t.match(receipt.hasNotice, {
      texts,
      sha256: createHash('sha256').update(JSON.stringify(texts)).digest('hex'),
      version: 0,
      language: 'de',
      shown: { service: url, software: /^Coffer / }
    })
    t.same((await read(allowed, allowed.access.id)).hasNotice, receipt.hasNotice)
    const { auditEventId, auditStreamId } = receipt.evidence
    const { events } = await alice.do('events.get', { streams: [auditStreamId] })
    const found = events.find(({ id }: Answer) => id === auditEventId)
    t.match(found, { streamIds: [auditStreamId, ':_audit:action-accesses.consent'] })
    const unsigned = await allow('read', 'work')
    t.equal((await read(alice, unsigned.access.id)).hasNotice, null, 'only the user says what was shown')
    const limited = await allow('none', 'work', alice.token)
    t.match((await read(alice, limited.access.id)).hasNotice, { language: 'de' })
    t.equal((await read(limited, limited.access.id)).hasNotice, null, 'the texts name a hidden stream')
  })

  t.test('does not name streams that are hidden from its holder', async t => {
    await alice.do('streams.create', { id: 'secret', name: 'Therapy', parentId: 'diary' })
    const reader = await alice.grantAll([
      { streamId: 'diary', level: 'read' },
      { streamId: 'secret', level: 'none' }
    ])
    const names = async (client: Client): Promise<string[]> =>
      (await read(client, reader.access.id)).hasPersonalData.map(({ name }: Answer) => name)
    t.same(await names(reader), ['diary', 'secret'])
    t.same(await names(alice), ['diary', 'Therapy'])
  })

  t.test('does not tell the user name to the holder of an alias', async t => {
    const hidden = await alice.do('accesses.create', {
      name: 'hidden',
      permissions: [{ streamId: 'diary', level: 'read' }],
      randomAlias: true
    })
    const { alias, id, token } = hidden.access
    const { body } = await service.http('GET', `/${alias}/accesses/${id}/receipt`, undefined, {
      authorization: token
    })
    t.equal(body.receipt.hasDataSubject.username, alias)
    t.notMatch(JSON.stringify(body), 'alice')
    t.notMatch(Buffer.from(body.jws.split('.')[1], 'base64url').toString(), 'alice')
  })

  t.test('can be verified after the key has been replaced', async () => {
    const { jws, receipt } = await alice.do('accesses.getReceipt', { id: app.access.id })
    for (let times = 0; times < 3; times++) {
      clock.advance(400 * 86_400)
      await read(app, app.access.id)
    }
    await verify(app, jws, receipt)
  })
})

t.test('both sides of a relationship have the words that the user agreed to', async t => {
  const { dora, paul } = await startTwo(t)
  const texts = {
    title: { en: 'Study' },
    description: { en: 'A study' },
    consent: { de: 'Ja', en: 'I agree' }
  }
  const { content } = await offer(dora, { request: texts })
  const { acceptedBy, dataGrantAccessId: id, notice } = await accept(paul, content.capabilityUrl)
  t.same(notice, texts)
  const receipt = await read(paul, id)
  t.match(receipt, {
    hasNotice: {
      texts,
      sha256: createHash('sha256').update(JSON.stringify(texts)).digest('hex'),
      version: 0
    },
    hasRecipient: { kind: 'person', username: 'dora-doctor', host: '127.0.0.1' },
    hasPersonalData: [{ streamId: 'health' }, { streamId: 'diary' }]
  })
  t.equal(receipt.hasPersonalData.length, 2, 'without streams for messages')
  const { origin, pathname, username: token } = new URL(acceptedBy.apiEndpoint)
  const response = await fetch(`${origin}${pathname}accesses/${id}/receipt`, {
    headers: { authorization: token }
  })
  const theirs = ((await response.json()) as Answer).receipt
  t.same(theirs.hasNotice, receipt.hasNotice)
  t.equal((await listPeers(dora)).length, 1)
  await paul.do('events.create', {
    streamIds: [receiptStream(await listPeers(paul))],
    type: 'consent/scope-update-cmc',
    content: { accessId: id, newPermissions: [{ streamId: 'health', level: 'manage' }] }
  })
  const [changed] = await listPeers(paul)
  t.match(
    await read(paul, changed.id),
    { version: 1, hasNotice: { version: 0 } },
    'agreed to an earlier version'
  )
})

/** Returns the stream in which changes of a relationship are written. */
function receiptStream([peer]: readonly Answer[]): string {
  return peer.permissions.find(({ streamId }: Answer) => streamId.includes(':collectors:')).streamId
}
