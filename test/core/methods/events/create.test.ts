/** `events.create`. */
import t from 'tap'
import { createId } from '../../../../core/ids.js'
import { coffer } from '../../../support/coffer.js'

t.test('events.create', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('work')
  await alice.stream('trashed')
  await alice.stream('below', 'trashed')
  await alice.do('streams.update', { id: 'trashed', update: { trashed: true } })
  const used = createId()
  await alice.event({ id: used })
  const gone = createId()
  await alice.event({ id: gone })
  await alice.do('events.delete', { id: gone })
  await alice.do('events.delete', { id: gone })

  const count = async (): Promise<number> =>
    (await alice.do('events.get', { limit: 1000, state: 'all' })).events.length

  t.test('returns the event as events.getOne does', async t => {
    clock.advance(60)
    const event = await alice.event({
      streamIds: ['diary', 'work', 'diary'],
      duration: 5,
      tags: [' a ', '', 'a']
    })
    t.match(event, {
      streamIds: ['diary', 'work'],
      streamId: 'diary',
      time: clock.now(),
      duration: 5,
      type: 'note/txt',
      content: 'hello',
      tags: ['a'],
      createdBy: alice.access.id,
      modifiedBy: alice.access.id
    })
    t.equal(event.created, event.modified)
    t.same((await alice.do('events.getOne', { id: event.id })).event, event)
    t.same((await alice.do('events.get', { limit: 1 })).events, [event])
  })

  t.test('omits empty fields', async t => {
    const event = await alice.event({
      type: 'activity/plain',
      content: null,
      duration: 0,
      description: null,
      clientData: {},
      trashed: null,
      tags: null,
      time: null,
      id: null
    })
    t.same(Object.keys(event), [
      'id',
      'streamIds',
      'streamId',
      'time',
      'type',
      'tags',
      'created',
      'createdBy',
      'modified',
      'modifiedBy',
      'integrity'
    ])
    t.same(event.tags, [])
  })

  t.test('keeps a null duration: the event is ongoing', async t => {
    t.equal((await alice.event({ duration: null })).duration, null)
  })

  t.test('accepts the deprecated streamId, and an id chosen by the client', async t => {
    const id = createId()
    const { event } = await alice.do('events.create', { id, streamId: 'work', type: 'note/txt', content: '' })
    t.match(event, { id, streamId: 'work', streamIds: ['work'], content: '' })
  })

  t.test('drops null keys of clientData, and keeps __proto__ as plain data', async t => {
    const clientData = JSON.parse('{"a": 1, "b": null, "__proto__": {"c": 2}}')
    const event = await alice.event({ clientData })
    t.equal(JSON.stringify(event.clientData), '{"a":1,"__proto__":{"c":2}}')
  })

  t.test('converts content to what the type expects', async t => {
    t.equal((await alice.event({ type: 'mass/kg', content: '12' })).content, 12)
  })

  const refusals: [what: string, params: Record<string, unknown>, error: object][] = [
    ['neither streamIds nor streamId', { streamIds: undefined }, { id: 'invalid-parameters-format' }],
    ['no stream', { streamIds: [] }, { id: 'invalid-parameters-format' }],
    ['streamId and streamIds', { streamId: 'diary' }, { id: 'invalid-operation' }],
    [
      'unknown streams',
      { streamIds: ['diary', 'x', 'y'] },
      { id: 'unknown-referenced-resource', data: { streamIds: ['x', 'y'] } }
    ],
    [
      'a trashed stream',
      { streamIds: ['diary', 'trashed'] },
      { id: 'invalid-operation', data: { trashedReference: 'streamIds' } }
    ],
    ['a stream below a trashed one', { streamIds: ['below'] }, { id: 'invalid-operation' }],
    ['a system stream', { streamIds: [':_system:email'] }, { id: 'unknown-referenced-resource' }],
    ['no type', { type: undefined }, { id: 'invalid-parameters-format' }],
    ['a malformed type', { type: 'note' }, { id: 'invalid-parameters-format' }],
    ['content that does not fit', { type: 'mass/kg', content: 'heavy' }, { id: 'invalid-parameters-format' }],
    ['a series of an unknown type', { type: 'series:a/b', content: null }, { id: 'invalid-event-type' }],
    ['a negative duration', { duration: -1 }, { id: 'invalid-parameters-format' }],
    ['a time that is not a number', { time: 'now' }, { id: 'invalid-parameters-format' }],
    ['a time beyond numbers', { time: Infinity }, { id: 'invalid-parameters-format' }],
    ['a long tag', { tags: ['x'.repeat(501)] }, { id: 'invalid-parameters-format' }],
    ['a malformed id', { id: 'mine' }, { id: 'invalid-parameters-format' }],
    ['an id in use', { id: used }, { id: 'item-already-exists', data: { id: used } }],
    ['the id of a deleted event', { id: gone }, { id: 'item-already-exists', data: { id: gone } }],
    ['a time of deletion', { deleted: 1 }, { id: 'invalid-parameters-format' }]
  ]
  for (const [what, params, error] of refusals)
    t.test(`refuses ${what}`, async t => {
      const before = await count()
      const valid = { streamIds: ['diary'], type: 'note/txt', content: 'hello' }
      t.match(await alice.call('events.create', { ...valid, ...params }), { error })
      t.equal(await count(), before)
    })

  const levels: [level: 'read' | 'create-only' | 'contribute' | 'manage' | 'none', isAllowed: boolean][] = [
    ['none', false],
    ['read', false],
    ['create-only', true],
    ['contribute', true],
    ['manage', true]
  ]
  for (const [level, isAllowed] of levels)
    t.test(`is ${isAllowed ? 'open' : 'refused'} to accesses with ${level}`, async t => {
      const client = await alice.grant(level, 'diary')
      const params = { streamIds: ['diary'], type: 'note/txt', content: 'hello' }
      const answer = await client.call('events.create', params)
      if (isAllowed) t.equal(answer.event.createdBy, client.access.id)
      else t.match(answer, { error: { id: 'forbidden' } })
      t.match(await client.call('events.create', { ...params, streamIds: ['diary', 'work'] }), {
        error: { id: 'forbidden' }
      })
    })
})
