/** Details of searches: counting, orders, escapes, parameters that are not known, and what links contain. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { ask, day, ids, monday } from '../../support/fhir.js'
import { rawHttp } from '../../support/raw-http.js'

const strict = { headers: { prefer: 'handling=strict' } }

/** Returns the parameters of a link; `undefined` without such a link. */
function linkParams({ link }: Answer, relation: string): URLSearchParams | undefined {
  const found = link.find((each: Answer) => each.relation === relation)
  return found && new URL(found.url).searchParams
}

t.test('a search that only counts has a total and no resources', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  for (let at = 0; at < 620; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at })
  for (const query of ['_count=0', '_summary=count', '_summary=count&_count=3', '_count=0&code=8867-4']) {
    const { body, status } = await ask(t, alice, `Observation?${query}`, strict)
    t.equal(status, 200, query)
    t.equal(body.total, 620, query)
    t.notOk('entry' in body)
    t.same(
      body.link.map(({ relation }: Answer) => relation),
      ['self']
    )
    t.equal(String(linkParams(body, 'self')), query)
  }
  const inTime = '_count=0&code=8867-4&date=ge2026-01-05&date=lt2026-01-05T00:01:00Z'
  t.equal((await ask(t, alice, `Observation?${inTime}`)).body.total, 60)
  t.equal((await ask(t, alice, 'Patient?_count=0')).body.total, 1)
  t.equal((await ask(t, alice, 'Consent?_summary=count')).body.total, 0)
  t.equal((await ask(t, alice, 'Observation?_summary=false&_count=2', strict)).body.entry.length, 2)
  t.equal((await ask(t, alice, 'Observation?_summary=data', strict)).status, 400)
  t.equal(linkParams((await ask(t, alice, 'Observation?_summary=data')).body, 'self')?.size, 0)

  const first = (await ask(t, alice, 'Observation?_count=100')).body
  const page = linkParams(first, 'next')?.get('page') ?? ''
  t.equal((await ask(t, alice, `Observation?_count=0&page=${page}`)).status, 400)
})

t.test('more than can be counted is refused', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  const type = 'series:frequency/bpm'
  const { id } = await alice.event({ streamIds: ['heart'], type, content: null, time: monday })
  const points = Array.from({ length: 10_001 }, (_, at) => [at, 60])
  await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const search = 'Observation?code=8867-4&date=2026-01-05'
  t.match(await ask(t, alice, `${search}&_count=0`), {
    status: 400,
    body: { issue: [{ code: 'too-costly' }] }
  })
  const { body } = await ask(t, alice, `${search}&date=lt2026-01-05T01:00:00Z&_count=0`)
  t.equal(body.total, 3600)
})

t.test('resources named by ids come in the order of the search, over pages', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  const all: string[] = []
  for (const at of [3, 1, 4, 0, 2]) {
    const fields = { streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at * day }
    all[at] = (await alice.event(fields)).id
  }
  const named = `_id=${all[2]},${all[0]},${all[4]}`
  const wanted = [all[0], all[2], all[4]]
  for (const [order, expected] of [
    ['', wanted.toReversed()],
    ['&_sort=-date', wanted.toReversed()],
    ['&_sort=date', wanted]
  ] as const) {
    t.same(ids((await ask(t, alice, `Observation?${named}${order}`)).body), expected, order)
    const seen: string[] = []
    for (let next: string | undefined = `Observation?${named}${order}&_count=1`; next !== undefined;) {
      const { body }: Answer = await ask(t, alice, next)
      seen.push(...ids(body))
      next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
    }
    t.same(seen, expected, `${order} one by one`)
  }
})

t.test('unknown parameters are ignored and not in links, or refused if the client is strict', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  for (let at = 0; at < 3; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at })
  for (const param of [
    '_has:Observation:patient:code=1234-5',
    '_include=Observation:subject',
    '_revinclude:iterate=Observation:subject',
    '_elements=id',
    '_filter=x',
    '_total=accurate',
    'value-quantity=gt1',
    'constructor=1',
    '__proto__=1'
  ]) {
    const { body, status } = await ask(t, alice, `Observation?${param}&_count=2`)
    t.equal(status, 200, param)
    t.equal(ids(body).length, 2, param)
    t.same([...linkParams(body, 'self')!.keys()], ['_count'], param)
    t.same([...linkParams(body, 'next')!.keys()], ['_count', 'page'], param)
    t.match(await ask(t, alice, `Observation?${param}`, strict), {
      status: 400,
      body: { issue: [{ code: 'not-supported' }] }
    })
  }
})

t.test(
  'a backslash before a comma, a bar, a dollar sign or another makes it a part of the value',
  async t => {
    const { alice } = await coffer(t)
    await alice.stream('labs')
    const add = async (system: string, code: string): Promise<string> => {
      const clientData = {
        'fhir:resource': {
          resourceType: 'Observation',
          status: 'final',
          code: { coding: [{ system, code }] }
        }
      }
      const content = { displayName: 'x', clinicalType: 'labResultRecord' }
      return (await alice.event({ streamIds: ['labs'], type: 'clinical/fhir', content, clientData })).id
    }
    const comma = await add('urn:a', 'x,y')
    const bar = await add('urn:b|c', 'p|q')
    const others = await add('urn:d', 'm$n\\o')
    const last = await add('urn:e', 'z')
    for (const [value, found] of [
      [String.raw`x\,y`, [comma]],
      [String.raw`urn:a|x\,y`, [comma]],
      ['x,y', []],
      [String.raw`x\,y,z`, [comma, last]],
      [String.raw`urn:b\|c|p\|q`, [bar]],
      [String.raw`p\|q`, [bar]],
      ['urn:b|c|p|q', []],
      [String.raw`m\$n\\o`, [others]],
      [String.raw`urn:d|m\$n\\o`, [others]],
      ['z\\', []],
      [',z,', [last]]
    ] as const) {
      const { body } = await ask(t, alice, `Observation?code=${encodeURIComponent(value)}`)
      t.same(ids(body).toSorted(), found.toSorted(), value)
      t.equal(linkParams(body, 'self')?.get('code'), value, 'the link has it as it was')
    }
  }
)

t.test('the next link has the token only if it was in the address', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  for (let at = 0; at < 3; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at })
  const app = await alice.grant('read', 'heart', { type: 'app' })
  const url = `${alice.service.server.url}/alice/fhir/Observation`
  const inAddress: Answer = await (await fetch(`${url}?_count=1&auth=${app.token}`)).json()
  t.equal(linkParams(inAddress, 'next')?.get('auth'), app.token)
  t.notOk(linkParams(inAddress, 'self')?.has('auth'))
  const headers = { authorization: app.token }
  const body = new URLSearchParams({ _count: '1', auth: app.token })
  for (const request of [
    fetch(`${url}?_count=1`, { headers }),
    fetch(`${url}?_count=1&auth=${app.token}`, { headers }),
    fetch(`${url}/_search`, { method: 'POST', headers, body }),
    fetch(`${url}/_search`, {
      method: 'POST',
      body: new URLSearchParams({ _count: '1', _auth: app.token, auth: app.token })
    })
  ]) {
    const response = await request
    t.equal(response.status, 200)
    t.notMatch(await response.text(), app.token)
  }
})

t.test('forms that are deleted during a search are left out', async t => {
  const starts = new EventEmitter()
  const tell = (): void => void starts.emit('message')
  subscribe('http.server.request.start', tell)
  t.teardown(() => unsubscribe('http.server.request.start', tell))
  const { alice } = await coffer(t)
  await alice.stream('visits')
  for (let round = 0; round < 3; round++) {
    const forms: string[] = []
    for (let count = 0; count < 40; count++) {
      const { form } = await alice.do('forms.create', { template: 'phq-9', streamId: 'visits' })
      forms.push(form.id)
      alice.service.clock.advance(1)
    }
    const erase = async (): Promise<void> => {
      await once(starts, 'message')
      for (const id of forms.slice(10).toReversed()) await alice.do('forms.delete', { id })
    }
    const [, { body, status }] = await Promise.all([erase(), ask(t, alice, 'Questionnaire')])
    t.equal(status, 200)
    t.same(ids(body).slice(0, 10), forms.slice(0, 10))
    for (const id of forms.slice(0, 10)) await alice.do('forms.delete', { id })
  }
})

t.test('a posted search is a form of texts, and nothing else', async t => {
  const { alice } = await coffer(t)
  const { server } = alice.service
  await alice.stream('heart')
  await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60 })
  const post = async (body: string, headers: Record<string, string>): Promise<Answer> =>
    await rawHttp(server.url, {
      verb: 'POST',
      path: '/alice/fhir/Observation/_search',
      headers: { authorization: alice.token, 'content-length': String(body.length), ...headers },
      body
    })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [json, total] of Object.entries({ '{"code":["8867-4"]}': 1, '{"code":"1234-5"}': 0, '{}': 1 }))
    t.match(await post(`_json=${json}`, form), { status: 200, body: { total } }, json)
  for (const json of [
    '{"code":5}',
    '{"code":null}',
    '{"code":["8867-4",5]}',
    '{"x":{"y":"z"}}',
    '{"_count":true}'
  ])
    t.match(
      await post(`_json=${json}`, form),
      { status: 400, body: { resourceType: 'OperationOutcome' } },
      json
    )
  t.match(await post('code=1234-5', {}), { status: 415, body: { resourceType: 'OperationOutcome' } })
  t.match(await post('', {}), { status: 200, body: { total: 1 } }, 'without parameters')
})

t.test('imported resources are found by the dates that they name, wherever these were read', async t => {
  const { alice } = await coffer(t)
  await alice.stream('lab')
  const hour = 3600
  const add = async (text: string, offset: number, members: object = {}): Promise<string> => {
    const resource = {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '4548-4' }] },
      ...(text !== '' && { effectiveDateTime: text }),
      ...members
    }
    const { id } = await alice.event({
      streamIds: ['lab'],
      type: 'clinical/fhir',
      content: { displayName: text, clinicalType: 'labResultRecord' },
      clientData: { 'fhir:resource': resource },
      // As an import reads it in a zone that is so far east of UTC.
      time: Date.parse(text || '2026-01-05') / 1000 - offset * hour,
      ...(text === '' && { duration: day })
    })
    return id
  }
  const year = await add('2026', 1)
  const period = await add('', 1, { effectivePeriod: { start: '2026-01-05', end: '2026-01-06' } })
  const auckland = await add('2026-01-05', 13)
  const zurich = await add('2026-01-05', 1)
  const honolulu = await add('2026-01-05', -10)
  const tuesday = await add('2026-01-06', 13)
  const exact = await add('2026-01-05T23:30:00Z', 0)
  const [before, after] = [await add('2026-01-04', -10), await add('2026-01-07', 14)]

  const all = [after, tuesday, exact, honolulu, zurich, auckland, period, before, year]
  const cases: Record<string, readonly string[]> = {
    'date=2026-01-05': [exact, honolulu, zurich, auckland],
    'date=ge2026-01-05': [after, tuesday, exact, honolulu, zurich, auckland, period],
    'date=gt2026-01-05': [after, tuesday, period],
    'date=lt2026-01-05': [before, year],
    'date=le2026-01-05': [exact, honolulu, zurich, auckland, period, before, year],
    'date=2026-01-06': [tuesday],
    'date=ge2026-01-05&date=le2026-01-06': [tuesday, exact, honolulu, zurich, auckland, period],
    'date=2026-01-05T23:30:00Z': [exact],
    // What lasts from before the one to the other.
    'date=lt2026-01-05T12:00:00Z&date=ge2026-01-06': [period],
    'date=2026': all
  }
  for (const [query, found] of Object.entries(cases))
    for (const [order, count, code] of [
      ['date', 2, ''],
      ['-date', 1, '&code=http://loinc.org|4548-4'],
      ['-date', 100, '']
    ] as const) {
      const path = `Observation?${query}${code}&_sort=${order}&_count=${count}`
      const pages: Answer[] = []
      for (let next: string | undefined = path; next !== undefined;) {
        const { body }: { body: Answer } = await ask(t, alice, next)
        pages.push(body)
        next = body.link.find((each: Answer) => each.relation === 'next')?.url.split('/fhir/')[1]
      }
      const read = pages.flatMap(ids)
      t.same(read.toSorted(), found.toSorted(), path)
      if (pages.length === 1) t.equal(pages[0].total, found.length, `${path}: total`)
      else t.ok(found.length > count || pages.length === 2, `${path}: pages`)
    }
  t.same(ids((await ask(t, alice, `Observation?_id=${zurich}&date=2026-01-05`)).body), [zurich])
  t.equal((await ask(t, alice, 'Observation?date=2026-01-05&page=7.x')).status, 400)
  t.equal((await ask(t, alice, 'Observation?date=2026-01-05&page=x')).status, 400)
})
