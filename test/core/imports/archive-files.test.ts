/** Files of events in the export of an account, imported into another one. (docs/api/imports.md) */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { removeOrphans } from '../../../core/events/attachment-sweep.js'
import { coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, sent, takenOut, total, written, zipOf } from '../../support/importing.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(900_000)

const all = { state: 'all', limit: 1000, fromTime: 0, toTime: 4e9 }
const large = randomBytes(300_000)

async function withFiles(client: Client, id: string, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(files)) form.append('file', new Blob([bytes]), name)
  const { status } = await client.http('POST', `/events/${id}`, form)
  if (status !== 200 && status !== 201) throw new Error(`Uploading answered ${status}`)
}

async function exported({ service, token, username }: Client): Promise<Buffer> {
  const answer = await fetch(`${service.server.url}/${username}/account/export`, {
    headers: { authorization: token }
  })
  return Buffer.from(await answer.arrayBuffer())
}

/** Creates an account with two events that have files, its archive, and another account. */
async function two(t: Test): Promise<{ alice: Client; bob: Client; zip: Buffer }> {
  const service = await openCoffer(t)
  const { alice } = service
  await alice.stream('diary')
  const note = await alice.event({ content: 'with files', time: 1.6e9 })
  await withFiles(alice, note.id, { 'a photo.jpg': large, 'empty.txt': Buffer.alloc(0) })
  const trashed = await alice.event({ content: 'thrown away', time: 1.6e9 })
  await withFiles(alice, trashed.id, { 'gone.txt': Buffer.from('gone') })
  await alice.do('events.delete', { id: trashed.id })
  return { alice, bob: await service.user('bob'), zip: await exported(alice) }
}

async function noteOf(client: Client): Promise<Answer> {
  const { events } = await client.do('events.get', { ...all, types: ['note/txt'], state: 'default' })
  return events[0]
}

async function bytesOf(client: Client, event: Answer, { id, readToken }: Answer): Promise<Buffer> {
  const { server } = client.service
  const answer = await fetch(
    `${server.url}/${client.username}/events/${event.id}/${id}?readToken=${readToken}`
  )
  return Buffer.from(await answer.arrayBuffer())
}

/** Returns the files of an event, without what differs between accounts. */
function shown({ attachments }: Answer): unknown[] {
  return attachments
    .map(({ fileName, integrity, size, type }: Answer) => ({ fileName, integrity, size, type }))
    .toSorted((a: Answer, b: Answer) => (a.fileName < b.fileName ? -1 : 1))
}

/** Returns the ids of the files that an account has on disk. */
async function stored({ service, username }: Client): Promise<string[]> {
  const { accounts, attachments } = service.server.services
  return await attachments.list(accounts.find(username)!.id)
}

t.test('files are imported, recognised when imported again, and removed with their events', async t => {
  const { alice, bob, zip } = await two(t)
  const before = JSON.stringify(await bob.do('events.get', all))
  const look = await sent(bob, 'alice.zip', zip)
  t.equal(look.state, 'looked', look.message)
  t.equal(look.look.records.attachment, 3)
  t.equal(look.tally.broughtIn.attachment, 2)
  t.same(await stored(bob), [], 'looking keeps none')
  const first = await written(bob, look.id)
  t.equal(first.state, 'written', first.message)
  t.same(first.tally, look.tally)
  t.equal(total(first.look.records), total(first.tally.broughtIn) + total(first.tally.leftOut))
  t.equal(first.tally.leftOut['a file of nothing that is brought in'], 1)
  const [note, own] = [await noteOf(bob), await noteOf(alice)]
  t.same(shown(note), shown(own))
  const photo = note.attachments.find(({ fileName }: Answer) => fileName === 'a photo.jpg')
  t.ok((await bytesOf(bob, note, photo)).equals(large))
  t.equal((await stored(bob)).length, 2)

  // The same archive under another name is read again.
  for (const name of ['alice.zip', 'again.zip']) {
    const again = await broughtIn(bob, name, zip)
    t.same(again.tally.broughtIn, {}, name)
    t.equal(again.tally.known.attachment, 2)
  }
  t.equal((await stored(bob)).length, 2)
  await takenOut(bob, first.id)
  t.equal(JSON.stringify(await bob.do('events.get', all)), before)
  t.same(await stored(bob), [])
})

t.test('the files of unchanged events of the same account are known, deleted ones are imported', async t => {
  const { alice, zip } = await two(t)
  const look = await sent(alice, 'alice.zip', zip)
  t.match(look.tally, { broughtIn: {}, known: { 'note/txt': 1, attachment: 2 } })
  t.same(look.tally.broughtIn, {})
  t.same((await written(alice, look.id)).tally, look.tally)
  const { id, attachments } = await noteOf(alice)
  await alice.do('events.deleteAttachment', { id, fileId: attachments[0].id })
  const again = await broughtIn(alice, 'alice.zip', zip)
  t.same(again.tally.broughtIn, { 'note/txt': 1, attachment: 2 }, 'as another event')
})

t.test('a deleted file is not imported again until its import is undone', async t => {
  const { bob, zip } = await two(t)
  const first = await broughtIn(bob, 'alice.zip', zip)
  const { id, attachments } = await noteOf(bob)
  await bob.do('events.deleteAttachment', { id, fileId: attachments[0].id })
  const again = await broughtIn(bob, 'alice.zip', zip)
  t.equal(again.tally.known.attachment, 1)
  t.equal(again.tally.leftOut['of the kind that was deleted here before'], 1)
  t.equal((await noteOf(bob)).attachments.length, 1)
  await takenOut(bob, first.id)
  t.equal((await broughtIn(bob, 'alice.zip', zip)).tally.broughtIn.attachment, 2)
})

const test = inRotation(t, 2)

test('a file that is imported again while its former bytes are removed stays', async t => {
  const { bob, zip } = await two(t)
  const first = await broughtIn(bob, 'alice.zip', zip)
  const ids = await stored(bob)
  await takenOut(bob, first.id)
  const { services } = bob.service.server
  const account = services.accounts.find('bob')!
  const store = services.accounts.openStore(account)
  const { id } = await sent(bob, 'alice.zip', zip)
  const put = services.attachments.put.bind(services.attachments)
  services.attachments.put = async (...args) => {
    await put(...args)
    // As a call does whose removal of the former file has failed, or is still going on.
    await store.write(() => store.attachments.addOrphan(args[1]))
    await removeOrphans(services, account)
  }
  await written(bob, id)
  t.same((await stored(bob)).toSorted(), ids.toSorted())
  const note = await noteOf(bob)
  const photo = note.attachments.find(({ fileName }: Answer) => fileName === 'a photo.jpg')
  t.ok((await bytesOf(bob, note, photo)).equals(large))
  t.notOk(store.attachments.hasOrphans)
})

test('a file of a trashed event is skipped', async t => {
  const { bob, zip } = await two(t)
  const first = await broughtIn(bob, 'alice.zip', zip)
  const { id, attachments } = await noteOf(bob)
  for (const file of attachments) await bob.do('events.deleteAttachment', { id, fileId: file.id })
  t.equal(first.tally.broughtIn.attachment, 2)
  await bob.do('events.delete', { id })
  await bob.do('events.delete', { id })
  const gone = await broughtIn(bob, 'alice.zip', zip)
  t.match(gone.tally, { broughtIn: {}, leftOut: { 'of the kind that was deleted here before': 3 } })
})

t.test('imported files respect size limits and count against the quota', async t => {
  const event = {
    id: 'a',
    streamIds: ['diary'],
    type: 'note/txt',
    time: 1.6e9,
    content: 'with files',
    attachments: ['small', 'large'].map(id => ({ id, fileName: `${id}.txt`, type: 'text/plain' }))
  }
  const zip = await zipOf({
    'account.json': '{"format":"coffer-account"}',
    'tables/stream.jsonl': '{"id":"diary","body":{"name":"Diary"}}\n',
    'tables/event.jsonl': `${JSON.stringify({ number: 1, trashed: 0, body: event })}\n`,
    'attachments/small': 'small',
    'attachments/large': Buffer.alloc(300_000),
    'attachments/other': 'of no event'
  })
  const narrow = await coffer(t, { uploads: { maxFileBytes: 200_000 } })
  const found = await broughtIn(narrow.alice, 'alice.zip', zip)
  t.equal(found.tally.leftOut['a file that is larger than files may be here'], 1)
  t.equal(found.tally.leftOut['a file of nothing that is brought in'], 1)
  t.equal(found.tally.broughtIn.attachment, 1)
  const few = await coffer(t, { uploads: { maxFilesPerEvent: 1 } })
  const one = await broughtIn(few.alice, 'alice.zip', zip)
  t.equal(one.tally.leftOut['a file of an event that has as many as it may'], 1)
  t.equal(one.tally.broughtIn.attachment, 1)
  const { alice } = await openCoffer(t, { quota: { bytes: 200_000 } })
  const failed = await broughtIn(alice, 'alice.zip', zip)
  t.match(failed, { state: 'failed', message: /200000 bytes/ })
  t.notOk((await noteOf(alice)).attachments?.some(({ fileName }: Answer) => fileName === 'large.txt'))
  await takenOut(alice, failed.id)
  t.same((await alice.do('events.get', { ...all, types: ['note/txt'] })).events, [])
  t.same(await stored(alice), [])
})

test('undoing an import removes its file from an event of another import', async t => {
  const { bob, zip } = await two(t)
  const { accounts } = bob.service.server.services
  const first = await broughtIn(bob, 'alice.zip', zip)
  const note = await noteOf(bob)
  const [file] = note.attachments
  await bob.do('events.deleteAttachment', { id: note.id, fileId: file.id })
  // As if the first import had not known files.
  const store = accounts.openStore(accounts.find('bob')!)
  await store.write(() => store.imports.removeEvent(file.id))
  const second = await broughtIn(bob, 'alice.zip', zip)
  t.same(second.tally.broughtIn, { attachment: 1 })
  t.equal((await noteOf(bob)).attachments.length, 2)
  await takenOut(bob, second.id)
  t.same(
    (await noteOf(bob)).attachments.map(({ id }: Answer) => id),
    note.attachments.slice(1).map(({ id }: Answer) => id)
  )
  await takenOut(bob, first.id)
  t.same(await stored(bob), [])
})
