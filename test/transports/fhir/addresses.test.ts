/** FHIR by aliases and host names, with imported resources, and with limits. */
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { Client as Holder, coffer, openCoffer, type Answer } from '../../support/coffer.js'
import { ask, ids, monday } from '../../support/fhir.js'

t.test('imported resources', async t => {
  const { alice } = await coffer(t)
  await alice.stream('health')
  const original = {
    resourceType: 'Observation',
    id: 'of-the-hospital',
    meta: { profile: ['http://hospital.example/p'] },
    status: 'final',
    category: [
      {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }]
      }
    ],
    code: { coding: [{ system: 'http://loinc.org', code: '4548-4' }] },
    subject: { reference: 'Patient/of-the-hospital' },
    performer: [{ reference: 'Practitioner/7', display: 'Dr. Who' }, { reference: 'Organization/9' }],
    effectiveDateTime: '2026-01-05',
    valueQuantity: { value: 5.6, unit: '%' }
  }
  const add = async (resource: object): Promise<Answer> =>
    await alice.event({
      streamIds: ['health'],
      type: 'clinical/fhir',
      time: monday,
      content: {
        displayName: 'HbA1c',
        clinicalType: 'labResultRecord',
        fhir: { identifier: 'x', resourceType: 'observation' }
      },
      clientData: { 'fhir:resource': resource }
    })
  const { id } = await add(original)
  await add({ resourceType: 'Condition', id: 'c', code: { text: 'Flu' } })
  await add({ ...original, category: { text: 'as in an older version' } })

  t.test('are found by their own codes, and are about this patient', async t => {
    const { body } = await ask(t, alice, 'Observation?category=laboratory&code=4548-4')
    t.same(ids(body), [id])
    const [{ resource }] = body.entry
    t.match(resource.subject.reference, /^Patient\/[0-9a-f]{32}$/)
    t.same(resource.performer, [{ display: 'Dr. Who' }, { display: 'Organization/9' }])
    t.notOk(resource.meta.profile)
    t.equal((await ask(t, alice, 'Observation')).body.total, 1)
  })

  t.test('have no characters that FHIR forbids', async t => {
    const text = '"\\u0001" \\u0001 \\'
    const given = { text: `${text}\u0001\u0008\f\ud83d\u001f\n\t🍝\udf5d`, 'a\u0002b': `${text}\u0000` }
    const cleaned = { text: `${text}${'\ufffd'.repeat(5)}\n\t🍝\ufffd`, 'a\ufffdb': `${text}\ufffd` }
    const contained = [{ resourceType: 'Basic', ...given }]
    const many = Array.from({ length: 2000 }, () => given)
    for (const more of [{ contained }, { contained, note: many }]) {
      const { id: dirty } = await add({ ...original, code: { coding: [{ code: 'dirty' }] }, ...more })
      for (const path of [`Observation/${dirty}`, `Observation?_id=${dirty}`]) {
        const { body } = await alice.http('GET', `/fhir/${path}`)
        const resource = body.entry?.[0].resource ?? body
        t.same(resource.contained, [{ resourceType: 'Basic', ...cleaned }], path)
        if ('note' in more)
          t.same(
            resource.note,
            Array.from({ length: 2000 }, () => cleaned),
            path
          )
      }
      await alice.do('events.delete', { id: dirty })
    }
  })

  t.test('are left out if they do not have the form of their type', async t => {
    for (const wrong of [
      { category: [null] },
      { category: ['laboratory'] },
      { category: [{ coding: [null] }] },
      { code: { coding: 5 } },
      { code: { coding: [null] } },
      { code: { coding: { some: 1 } } },
      { code: [] }
    ])
      await add({ ...original, ...wrong })
    for (const query of ['', '?code=4548-4', '?category=laboratory']) {
      const { body, status } = await ask(t, alice, `Observation${query}`)
      t.equal(status, 200, query)
      t.same(ids(body), [id])
    }
  })
})

t.test('large events', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  const all: string[] = []
  for (let at = 0; at < 12; at++) {
    const clientData = { log: 'x'.repeat(600_000) }
    const fields = { streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at, clientData }
    all.push((await alice.event(fields)).id)
  }
  for (const query of ['Observation?_sort=date', 'Observation?_sort=date&code=8867-4&date=2026']) {
    const seen: string[] = []
    let next: string | undefined = query
    for (let pages = 0; next !== undefined && pages < 20; pages++) {
      const { body, status }: Answer = await ask(t, alice, next)
      t.equal(status, 200)
      // Parsing all of them at once would delay other calls.
      t.ok(ids(body).length < 12)
      seen.push(...ids(body))
      next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
    }
    t.same(seen, all, query)
  }
})

t.test('by an alias', async t => {
  const service = await openCoffer(t)
  const owner = await service.user('hippolyta')
  await owner.stream('weight')
  await owner.event({ streamIds: ['weight'], type: 'mass/kg', content: 61, time: monday })
  const { access } = await owner.grant('read', 'weight', { type: 'app', randomAlias: true, name: 'doctor' })
  const holder = new Holder(service, access.alias!, access)

  t.test('nothing tells the user name', async t => {
    const paths = [
      'metadata',
      'Patient',
      'Observation',
      'Observation?code:x=1',
      'Observation/none',
      'Nothing'
    ]
    for (const path of paths) {
      const { body, headers } = await ask(t, holder, path)
      t.notMatch(JSON.stringify(body) + JSON.stringify([...headers]), /hippolyta/, path)
    }
    const { body } = await ask(t, holder, 'Observation')
    t.equal(body.total, 1)
    t.match(body.entry[0].fullUrl, `/${access.alias}/fhir/Observation/`)
  })

  t.test('the patient is another than by the name', async t => {
    const [mine, theirs] = [await ask(t, owner, 'Patient'), await ask(t, holder, 'Patient')]
    t.not(ids(mine.body)[0], ids(theirs.body)[0])
  })

  t.test('only the holder finds anything', async t => {
    for (const path of ['metadata', 'Patient', 'Observation']) {
      const unknown = await ask(t, { service, username: 'r-00000000' }, path)
      const { body, status } = await ask(t, { service, username: access.alias! }, path)
      t.equal(status, 404)
      t.same(JSON.stringify(body).replace(access.alias!, 'r-00000000'), JSON.stringify(unknown.body))
    }
  })
})

t.test('by a former name, the patient is the same', async t => {
  const { alice } = await coffer(t)
  await alice.stream('weight')
  await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 61, time: monday })
  const { entry } = (await ask(t, alice, 'Patient')).body
  await alice.do('account.changeUsername', { newUsername: 'alicia' })
  const { service, token } = alice
  for (const username of ['alice', 'alicia']) {
    const found = async (reference: string): Promise<number> =>
      (await ask(t, { service, token, username }, `Observation?patient=${encodeURIComponent(reference)}`))
        .body.total
    t.equal(await found(entry[0].fullUrl), 1, `at ${username}`)
    t.equal(await found(entry[0].fullUrl.replace('alice', 'alicia')), 1)
    t.equal(await found(entry[0].fullUrl.replace('Patient', 'Device')), 0)
    t.equal(await found(`${entry[0].fullUrl}0`), 0)
  }
})

t.test('by a host name', async t => {
  const { alice } = await coffer(t, { domain: 'coffer.example', publicUrl: 'https://coffer.example' })
  const { service } = alice
  await alice.stream('weight')
  await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 61, time: monday })
  const { port } = new URL(service.server.url)
  const get = async (path: string): Promise<Answer> =>
    await new Promise((resolve, reject) =>
      request(
        { port, path, headers: { host: 'alice.coffer.example', authorization: alice.token } },
        response => void json(response).then(resolve, reject)
      )
        .on('error', reject)
        .end()
    )
  t.match(await get('/fhir/metadata'), { implementation: { url: 'https://alice.coffer.example/fhir' } })
  t.match(await get('/fhir/Patient'), {
    entry: [{ fullUrl: /^https:\/\/alice\.coffer\.example\/fhir\/Patient\// }]
  })
  const { entry } = await get('/fhir/Patient')
  for (const root of ['https://alice.coffer.example', 'https://coffer.example/alice'])
    t.match(
      await get(`/fhir/Observation?patient=${root}/fhir/Patient/${entry[0].resource.id}`),
      { total: 1 },
      root
    )
  t.match(await get('/fhir/Patient?_id=%zz'), { resourceType: 'OperationOutcome' })
  t.match(await get('/fhir/%zz'), { resourceType: 'OperationOutcome' })
})

t.test('an access that calls too often', async t => {
  const { alice } = await coffer(t, { limits: { callsPerToken: { app: 3 } } })
  const app = await alice.grantAll([], { type: 'app', name: 'busy' })
  let last = await ask(t, app, 'Patient')
  for (let at = 0; at < 5 && last.status === 200; at++) last = await ask(t, app, 'Patient')
  t.match(last, { status: 429, body: { issue: [{ code: 'throttled' }] } })
  t.match(last.headers.get('retry-after'), /^\d+$/)
})

t.test('guessed tokens are throttled, in the same form', async t => {
  const { alice } = await coffer(t, { throttle: { invalidTokens: 3 } })
  let last = await ask(t, { service: alice.service, username: 'alice', token: 'guess' }, 'Patient')
  for (let at = 0; at < 5 && last.status === 401; at++)
    last = await ask(t, { service: alice.service, username: 'alice', token: `guess-${at}` }, 'Patient')
  t.match(last, { status: 429, body: { issue: [{ code: 'throttled' }] } })
  t.match(last.headers.get('retry-after'), /^\d+$/)
})

t.test('a failure of the service is told in the same form', async t => {
  const { alice } = await openCoffer(t)
  const { openStore: store } = alice.service.server.services.accounts
  t.teardown(() => void (alice.service.server.services.accounts.openStore = store))
  alice.service.server.services.accounts.openStore = () => {
    throw new Error('a secret detail')
  }
  const { body, status } = await ask(t, alice, 'Patient')
  t.match({ body, status }, { status: 500, body: { issue: [{ code: 'exception' }] } })
  t.notMatch(JSON.stringify(body), /secret/)
})
