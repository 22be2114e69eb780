/**
 * Account streams under the ids of older clients: accepted and returned everywhere, unless a call opts out.
 * (docs/spec/compatibility.md#older-forms-of-account-stream-ids)
 */
import t from 'tap'
import { openCoffer, type Answer } from '../../support/coffer.js'

t.test('older ids of account streams', async t => {
  const service = await openCoffer(t, {
    backwardCompatibility: { systemStreams: { prefix: { isActive: true } } }
  })
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  await daisy.stream('diary')
  const http = async (verb: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    (await daisy.http(verb, path, body, headers)).body
  const today = { 'disable-backward-compatibility-prefix': 'true' }

  t.test('are returned and accepted with events', async t => {
    for (const streams of ['.email', '["diary",".email"]', '{"any":[".account"],"all":[".active"]}']) {
      const { events } = await http('GET', `/events?streams=${encodeURIComponent(streams)}`)
      t.match(events, [{ streamId: '.email', streamIds: ['.email', '.active', '.unique'] }], streams)
      t.notOk('integrity' in events[0], 'no longer what its integrity value says')
      const { event, history } = await http('GET', `/events/${events[0].id}?includeHistory=true`)
      t.match({ event, history }, { event: { streamId: '.email' }, history: [] })
    }
    const fields = { type: 'email/string', content: 'new@example.com' }
    const { event } = await http('POST', '/events', { ...fields, streamIds: ['.email'] })
    t.same(event.streamIds, ['.email', '.active', '.unique'])
    const { events } = await http('GET', '/events?streams=.email&streams=diary')
    const former = events.find(({ id }: { id: string }) => id !== event.id)
    const put = await http('PUT', `/events/${former.id}`, { streamIds: ['.email', '.active'] })
    t.same(put.event.streamIds, ['.email', '.active', '.unique'])
    t.match(await http('DELETE', `/events/${event.id}`), { event: { streamId: '.email', trashed: true } })
    const note = (
      await http('POST', '/events', { ...fields, streamIds: ['diary'], content: ':system:email' })
    ).event
    t.match(note, { integrity: String, content: ':system:email' })
    t.match(await http('POST', '/', [{ method: 'events.get', params: { streams: ['.language'] } }]), {
      results: [{ events: [{ streamId: '.language' }] }]
    })
  })

  t.test('are returned and accepted with large items, too', async t => {
    const content = 'long '.repeat(100_000)
    const large = { type: 'note/txt', streamIds: ['.language'], clientData: { content } }
    const { event } = await http('POST', '/events', { ...large, content: 'fr' })
    t.same(event?.streamIds, ['.language', '.active'])
    const update = { streamIds: ['.language', '.active'], description: 'still' }
    const { event: updated } = await http('PUT', `/events/${event?.id}`, update)
    t.same(updated?.streamIds, ['.language', '.active'])
  })

  t.test('are returned with the access of the caller', async t => {
    t.match(await http('GET', '/access-info'), { type: 'personal', user: { username: 'daisy' } })
    const permissions = [{ streamId: '.email', level: 'read' }]
    const { access } = await http('POST', '/accesses', { name: 'app', type: 'app', permissions })
    const told = await service.call('daisy', 'getAccessInfo', {}, access.token)
    t.match(told, { name: 'app', permissions })
    t.notOk('text' in told)
  })

  t.test('are returned and accepted with streams and accesses', async t => {
    const { streams } = await http('GET', '/streams')
    t.match(streams, [
      { id: ':_audit:' },
      { id: 'diary' },
      { id: '.account', children: [{ id: '.email', parentId: '.account' }] },
      { id: '.helpers' }
    ])
    t.match(await http('GET', '/streams?parentId=.account'), { streams: [{ id: '.email' }] })
    for (const [verb, path, body] of [
      ['PUT', '/streams/.email', { name: 'x' }],
      ['DELETE', '/streams/.email'],
      ['POST', '/streams', { name: 'x', parentId: '.account' }]
    ] as const)
      t.match(await http(verb, path, body), { error: { id: 'invalid-operation' } })
    const permissions = [{ streamId: '.email', level: 'read' }]
    const { access } = await http('POST', '/accesses', { name: 'mails', permissions })
    t.same(access.permissions, permissions)
    const { accesses } = await http('GET', '/accesses', undefined, today)
    t.match(
      accesses.find(({ id }: { id: string }) => id === access.id),
      { permissions: [{ streamId: ':system:email' }] }
    )
  })

  t.test('are not returned to a call that opts out', async t => {
    const { events } = await http('GET', '/events?streams=:system:email', undefined, today)
    t.match(events, [{ streamId: ':system:email', integrity: String }])
    t.match(await http('GET', '/events?streams=.email', undefined, today), {
      error: { id: 'unknown-referenced-resource' }
    })
  })
})
