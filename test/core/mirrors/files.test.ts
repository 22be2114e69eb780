/** The files of events in copies. */
import t from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { noPictures, picture } from '../../support/pictures.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { contact, follow, root, startWorld, type World } from './world.js'

t.setTimeout(180_000)

async function createWithFiles(
  client: Client,
  files: Readonly<Record<string, string | Buffer>>,
  type = 'note/txt'
) {
  const form = new FormData()
  const content = type === 'note/txt' ? { content: 'with files' } : {}
  form.append('event', JSON.stringify({ streamIds: ['health'], type, ...content }))
  for (const [name, bytes] of Object.entries(files))
    form.append(
      name,
      new Blob([Buffer.from(bytes)], { type: name.endsWith('.png') ? 'image/png' : 'text/plain' }),
      name
    )
  const { body, status } = await client.http('POST', '/events', form)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.event
}

/** Finds the copy of an event. */
async function findCopy({ dora }: World, id: string): Promise<Answer> {
  const { events } = await dora.do('events.get', { streams: [root], state: 'all', limit: 100 })
  return events.find((each: Answer) => each.clientData['coffer:followed'].id === id)
}

/** Waits until the copy of an event has so many files; returns it. */
async function withFiles(world: World, id: string, count: number): Promise<Answer> {
  let copy: Answer
  await until(async () => {
    copy = await findCopy(world, id)
    return copy !== undefined && (copy.attachments ?? []).length === count
  }, `${count} files`)
  return copy
}

async function read({ access, service, username }: Client, event: Answer, name: string): Promise<string> {
  const file = event.attachments.find(({ fileName }: Answer) => fileName === name)
  const url = `${service.server.url}/${username}/events/${event.id}/${file.id}`
  const answer = await fetch(url, { headers: { authorization: access.token } })
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  return await answer.text()
}

for (const isShared of rotate(t, [false, true]))
  t.test(`files ${isShared ? 'of another account here' : 'of another server'}`, async t => {
    const world = await startWorld(t, {}, { isShared })
    const { dora, paul } = world
    const long = 'long '.repeat(200_000)
    const first = await createWithFiles(paul, { 'a.txt': 'one', 'b.txt': long, 'empty.txt': '' })
    const mirror = await follow(world)

    t.test('are copied', async t => {
      const copy = await withFiles(world, first.id, 3)
      t.equal(await read(dora, copy, 'a.txt'), 'one')
      t.equal(await read(dora, copy, 'b.txt'), long)
      t.equal(await read(dora, copy, 'empty.txt'), '')
      t.match(copy.attachments[0], { fileName: 'a.txt', size: 3, type: 'text/plain' })
      t.equal(copy.attachments[0].integrity, first.attachments[0].integrity)
      t.not(copy.attachments[0].id, first.attachments[0].id)
      t.match(copy.clientData['coffer:followed'].files[0], {
        id: first.attachments[0].id,
        copy: copy.attachments[0].id
      })
    })

    t.test('follow what changes', async t => {
      const form = new FormData()
      form.append('c', new Blob(['three'], { type: 'text/plain' }), 'c.txt')
      await paul.http('POST', `/events/${first.id}`, form)
      await contact(world, mirror)
      const copy = await withFiles(world, first.id, 4)
      t.equal(await read(dora, copy, 'c.txt'), 'three')
      t.equal(await read(dora, copy, 'a.txt'), 'one')
      await paul.do('events.deleteAttachment', { id: first.id, fileId: first.attachments[0].id })
      await paul.do('events.update', { id: first.id, update: { content: 'changed' } })
      await contact(world, mirror)
      const less = await withFiles(world, first.id, 3)
      t.equal(less.content, 'changed')
      t.same(less.attachments.map(({ fileName }: Answer) => fileName).toSorted(), [
        'b.txt',
        'c.txt',
        'empty.txt'
      ])
      t.equal(await read(dora, less, 'b.txt'), long)
      await t.rejects(read(dora, copy, 'a.txt'), /status 404/)
    })

    t.test('pictures have previews', { skip: noPictures }, async t => {
      const event = await createWithFiles(paul, { 'x.png': await picture(30, 20) }, 'picture/attached')
      await contact(world, mirror)
      const copy = await withFiles(world, event.id, 1)
      const url = `${dora.service.server.url}/${dora.username}/previews/events/${copy.id}`
      const answer = await fetch(url, { headers: { authorization: dora.access.token } })
      t.equal(answer.status, 200)
      t.match(answer.headers.get('content-type'), /^image\//)
    })

    t.test('nobody changes them', async t => {
      const copy = await findCopy(world, first.id)
      const fileId = copy.attachments[0].id
      t.match((await dora.call('events.deleteAttachment', { id: copy.id, fileId })).error, {
        id: 'forbidden'
      })
      const form = new FormData()
      form.append('c', new Blob(['x']), 'x.txt')
      t.equal((await dora.http('POST', `/events/${copy.id}`, form)).status, 403)
    })

    t.test('what was read is told to the owner', async () => {
      const copy = await findCopy(world, first.id)
      const app = await dora.grant('read', `${root}:health`, { type: 'app', name: 'viewer' })
      await read(app, copy, 'c.txt')
      world.requesterService.clock.advance(3)
      await until(async () => {
        world.requesterService.clock.advance(700)
        const params = { streams: [':_audit:action-mirrors.copyRead'], limit: 100 }
        return JSON.stringify(await paul.do('events.get', params)).includes('viewer')
      }, 'the report')
    })

    t.test('they are erased with the copy', async t => {
      const before = (await dora.do('account.get')).account.storageUsed
      t.ok(before.attachedFiles > 1_000_000)
      await dora.do('mirrors.delete', { id: mirror })
      await until(
        async () => (await dora.do('mirrors.getOne', { id: mirror })).mirror.state === 'erased',
        'the erasure'
      )
      t.equal((await dora.do('account.get')).account.storageUsed.attachedFiles, 0)
      const { services } = world.requesterService.server.dispatcher as unknown as {
        services: {
          accounts: { find(name: string): { id: string } }
          attachments: { list(id: string): Promise<string[]> }
        }
      }
      const { id } = services.accounts.find(dora.username)
      await until(async () => (await services.attachments.list(id)).length === 0, 'the removal of the bytes')
    })
  })
