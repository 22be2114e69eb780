/** `events.delete`. */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

t.test('events.delete', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'work']) await alice.stream(id)

  t.test('moves an event to the trash, then deletes it permanently', async t => {
    const event = await alice.event({ duration: 3 })
    const { event: trashed } = await alice.do('events.delete', { id: event.id })
    const { integrity, modified } = trashed
    t.same(trashed, { ...event, trashed: true, modified, integrity })
    t.ok(trashed.modified > event.modified)
    t.same((await alice.do('events.get', { state: 'trashed' })).events, [trashed])
    const { accessId: _, ...answer } = await alice.do('events.delete', { id: event.id })
    t.same(answer, { eventDeletion: { id: event.id } })
    t.same((await alice.do('events.get', { state: 'all' })).events, [])
    t.match(await alice.call('events.delete', { id: event.id }), { error: { id: 'unknown-resource' } })
  })

  t.test('deletes a restored event only after it has been trashed again', async t => {
    const { id } = await alice.event()
    await alice.do('events.delete', { id })
    await alice.do('events.update', { id, update: { trashed: false } })
    t.ok((await alice.do('events.delete', { id })).event.trashed)
  })

  t.test('refuses invalid params and unknown ids', async t => {
    t.match(await alice.call('events.delete', {}), { error: { id: 'invalid-parameters-format' } })
    t.match(await alice.call('events.delete', { id: 'nope' }), { error: { id: 'unknown-resource' } })
  })

  for (const [level, isAllowed] of [
    ['read', false],
    ['create-only', false],
    ['contribute', true],
    ['manage', true]
  ] as const)
    t.test(
      `is ${isAllowed ? 'open' : 'refused'} to accesses with ${level} on one of its streams`,
      async t => {
        const client = await alice.grant(level, 'work')
        const event = await alice.event({ streamIds: ['diary', 'work'] })
        const answer = await client.call('events.delete', { id: event.id })
        if (isAllowed) t.match(answer.event, { trashed: true, modifiedBy: client.access.id })
        else t.match(answer, { error: { id: 'forbidden' } })
        const { event: kept } = await alice.do('events.getOne', { id: event.id })
        t.same(kept, isAllowed ? answer.event : event)
      }
    )
})
