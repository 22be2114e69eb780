/** FHIR as clients of others read it: resources by the schema of FHIR, searches, pages and refusals. */
import { Client as FhirClient } from 'fhir-kit-client'
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { ask, day, ids, monday } from '../../support/fhir.js'

async function setUp(t: Test): Promise<{ alice: Client; app: Client; heart: string[] }> {
  const { alice } = await coffer(t)
  await alice.stream('body')
  for (const id of ['weight', 'heart', 'blood', 'luggage']) await alice.stream(id, 'body')
  await alice.stream('diary')
  const heart: string[] = []
  for (let at = 0; at < 25; at++) {
    const fields = { streamIds: ['heart'], type: 'frequency/bpm', content: 60 + at }
    // Some at the same time: their order must hold over pages.
    heart.push((await alice.event({ ...fields, time: monday + Math.floor(at / 5) * day })).id)
  }
  await alice.event({ streamIds: ['weight'], type: 'mass/kg', content: 71.5, time: monday })
  await alice.event({ streamIds: ['luggage'], type: 'mass/kg', content: 23, time: monday })
  await alice.event({
    streamIds: ['blood'],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 121, diastolic: 81, rate: 60 },
    time: monday + 8 * 3600
  })
  await alice.event({
    streamIds: ['diary'],
    type: 'mass/kg',
    content: 99,
    time: monday,
    description: 'secret weight'
  })
  await alice.stream('weight-of-others', 'diary')
  const app = await alice.grant('read', 'body', { type: 'app', name: 'doctor' })
  return { alice, app, heart }
}

t.test('a client of FHIR', async t => {
  const { alice, app, heart } = await setUp(t)
  const { service, username } = alice
  const baseUrl = `${service.server.url}/${username}/fhir`
  const client = new FhirClient({ baseUrl, bearerToken: app.token })

  t.test('reads what the service can do', async t => {
    const { body, status } = await ask(t, { service, username }, 'metadata')
    t.equal(status, 200)
    t.match(body, { fhirVersion: '4.0.1', kind: 'instance', implementation: { url: baseUrl } })
    t.equal(Date.parse(body.date), Math.floor(service.clock.now() * 1000))
    const [{ resource }] = body.rest
    t.same(resource.map(({ type }: Answer) => type).toSorted(), [
      'Consent',
      'DocumentReference',
      'Observation',
      'Patient',
      'Questionnaire',
      'QuestionnaireResponse'
    ])
    for (const { searchParam, type } of resource)
      for (const { name } of searchParam) {
        const value = name === 'date' || name === 'authored' || name === '_lastUpdated' ? '2026' : 'x'
        const answer = await ask(t, alice, `${type}?${name}=${value}`, {
          headers: { prefer: 'handling=strict' }
        })
        t.equal(answer.status, 200, `${type} ${name}`)
      }
  })

  t.test('reads the patient', async t => {
    const found = (await client.search({ resourceType: 'Patient' })) as Answer
    const [{ resource }] = found.entry
    t.match(resource, { resourceType: 'Patient', id: /^[0-9a-f]{32}$/, name: [{ text: username }] })
    t.match(await client.read({ resourceType: 'Patient', id: resource.id }), resource)
    await t.rejects(client.read({ resourceType: 'Patient', id: 'another' }), {
      response: { status: 404 }
    } as never)
    const others = await ask(t, app, 'Observation?patient=Patient/another')
    t.same(ids(others.body), [])
    const own = await ask(t, app, `Observation?patient=${baseUrl}/Patient/${resource.id}&code=29463-7`)
    t.equal(own.body.total, 1)
    t.same(own.body.entry[0].resource.subject, { reference: `Patient/${resource.id}` })
    t.same((await ask(t, app, 'Patient?_id=another')).body.total, 0)
  })

  t.test('reads observations with units and codes', async t => {
    const { body } = await ask(t, app, 'Observation?code=http://loinc.org|29463-7')
    t.equal(body.total, 1, 'luggage has no code, and the diary is not shared')
    const [{ fullUrl, resource }] = body.entry
    t.match(resource, {
      status: 'final',
      valueQuantity: { value: 71.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
      effectiveDateTime: '2026-01-05T00:00:00Z',
      meta: { lastUpdated: String }
    })
    t.equal(fullUrl, `${baseUrl}/Observation/${resource.id}`)
    t.same(await client.read({ resourceType: 'Observation', id: resource.id }), resource)
    t.same((await ask(t, app, 'Observation?code=http://snomed.info/sct|29463-7')).body.total, 0)
    t.same((await ask(t, app, 'Observation?code=85354-9,29463-7')).body.total, 2, 'one of several')
    t.same((await ask(t, app, 'Observation?code=85354-9&code=29463-7')).body.total, 0, 'all of several')
    t.same((await ask(t, app, 'Observation?category=laboratory')).body.total, 0)
    t.same((await ask(t, app, 'Observation?category=vital-signs&code=85354-9&status=final')).body.total, 1)
  })

  t.test('walks all pages, each resource once', async t => {
    for (const order of ['date', '-date', undefined])
      for (const count of [1, 4, 7, 25, 500]) {
        const params = { code: '8867-4', _count: count, ...(order && { _sort: order }) }
        let page = (await client.search({ resourceType: 'Observation', searchParams: params })) as Answer
        const seen = ids(page)
        const dates: string[] = []
        for (let pages = 0; pages < 30; pages++) {
          for (const { resource } of page.entry ?? []) dates.push(resource.effectiveDateTime)
          const next = (await client.nextPage({ bundle: page })) as Answer
          if (!next) break
          seen.push(...ids((page = next)))
        }
        t.same(seen.toSorted(), heart.toSorted(), `${order} by ${count}`)
        const sorted = dates.toSorted()
        t.same(dates, order === 'date' ? sorted : sorted.toReversed())
      }
  })

  t.test('searches by dates with prefixes', async t => {
    const counts: Record<string, number> = {
      'date=2026-01-05': 5,
      'date=2026-01': 25,
      'date=ne2026-01-05': 20,
      'date=ge2026-01-06': 20,
      'date=gt2026-01-06': 15,
      'date=sa2026-01-06': 15,
      'date=lt2026-01-06': 5,
      'date=le2026-01-06': 10,
      'date=eb2026-01-06': 5,
      'date=ge2026-01-06&date=lt2026-01-08': 10,
      'date=ge2026-01-06T01:00:00%2B01:00&date=lt2026-01-06T00:00:01Z': 5,
      'date=ge2026-01-06T01:00:00+01:00&date=lt2026-01-06T00:00:01Z': 5,
      'date=2027': 0,
      'date=ge2027&date=lt2026': 0,
      '_lastUpdated=gt2000': 25,
      '_lastUpdated=lt2000': 0
    }
    for (const [query, count] of Object.entries(counts))
      t.equal(ids((await ask(t, app, `Observation?code=8867-4&${query}`)).body).length, count, query)
  })

  t.test('names ids', async t => {
    const [first, second] = heart
    const { body } = await ask(t, app, `Observation?_id=${first},${second},nothing`)
    t.same(ids(body).toSorted(), [first, second].toSorted())
    t.equal(ids((await ask(t, app, `Observation?_id=${first},${second}&_count=1`)).body).length, 1)
    t.same((await ask(t, app, `Observation?_id=${first}&date=2027`)).body.total, 0)
    const many = Array.from({ length: 21 }, (_, at) => `n${at}`).join(',')
    t.equal((await ask(t, app, `Observation?_id=${many}`)).status, 400)
  })

  t.test('named by ids end their page after four million characters', async t => {
    const fields = { type: 'frequency/bpm', content: 60, description: 'x'.repeat(2_500_000) }
    await alice.stream('long')
    const long: string[] = []
    for (let count = 0; count < 3; count++)
      long.unshift((await alice.event({ streamIds: ['long'], ...fields, time: monday + count })).id)
    const { body } = await ask(t, alice, `Observation?_id=${long.join()}`)
    t.same(ids(body), long.slice(0, 2))
    const next = body.link.find(({ relation }: Answer) => relation === 'next').url
    t.same(ids((await ask(t, alice, next.slice(next.indexOf('Observation')))).body), long.slice(2))
  })

  t.test('posts a search as a form', async t => {
    const { body, status } = await ask(t, app, 'Observation/_search', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'code=8867-4&_count=3'
    })
    t.equal(status, 200)
    t.equal(ids(body).length, 3)
    t.equal(body.link[0].url, `${baseUrl}/Observation?code=8867-4&_count=3`)
    t.same(ids((await ask(t, app, body.link[1].url.slice(baseUrl.length + 1))).body).length, 3)
  })

  t.test('is told what is not supported', async t => {
    const strict = { headers: { prefer: 'handling=strict' } }
    const refused: Record<string, number> = {
      'Observation?code:text=weight': 400,
      'Observation?patient.name=alice': 400,
      'Observation?date=yesterday': 400,
      'Observation?date=2026-13': 400,
      'Observation?date=2026-02-30': 400,
      'Observation?date=2026-03-29T12:00:00%2B99:99': 400,
      'Observation?date=2026-03-29T12:00:00-16:00': 400,
      'Observation?date=2026-03-29T24:00:00Z': 400,
      'Observation?date=2026,2027': 400,
      'Observation?_count=many': 400,
      'Observation?_sort=code': 400,
      'Observation?page=abc': 400,
      'Observation?page=WzFlOTld': 400,
      'Observation?date=%zz': 400,
      'Observation?_format=xml': 406,
      'Observation/nothing': 404,
      'Observation/a/b': 404,
      Practitioner: 404,
      '': 404
    }
    for (const [path, status] of Object.entries(refused)) {
      const answer = await ask(t, app, path)
      t.match(answer, { status, body: { resourceType: 'OperationOutcome' } }, path)
    }
    const { body: unknown } = await ask(t, app, 'Observation/a%00%1fb')
    t.match(unknown.issue[0].diagnostics, 'a\ufffd\ufffdb')
    const lenient = await ask(t, app, 'Observation?code=29463-7&colour=red&auth=x')
    t.equal(
      lenient.body.link[0].url,
      `${baseUrl}/Observation?code=29463-7`,
      'what is ignored is not in the link'
    )
    t.equal((await ask(t, app, 'Observation?colour=red', strict)).status, 400)
    const format = '_format=application%2Ffhir%2Bjson'
    for (const [path, kept] of [
      ['Observation?_count=2&_format=application/fhir%2Bjson', '_count=2'],
      ['Observation?_format=application/fhir%2Bjson&date=2026&_count=2', 'date=2026']
    ] as const) {
      const { link } = (await ask(t, app, path)).body
      t.equal(link.length, 2)
      for (const { url } of link) t.match(url, new RegExp(`[?&]${format.replaceAll('.', '\\.')}(?:&|$)`))
      for (const { url } of link) t.ok(url.includes(kept), url)
      // The link says what is wanted, even if the header of a browser does not.
      const headers = { accept: 'text/html', authorization: app.token }
      t.equal((await fetch(link[1].url, { headers })).status, 200)
    }
    const inAddress = `${baseUrl}/Observation?_count=2&auth=${app.token}`
    const { link } = (await (await fetch(inAddress)).json()) as Answer
    t.equal((await fetch(link[1].url)).status, 200, 'a token in the address is in the link to the next page')
    t.notOk(link[0].url.includes(app.token))
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
      t.equal((await ask(t, app, 'Observation', { method })).status, 405, method)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"code":"x"}' }
    t.equal((await ask(t, app, 'Observation/_search', json)).status, 415)
    t.equal((await ask(t, app, 'metadata', { headers: { accept: 'application/fhir+xml' } })).status, 406)
  })

  t.test('sees no more than its access', async t => {
    const all = await ask(t, app, 'Observation?_count=500')
    t.equal(all.body.total, 27)
    t.notMatch(JSON.stringify(all.body), /secret|"value":99|luggage/)
    const [hidden] = (await alice.do('events.get', { streams: ['diary'], limit: 1 })).events
    t.equal((await ask(t, app, `Observation/${hidden.id}`)).status, 403)
    t.equal((await ask(t, app, `Observation?_id=${hidden.id}`)).body.total, 0)
    const writer = await alice.grant('create-only', 'body', { type: 'app', name: 'writer' })
    t.equal((await ask(t, writer, 'Observation')).body.total, 0)
  })

  t.test('learns why it is refused, whatever it is', async t => {
    const missing = await ask(t, { service, username }, 'Observation')
    t.equal(missing.status, 401)
    t.match(missing.headers.get('www-authenticate'), /^Bearer /)
    t.match(missing.body.issue, [{ code: 'login' }])
    t.equal((await ask(t, { service, username, token: 'wrong' }, 'Patient')).status, 401)
    for (const path of ['metadata', 'Patient', 'Observation'])
      t.match(await ask(t, { service, username: 'nobody', token: app.token }, path), {
        status: 404,
        body: { issue: [{ code: 'not-found' }] }
      })
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const long = await ask(t, app, 'Observation/_search', { ...form, body: `code=${'x'.repeat(40_000_000)}` })
    t.ok(long.status === 400 || long.status === 413, String(long.status))
  })

  t.test('gets 304 and answers without a body', async t => {
    const first = await ask(t, app, 'Observation?code=29463-7')
    const etag = first.headers.get('etag')!
    const url = `${baseUrl}/Observation?code=29463-7`
    const headers = { authorization: app.token }
    t.equal((await fetch(url, { headers: { ...headers, 'if-none-match': etag } })).status, 304)
    const head = await fetch(url, { method: 'HEAD', headers })
    t.same([head.status, await head.text()], [200, ''])
    t.equal((await fetch(url, { method: 'OPTIONS' })).status, 200)
  })

  t.test('leaves records of a search, of the one for series, and of the streams', async t => {
    const before = (
      await alice.do('events.get', { streams: [':_audit:access-' + app.access.id], limit: 1000 })
    ).events
    await ask(t, app, 'Observation?code=29463-7')
    const after = (
      await alice.do('events.get', { streams: [':_audit:access-' + app.access.id], limit: 1000 })
    ).events
    const added = after.slice(0, after.length - before.length)
    const actions = ['events.get', 'events.get', 'streams.get']
    t.same(added.map(({ content }: Answer) => content.action).toSorted(), actions)
  })

  t.test('is told that an imported resource is in the trash', async t => {
    const resource = { resourceType: 'Observation', status: 'final', code: { text: 'ferritin' } }
    const { id } = await alice.event({
      streamIds: ['blood'],
      type: 'clinical/fhir',
      content: { displayName: 'ferritin', clinicalType: 'labResultRecord' },
      clientData: { 'fhir:resource': resource }
    })
    t.match((await ask(t, app, `Observation/${id}`)).body, resource)
    await alice.do('events.delete', { id })
    t.match((await ask(t, app, `Observation/${id}`)).body, { ...resource, status: 'entered-in-error' })
    const found = (await ask(t, app, `Observation?_id=${id}&status=final`)).body
    t.same(ids(found), [])
    const errors = (await ask(t, app, 'Observation?status=entered-in-error')).body
    t.same(ids(errors), [id], 'is found by its status')
    t.same(ids((await ask(t, app, 'Observation?status=final,entered-in-error')).body).includes(id), false)
  })

  t.test('gets long texts without characters that FHIR forbids', async t => {
    const { id } = await alice.event({
      streamIds: ['weight'],
      type: 'mass/kg',
      content: 70,
      time: monday + day,
      description: `${'long '.repeat(100_000)}\u0000\u001f\ud83d end`
    })
    const [{ text }] = (await ask(t, app, `Observation/${id}`)).body.note
    t.equal(text.slice(-7), '\ufffd\ufffd\ufffd end')
    await alice.do('events.delete', { id })
  })

  t.test('is told that a resource has been deleted', async t => {
    const { id } = await alice.event({
      streamIds: ['weight'],
      type: 'mass/kg',
      content: 70,
      time: monday + day
    })
    await alice.do('events.delete', { id })
    t.match((await ask(t, app, `Observation/${id}`)).body, { status: 'entered-in-error' })
    t.notOk(ids((await ask(t, app, 'Observation?code=29463-7')).body).includes(id))
    await alice.do('events.delete', { id })
    t.match(await ask(t, app, `Observation/${id}`), { status: 410, body: { issue: [{ code: 'deleted' }] } })
  })
})
