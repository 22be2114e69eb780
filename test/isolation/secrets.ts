/** An account in which all hidden data contains markers, with some visible data. */
import type { Test } from 'tap'
import { Client, type Answer, type Service } from '../support/coffer.js'
import { addPasskey, givePassword } from '../support/passkeys.js'
import { receiver, type Receiver } from '../support/receiver.js'
import { noPictures, picture as drawPicture } from '../support/pictures.js'
import { until } from '../support/socket.js'
import { listPeers, relate } from '../support/two-servers.js'

/** Data that callers without permission must not see. */
export interface Secrets {
  /** Contents, names and tokens: only their owner ever sends them. */
  readonly inner: readonly string[]
  /** Ids, which a caller may have guessed: a response may only repeat those in its own call. */
  readonly ids: Readonly<Record<string, string>>
  /** Ids of visible data. */
  readonly open: Readonly<Record<string, string>>
  /** Receives the calls of the hidden webhook. */
  readonly hook: Receiver
}

const permission = (streamId: string, level: string): object => ({ streamId, level })

/** Returns a series with one point. */
function points(value: number): object {
  return { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, value]] }
}

/** Creates the data of `alice`. */
export async function plantSecrets(t: Test, service: Service, alice: Client): Promise<Secrets> {
  const inner: string[] = []
  const mark = (): string => {
    const text = `canary${String(inner.length).padStart(3, '0')}q`
    inner.push(text)
    return text
  }
  const stream = async (id: string, name: string, parentId: string | null = null): Promise<string> =>
    (
      await alice.do('streams.create', {
        id,
        name,
        parentId,
        clientData: name === id ? {} : { [mark()]: mark() }
      })
    ).stream.id
  const file = async (id: string, name: string, bytes: string): Promise<string> => {
    const form = new FormData()
    form.append('file', new Blob([bytes], { type: 'text/plain' }), name)
    return (await alice.http('POST', `/events/${id}`, form)).body.event.attachments[0].id
  }
  let count = 0
  const event = async (streamIds: string[], more: object = {}): Promise<string> => {
    const id = `chidden${String(count++).padStart(18, '0')}`
    const marked = { content: mark(), description: mark(), clientData: { [mark()]: mark() } }
    return (await alice.event({ id, streamIds, type: 'note/txt', ...marked, ...more })).id
  }

  await stream('open', 'open')
  await stream('open-child', 'open-child', 'open')
  const closed = await stream('hidden-closed', mark(), 'open')
  const hidden = await stream('hidden-stream', mark())
  const below = await stream('hidden-below', mark(), hidden)
  const binned = await stream('hidden-binned', mark())
  const gone = await stream('hidden-gone', mark())

  const openEvent = (await alice.event({ streamIds: ['open'], content: 'overt' })).id
  const openFile = await file(openEvent, 'overt.txt', 'overt bytes')
  const openHolder = (await alice.event({ streamIds: ['open'], type: 'series:mass/kg', content: null })).id
  await alice.do('hfs.add', { id: openHolder, ...points(1) })

  const note = await event([hidden])
  await alice.do('events.update', { id: note, update: { content: mark() } })
  const fileId = await file(note, `${mark()}.txt`, mark())
  const both = await event(['open', closed])
  const lower = await event([below])
  const trashed = await event([hidden])
  await alice.do('events.delete', { id: trashed })
  const deleted = await event([hidden])
  for (let n = 0; n < 2; n++) await alice.do('events.delete', { id: deleted })
  const picture = await event([hidden], { type: 'picture/attached', content: null })
  const pictureFile = await file(picture, `${mark()}.jpg`, mark())
  const holder = await event([hidden], { type: 'series:mass/kg', content: null })
  await alice.do('hfs.add', { id: holder, ...points(73_137.5) })
  inner.push('73137.5', '82284.25')
  await event([binned])
  await alice.do('streams.delete', { id: binned })
  for (let n = 0; n < 2; n++) await alice.do('streams.delete', { id: gone })

  const app = await alice.grantAll([permission(hidden, 'manage')] as never, {
    type: 'app',
    name: mark(),
    deviceName: mark(),
    token: mark(),
    clientData: { [mark()]: mark() }
  })
  const shared = await app.grantAll([permission(below, 'read')] as never, { name: mark() })
  const former = await alice.grant('read', hidden, { name: mark(), token: mark() })
  await alice.do('accesses.delete', { id: former.access.id })
  const hook = await receiver(t)
  const { webhook } = await app.do('webhooks.create', { url: `${hook.url}/${mark()}` })
  const { channel } = await app.do('channels.create', {
    type: 'ntfy',
    name: mark(),
    target: { url: `https://${mark()}.example`, topic: mark(), token: mark() }
  })
  const { form } = await app.do('forms.create', {
    streamId: hidden,
    questionnaire: {
      resourceType: 'Questionnaire',
      title: mark(),
      item: [{ linkId: 'a', type: 'string', text: mark() }]
    }
  })
  const { reminder } = await app.do('reminders.create', {
    name: mark(),
    kind: 'habit',
    schedule: { times: ['08:00'] },
    zone: 'UTC',
    streamId: hidden,
    event: { type: 'note/txt', content: mark() },
    channelIds: [channel.id]
  })
  const { rule } = await app.do('rules.create', {
    name: mark(),
    channelIds: [channel.id],
    condition: { kind: 'words', anyOf: [mark()] },
    text: mark()
  })
  await app.do('profile.updateApp', { update: { [mark()]: mark() } })
  await app.do('events.get', { streams: [hidden] })
  await alice.do('profile.updatePrivate', { update: { [mark()]: mark() } })
  const { connection } = await alice.do('connections.create', {
    dialect: 'owntracks',
    name: mark(),
    passphrase: mark()
  })
  inner.push(connection.token)
  const { followedSlice } = await alice.do('followedSlices.create', {
    name: mark(),
    url: `https://${mark()}.example/`,
    accessToken: mark()
  })
  const followed = await followPaul(service, alice, mark)
  await service.call(undefined, 'test.noteSignIns', { username: 'alice' })
  await alice.do('account.update', { update: { email: `${mark()}@example.com` } })
  await givePassword(alice)
  const { passkey } = await addPasskey(alice, { name: mark() })
  const { username } = alice
  const session: Answer = await service.call(undefined, 'test.signIn', { username, appId: mark() })
  inner.push(alice.token, session.access.token, shared.token)

  return {
    inner,
    hook,
    open: { event: openEvent, file: openFile, holder: openHolder },
    ids: {
      closed,
      hidden,
      below,
      binned,
      gone,
      note,
      fileId,
      both,
      lower,
      trashed,
      deleted,
      picture,
      pictureFile,
      holder,
      app: app.access.id,
      shared: shared.access.id,
      former: former.access.id,
      webhook: webhook.id,
      slice: followedSlice.id,
      connection: connection.id,
      channel: channel.id,
      reminder: reminder.id,
      form: form.id,
      rule: rule.id,
      session: session.access.id,
      passkey: passkey.id,
      ...followed
    }
  }
}

/** Finds the hidden event of a type in a copy. */
function find(list: readonly Answer[], type: string): Answer {
  return list.find(each => each.type === type && !JSON.stringify(each).includes('overt'))
}

/** Lets Alice keep a copy of what Paul has shared: of `health`, which one caller may see, and of `diary`. Returns ids of the copy. */
async function followPaul(
  service: Service,
  alice: Client,
  mark: () => string
): Promise<Readonly<Record<string, string>>> {
  const paul = await service.user('paul-patient')
  for (const id of ['health', 'diary']) await paul.stream(id)
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'overt copy' })
  const streamIds = ['diary']
  const secret = { content: mark(), description: mark(), clientData: { [mark()]: mark() } }
  await paul.do('events.create', { streamIds, type: 'note/txt', ...secret })
  const { event: holder } = await paul.do('events.create', { streamIds, type: 'series:mass/kg' })
  await paul.do('hfs.add', { id: holder.id, ...points(82_284.25) })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds, type: 'picture/attached' }))
  const bytes = noPictures ? mark() : new Uint8Array(await drawPicture(30, 20))
  form.append('file', new Blob([bytes], { type: 'image/png' }), `${mark()}.png`)
  form.append('file', new Blob([mark()], { type: 'text/plain' }), `${mark()}.txt`)
  await paul.http('POST', '/events', form)
  const before = new Set((await listPeers(alice)).map(({ id }) => id))
  await relate({ dora: alice, paul } as never)
  const channel = (await listPeers(alice)).find(({ id }) => !before.has(id))
  const { mirror } = await alice.do('mirrors.create', { accessId: channel.id })
  const copies = async (): Promise<Answer[]> => {
    const { error, events } = await alice.call('events.get', { streams: [mirror.streamId], state: 'all' })
    return error ? [] : events
  }
  await until(async () => {
    const list = await copies()
    const [series, image] = ['series:mass/kg', 'picture/attached'].map(type => find(list, type))
    if (list.length < 4 || image.attachments?.length !== 2) return false
    return (await alice.do('hfs.get', { id: series.id, toDeltaTime: 1e9 })).points.length === 1
  }, 'the copy')
  const list = await copies()
  const picture = find(list, 'picture/attached')
  return {
    mirror: mirror.id,
    followed: mirror.streamId,
    followedDiary: `${mirror.streamId}:diary`,
    followedNote: find(list, 'note/txt').id,
    followedHolder: find(list, 'series:mass/kg').id,
    followedPicture: picture.id,
    followedFile: picture.attachments[0].id,
    followedText: picture.attachments[1].id
  }
}
