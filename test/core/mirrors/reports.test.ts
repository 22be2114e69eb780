/** What owners learn of the copies of their data. */
import t from 'tap'
import { Client, type Answer } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { contact, follow, reaches, root, startWorld, type World } from './world.js'

/** Returns what Paul's audit says of copies, latest first. */
async function listTold({ paul }: World, action: string): Promise<Answer[]> {
  const { events } = await paul.do('events.get', { streams: [`:_audit:action-${action}`], limit: 100 })
  return events
}

for (const isShared of rotate(t, [false, true]))
  t.test(isShared ? 'on one service' : 'on two services', async t => {
    const world = await startWorld(t, {}, { isShared })
    const { dora, grantId, paul, requesterService } = world
    for (let index = 0; index < 3; index++)
      await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: `note ${index}` })
    const id = await follow(world)

    t.test('the owner sees who keeps a copy', async t => {
      await until(async () => (await paul.do('mirrors.get')).keptCopies.length > 0, 'the first report')
      t.match((await paul.do('mirrors.get')).keptCopies, [
        { accessId: grantId, state: 'live', lastContact: Number }
      ])
    })

    t.test('reads are told at the next contact, once', async t => {
      await dora.do('events.get', { streams: [`${root}:health`], limit: 10 })
      const app = await dora.grant('read', `${root}:health`, { type: 'app', name: 'charts' })
      await app.do('events.get', { streams: [`${root}:health`], limit: 1 })
      await dora.do('events.get', { limit: 10 })
      requesterService.clock.advance(3)
      await until(async () => {
        // The first contact may come before the reads are counted.
        requesterService.clock.advance(700)
        return (await listTold(world, 'mirrors.copyRead')).length >= 2
      }, 'the report')
      const told = await listTold(world, 'mirrors.copyRead')
      t.equal(told.length, 2)
      const texts = told.map(({ content }) => JSON.stringify(content))
      t.ok(
        texts.some(text => text.includes('charts')),
        texts.join()
      )
      t.ok(texts.every(text => text.includes('dora-doctor@127.0.0.1') && text.includes('health')))
      await contact(world, id)
      t.equal((await listTold(world, 'mirrors.copyRead')).length, 2)
    })

    t.test('the owner is told that the copy is erased', async t => {
      await paul.do('accesses.delete', { id: grantId })
      requesterService.clock.advance(700)
      await reaches(world, id, ({ state }) => state === 'erased')
      await until(async () => (await paul.do('mirrors.get')).keptCopies[0].state === 'erased', 'the report')
      t.match((await paul.do('mirrors.get')).keptCopies, [
        { accessId: grantId, state: 'erased', receipt: String }
      ])
      t.equal((await listTold(world, 'mirrors.copyErased')).length, 1)
    })
  })

t.setTimeout(120_000)

t.test('a server that reports without end', async t => {
  const world = await startWorld(t, { cmc: { maxPerPeerPerMinute: 5 } })
  const { accepterService, grantId, paul } = world
  const { accesses } = await paul.do('accesses.get')
  const grant = accesses.find(({ id }: Answer) => id === grantId)
  const holder = new Client(accepterService, paul.username, grant)
  // The messages of the agreement count as well.
  accepterService.clock.advance(61)
  const errors: Answer[] = []
  for (let number = 1; number <= 20; number++) {
    const reads = Array.from({ length: 200 }, (_, day) => ({
      day,
      reader: `app ${number}`,
      streamId: 'health',
      calls: 1,
      events: 1
    }))
    errors.push((await holder.call('mirrors.report', { number, state: 'live', reads })).error)
  }
  t.equal(errors.filter(error => error === undefined).length, 5)
  t.match(errors.at(-1), { id: 'too-many-requests' })
  accepterService.clock.advance(61)
  await holder.do('mirrors.report', { number: 21, state: 'live', reads: [] })
})

t.test('a mirror that is deleted', async t => {
  const world = await startWorld(t)
  const { dora, paul } = world
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'x' })
  const id = await follow(world)
  await until(async () => (await paul.do('webhooks.get')).webhooks.length === 1, 'the webhook')
  t.match((await dora.do('mirrors.delete', { id })).mirror, {
    state: 'erasing',
    ended: { reason: 'deleted' }
  })
  await reaches(world, id, ({ state }) => state === 'erased')
  await until(async () => (await paul.do('mirrors.get')).keptCopies[0]?.state === 'erased', 'the report')
  await until(async () => (await paul.do('webhooks.get')).webhooks.length === 0, 'the end of the webhook')
  const again = await dora.do('mirrors.create', { accessId: world.channel.id })
  await reaches(world, again.mirror.id, ({ events, state }) => state === 'live' && events === 1)
  await until(
    async () => (await paul.do('mirrors.get')).keptCopies[0]?.state === 'live',
    'the report on the new copy'
  )
})

t.test('reports whose answers are lost, and reports after the end', async t => {
  const world = await startWorld(t)
  const { accepterService, grantId, paul } = world
  const { accesses } = await paul.do('accesses.get')
  const grant = accesses.find(({ id }: Answer) => id === grantId)
  const holder = new Client(accepterService, paul.username, grant)
  const read = { day: 20_000, reader: 'charts', streamId: 'health', calls: 1, events: 1 }
  const report = { number: 5, reads: [read] }
  await holder.do('mirrors.report', { ...report, state: 'live' })
  await paul.do('accesses.delete', { id: grantId })
  t.match((await holder.call('mirrors.report', { ...report, state: 'erased' })).error, {
    id: 'invalid-access-token'
  })
  // The copy has been erased before the report was repeated: it has the same number.
  await holder.do('mirrors.reportErasure', { ...report, state: 'erased' })
  t.match((await paul.do('mirrors.get')).keptCopies, [{ accessId: grantId, state: 'erased' }])
  t.equal((await listTold(world, 'mirrors.copyRead')).length, 1, 'the reads count once')
  await holder.do('mirrors.reportErasure', { ...report, number: 6, state: 'erased' })
  t.equal((await listTold(world, 'mirrors.copyRead')).length, 1, 'nothing more is written after the end')
  t.equal((await listTold(world, 'mirrors.copyErased')).length, 1)
})
