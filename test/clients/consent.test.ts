/**
 * The calls of consent libraries, by which a doctor's app asks a patient for data, between two services over HTTP.
 * (docs/spec/consent.md)
 */
import t from 'tap'
import pryv, { type Connection } from 'pryv'
import { apiEndpoint } from '../../core/service-info.js'
import type { Answer, Client } from '../support/coffer.js'
import { until } from '../support/socket.js'
import { startTwo } from '../support/two-servers.js'

const app = ':_cmc:apps:clinic'
const scope = `${app}:study-1`
const inbox = ':_cmc:inbox'
const formSpec = { version: 1, sections: [{ key: 'weight', itemKeys: ['body-weight'] }] }
const asked = [{ streamId: 'health', level: 'read', defaultName: 'Health' }]

/** Connects as libraries do, with an access of the client. */
function connect({ service, username }: Client, token: string): Connection {
  return new pryv.Connection(apiEndpoint(service.server.dispatcher.services.config, username, token))
}

async function write(
  connection: Connection,
  streamId: string,
  type: string,
  content: object
): Promise<Answer> {
  const params = { streamIds: [streamId], type, content }
  return await connection.apiOne('events.create', params, 'event')
}

async function list(connection: Connection, streamId: string, type: string): Promise<Answer[]> {
  const params = { streams: [streamId], types: [type], limit: 100 }
  return (await connection.apiOne('events.get', params, 'events')) as Answer[]
}

/** Polls for the latest event of a type, as libraries do. */
async function arrival(connection: Connection, streamId: string, type: string): Promise<Answer> {
  let found: Answer
  await until(async () => (found = (await list(connection, streamId, type))[0]) !== undefined, type)
  return found
}

/** Polls a trigger until it has ended. Returns its content. */
async function end(connection: Connection, { id }: Answer): Promise<Answer> {
  let content: Answer
  await until(async () => {
    content = ((await connection.apiOne('events.getOne', { id }, 'event')) as Answer).content
    return content.status === 'completed' || content.status === 'failed'
  }, 'the end of the trigger')
  return content
}

/** What the person asked knows of the relationship, read from the accesses. */
async function findContact(connection: Connection): Promise<Answer> {
  const accesses = (await connection.apiOne('accesses.get', {}, 'accesses')) as Answer[]
  return accesses.find(each => each.clientData?.cmc?.role === 'counterparty')
}

t.test('the calls of consent libraries', async t => {
  const { dora, doraSlug, paul, paulSlug } = await startTwo(t, { accesses: { updates: true } })
  const patient = connect(paul, paul.token)
  const session = connect(dora, dora.token)
  const { access } = await dora.do('accesses.create', {
    type: 'app',
    name: 'clinic',
    permissions: [
      { streamId: app, level: 'manage' },
      { streamId: inbox, level: 'read' }
    ]
  })
  const clinic = connect(dora, access.token)
  await paul.event({ streamIds: ['health'], content: 'of the patient' })
  const chats = { ofPatient: `${scope}:chats:${doraSlug}`, ofClinic: `${scope}:chats:${paulSlug}` }
  const notices = {
    ofPatient: `${scope}:collectors:${doraSlug}`,
    ofClinic: `${scope}:collectors:${paulSlug}`
  }

  /** Publishes an offer in several languages, with a form of the app. */
  async function invite(): Promise<Answer> {
    const texts = {
      title: { en: 'Study' },
      description: { en: '' },
      consent: { en: 'I agree', fr: 'D’accord' }
    }
    return await write(clinic, scope, 'consent/request-cmc', {
      to: null,
      capabilityRequested: true,
      request: { ...texts, permissions: asked, features: { chat: true } },
      requesterMeta: { displayName: 'Dr. Dora', appId: 'clinic' },
      hdsFormSpec: formSpec
    })
  }

  await t.test('create the stream of a form each time, and expect to hear that it exists', async t => {
    const params = { id: scope, parentId: app, name: 'study-1' }
    t.match(await clinic.apiOne('streams.create', params, 'stream'), { id: scope })
    const [again] = (await clinic.api([{ method: 'streams.create', params }])) as Answer[]
    t.equal(again.error.id, 'item-already-exists')
  })

  const request = await invite()

  await t.test('read an offer by its link alone', async t => {
    const link = new pryv.Connection(request.content.capabilityUrl)
    const params = { types: ['consent/request-cmc'], limit: 1 }
    const [offer, ...more] = (await link.apiOne('events.get', params, 'events')) as Answer[]
    t.same(more, [])
    t.match(offer.content, { request: { permissions: asked }, hdsFormSpec: formSpec })
    t.match(await link.service.info(), { api: String })
    t.match(await link.accessInfo(), { user: { username: 'dora-doctor' } })
  })

  const accept = await write(patient, app, 'consent/accept-cmc', {
    capabilityUrl: request.content.capabilityUrl,
    features: { chat: true, systemMessaging: true },
    extra: { chat: true },
    accessName: 'Study'
  })
  const accepted = await end(patient, accept)
  const arrived = await arrival(clinic, inbox, 'consent/accept-cmc')
  const grant = new pryv.Connection(arrived.content.grantedAccess.apiEndpoint)

  await t.test('read data by the endpoint in the inbox', async t => {
    t.match(accepted, { status: 'completed', appCode: 'clinic', dataGrantAccessId: String })
    t.match(arrived.content, { from: { username: 'paul-patient' }, requesterAppCode: 'clinic' })
    const [note] = (await grant.apiOne('events.get', { types: ['note/txt'] }, 'events')) as Answer[]
    t.equal(note.content, 'of the patient')
    const { content } = (await list(clinic, app, 'consent/request-cmc'))[0]
    t.match(content, { status: 'completed', acceptedBy: { username: 'paul-patient' }, acceptedAt: Number })
  })

  await t.test('keep the form with the acceptance', async t => {
    const update = { content: { ...accepted, hdsFormSpec: formSpec } }
    await patient.apiOne('events.update', { id: accept.id, update }, 'event')
    const [kept] = await list(patient, ':_cmc:apps', 'consent/accept-cmc')
    t.match(kept.content, { status: 'completed', hdsFormSpec: formSpec, from: { username: 'dora-doctor' } })
    t.equal(kept.content.dataGrantAccessId, accepted.dataGrantAccessId)
  })

  await t.test('find the contact, and its chat, in the accesses', async t => {
    const contact = await findContact(patient)
    t.match(contact, { id: accepted.dataGrantAccessId, name: 'Study' })
    t.match(contact.clientData.cmc, {
      appCode: 'clinic',
      features: { chat: true },
      counterparty: { apiEndpoint: String, remoteChatStreamId: chats.ofClinic, username: 'dora-doctor' }
    })
    t.match(
      contact.permissions.filter((each: Answer) => each.streamId.endsWith(`:chats:${doraSlug}`)),
      [{ streamId: chats.ofPatient, level: 'contribute' }]
    )
    t.equal((await findContact(session)).clientData.cmc.counterparty.username, 'paul-patient')
  })

  await t.test('exchange messages and notices', async t => {
    await write(clinic, chats.ofClinic, 'message/chat-cmc', { content: 'hello' })
    t.equal((await arrival(patient, chats.ofPatient, 'message/chat-cmc')).content.content, 'hello')
    const alert = {
      level: 'warning',
      title: { en: 'T' },
      body: { en: 'B' },
      ackRequired: true,
      ackId: 'ack-1'
    }
    await write(clinic, notices.ofClinic, 'notification/alert-cmc', alert)
    const { id } = await arrival(patient, notices.ofPatient, 'notification/alert-cmc')
    await write(patient, notices.ofPatient, 'notification/ack-cmc', { alertEventId: id, ackId: 'ack-1' })
    t.match((await arrival(clinic, notices.ofClinic, 'notification/ack-cmc')).content, { ackId: 'ack-1' })
  })

  await t.test('refuse other permissions with a reason by language', async t => {
    const newPermissions = [{ streamId: 'diary', level: 'read' }]
    const message = { en: 'More' }
    await write(clinic, notices.ofClinic, 'consent/scope-request-cmc', { newPermissions, message })
    const { id } = await arrival(patient, notices.ofPatient, 'consent/scope-request-cmc')
    const refusal = { scopeRequestEventId: id, accept: false, reason: { en: 'No' } }
    await write(patient, notices.ofPatient, 'consent/scope-update-cmc', refusal)
    const told = await arrival(clinic, notices.ofClinic, 'consent/scope-update-cmc')
    t.match(told.content, { accept: false, reason: { en: 'No' } })
  })

  await t.test('end a relationship in the session of the user, with a reason by language', async t => {
    const { backChannelAccessId: accessId, inviteEventId } = arrived.content
    t.equal(inviteEventId, request.id)
    const content = { accessId, reason: { en: 'Done' } }
    t.match(await end(clinic, await write(clinic, scope, 'consent/revoke-cmc', content)), {
      failure: { reason: 'cmc-revoke-forbidden' }
    })
    t.match(await end(session, await write(session, scope, 'consent/revoke-cmc', content)), {
      status: 'completed',
      peerNotified: true
    })
    t.match((await arrival(patient, inbox, 'consent/revoke-cmc')).content, { reason: { en: 'Done' } })
    t.equal(await findContact(patient), undefined)
    await t.rejects(grant.apiOne('events.get', {}, 'events'))
  })

  await t.test('refuse an offer, and close a link, with a reason by language', async t => {
    const { content, id } = await invite()
    const { capabilityId, capabilityUrl } = content
    const reason = { en: 'No', fr: 'Non' }
    t.match(await end(patient, await write(patient, app, 'consent/refuse-cmc', { capabilityUrl, reason })), {
      status: 'completed'
    })
    const told = await arrival(clinic, inbox, 'consent/refuse-cmc')
    t.match(told.content, { inviteEventId: id, reason })
    t.match(await write(clinic, scope, 'consent/invalidate-link-cmc', { capabilityId, reason }), {
      content: { status: 'completed' }
    })
  })
})
