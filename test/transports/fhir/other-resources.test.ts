/** Documents and consents in FHIR. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { ask, day, ids, monday } from '../../support/fhir.js'

t.test('documents', async t => {
  const { alice } = await coffer(t)
  await alice.stream('letters')
  await alice.stream('diary')
  const add = async (streamIds: string[], time: number): Promise<string> => {
    const form = new FormData()
    const event = { streamIds, type: 'file/attached', content: null, time, description: 'From Dr. Who' }
    form.append('event', JSON.stringify(event))
    form.append('file', new Blob(['Dear Alice'], { type: 'text/plain' }), 'letter.txt')
    return (await alice.http('POST', '/events', form)).body.event.id
  }
  const first = await add(['letters'], monday)
  const second = await add(['letters'], monday + day)
  await add(['diary'], monday)
  await alice.event({ streamIds: ['letters'], type: 'note/txt', content: 'no document', time: monday })
  const app = await alice.grant('read', 'letters', { type: 'app', name: 'doctor' })

  t.test('are found, and their files are read with the same token', async t => {
    const { body } = await ask(t, app, 'DocumentReference')
    t.same(ids(body), [second, first])
    const [, { resource }] = body.entry
    t.match(resource, { status: 'current', date: '2026-01-05T00:00:00Z', description: 'From Dr. Who' })
    const [{ attachment }] = resource.content
    t.match(attachment, { contentType: 'text/plain', size: 10, title: 'letter.txt' })
    const file = await fetch(attachment.url, { headers: { authorization: `Bearer ${app.token}` } })
    t.equal(await file.text(), 'Dear Alice')
    t.equal((await fetch(attachment.url)).status, 401)
    t.same((await ask(t, app, `DocumentReference/${first}`)).body, resource)
  })

  t.test('are searched for by date, status and id', async t => {
    for (const [query, found] of Object.entries({
      'date=2026-01-05': [first],
      'date=gt2026-01-05': [second],
      'status=superseded': [],
      'status=current&_count=1': [second],
      _sort: [second, first],
      '_sort=date': [first, second],
      [`_id=${first},unknown`]: [first],
      'patient=another': []
    }))
      t.same(ids((await ask(t, app, `DocumentReference?${query}`)).body), found, query)
    t.equal((await ask(t, app, 'DocumentReference?type=x')).status, 200, 'others are ignored')
    await alice.do('events.delete', { id: second })
    const errors = await ask(t, app, 'DocumentReference?status=entered-in-error')
    t.same(ids(errors.body), [second], 'in the trash')
    await alice.do('events.update', { id: second, update: { trashed: false } })
  })

  t.test('are no Observations, and no Observations are documents', async t => {
    t.equal((await ask(t, app, `Observation/${first}`)).status, 404)
    const [note] = (await alice.do('events.get', { types: ['note/txt'], limit: 1 })).events
    t.equal((await ask(t, app, `DocumentReference/${note.id}`)).status, 404)
  })
})

t.test('consents', async t => {
  const { alice } = await coffer(t)
  await alice.stream('body')
  await alice.stream('diary')
  const app = await alice.grantAll(
    [
      { streamId: 'body', level: 'contribute' },
      { streamId: 'diary', level: 'none' }
    ],
    { type: 'app', name: 'doctor', deviceName: 'phone', expireAfter: 3600 }
  )
  alice.service.clock.advance(10)
  const share = await alice.grant('read', 'diary', { name: 'For Bob' })

  t.test('say who may do what', async t => {
    const { body } = await ask(t, alice, 'Consent')
    t.same(ids(body), [share.access.id, app.access.id])
    const [, { resource }] = body.entry
    t.match(resource, {
      status: 'active',
      provision: {
        period: { start: String, end: String },
        actor: [{ reference: { display: 'doctor, phone' } }],
        provision: [
          { type: 'permit', data: [{ reference: { display: 'body' } }] },
          { type: 'deny', data: [{ reference: { display: 'diary' } }] }
        ]
      }
    })
    for (const { action } of resource.provision.provision)
      t.same(
        action.map(({ coding: [{ code }] }: Answer) => code),
        ['access', 'collect', 'correct'],
        'what is permitted above a stream is denied there'
      )
    t.same((await ask(t, alice, `Consent/${app.access.id}`)).body, resource)
    t.equal((await ask(t, alice, 'Consent/unknown')).status, 404)
    t.notMatch(JSON.stringify(body), app.token, 'tokens stay secret')
  })

  t.test('come in pages', async t => {
    const { body } = await ask(t, alice, 'Consent?_count=1')
    t.same(ids(body), [share.access.id])
    const next = body.link.find(({ relation }: Answer) => relation === 'next').url.split('/fhir/')[1]
    const last = await ask(t, alice, next)
    t.same(ids(last.body), [app.access.id])
    t.notOk(last.body.link.some(({ relation }: Answer) => relation === 'next'))
    t.same(ids((await ask(t, alice, 'Consent?status=inactive')).body), [])
  })

  t.test('are for sessions of the user only', async t => {
    for (const access of [app, share])
      for (const path of ['Consent', `Consent/${app.access.id}`])
        t.match(await ask(t, access, path), { status: 403, body: { issue: [{ code: 'forbidden' }] } })
  })
})
