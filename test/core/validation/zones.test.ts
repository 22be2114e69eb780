/** Time zones in events and in the private profile set: what is stored and refused, and that other keys are ignored. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'

function refused(path: string): object {
  return { status: 400, error: { id: 'invalid-parameters-format', data: [{ path }] } }
}

t.test('the time zone of an event', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const zone = { 'coffer:zone': 'Europe/Zurich' }

  t.test('is stored as given', async t => {
    const event = await alice.event({ clientData: { ...zone, other: 1 } })
    t.same(event.clientData, { ...zone, other: 1 })
    const { id } = event
    const update = { clientData: { 'coffer:zone': 'Asia/Kathmandu' } }
    t.match(await alice.do('events.update', { id, update }), {
      event: { clientData: { ...update.clientData, other: 1 } }
    })
    t.same(
      (await alice.do('events.update', { id, update: { clientData: { 'coffer:zone': null } } })).event
        .clientData,
      { other: 1 }
    )
  })

  const wrong: unknown[] = ['Mars/Olympus', '+01:00', '', 1, true, {}, ['Europe/Zurich'], 'x'.repeat(1000)]
  for (const value of wrong)
    t.test(`is refused: ${JSON.stringify(value).slice(0, 40)}`, async t => {
      const { id } = await alice.event({ clientData: zone })
      const clientData = { 'coffer:zone': value }
      const made = await alice.call('events.create', {
        streamIds: ['diary'],
        type: 'note/txt',
        content: 'x',
        clientData
      })
      t.match(made, refused('#/clientData/coffer:zone'))
      if (typeof value === 'string')
        t.ok(made.error.message.includes(`"${value.slice(0, 50)}`), made.error.message)
      const changed = await alice.call('events.update', { id, update: { clientData } })
      t.match(changed, refused('#/update/clientData/coffer:zone'))
      t.same((await alice.do('events.getOne', { id })).event.clientData, zone)
      const { body, status } = await alice.http('PUT', `/events/${id}`, { clientData })
      t.match({ status, ...body }, { status: 400, error: { id: 'invalid-parameters-format' } })
    })

  t.test('is the only validated key', async t => {
    const clientData = { 'coffer:other': 'Mars/Olympus', zone: 'Mars/Olympus', nested: { 'coffer:zone': 5 } }
    t.same((await alice.event({ clientData })).clientData, clientData)
    t.match(await alice.call('streams.create', { name: 'x', clientData: { 'coffer:zone': 5 } }), {
      stream: { name: 'x' }
    })
  })
})

t.test('the zones of the private profile set', async t => {
  const { alice } = await coffer(t)
  const set = (zones: unknown, more = {}): Promise<Answer> =>
    alice.call('profile.updatePrivate', { update: { 'coffer:zones': zones, ...more } })
  const periods = [
    { from: -1e9, zone: 'Europe/Zurich' },
    { from: 1.5, zone: 'Asia/Tokyo' }
  ]

  t.test('are stored, and removed', async t => {
    t.same((await set(periods, { a: 1 })).profile, { 'coffer:zones': periods, a: 1 })
    t.same((await set([])).profile['coffer:zones'], [])
    t.same((await set(null)).profile, { a: 1 })
  })

  const wrong: [string, unknown, string][] = [
    ['no list', { from: 0, zone: 'UTC' }, ''],
    ['a zone that is none', [{ from: 0, zone: 'Mars/Olympus' }], '/0/zone'],
    ['a zone that is no text', [{ from: 0, zone: 1 }], '/0/zone'],
    ['no zone', [{ from: 0 }], '/0'],
    ['no time', [{ zone: 'UTC' }], '/0'],
    ['a time that is no number', [{ from: '0', zone: 'UTC' }], '/0/from'],
    ['something else', [{ from: 0, zone: 'UTC', until: 5 }], '/0'],
    ['two at a time', [periods[0], periods[0]], '/1/from'],
    ['in another order', [periods[1], periods[0]], '/1/from'],
    ['too many', Array.from({ length: 1001 }, (_, from) => ({ from, zone: 'UTC' })), '']
  ]
  for (const [name, zones, path] of wrong)
    t.test(`are refused: ${name}`, async t => {
      await set(periods)
      const refusal = refused(`#/update/coffer:zones${path}`)
      t.match(await set(zones, { b: 2 }), refusal)
      const update = { 'coffer:zones': zones }
      t.match(await alice.call('profile.update', { id: 'private', update }), refusal)
      t.same((await alice.do('profile.getPrivate')).profile, { 'coffer:zones': periods, a: 1 })
    })

  t.test('are not validated in other sets', async t => {
    const { profile } = await alice.do('profile.updatePublic', { update: { 'coffer:zones': 'anything' } })
    t.equal(profile['coffer:zones'], 'anything')
  })
})
