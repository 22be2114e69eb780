/** Large resources: they are complete, and others have their turn while they are read. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { ids, monday } from '../../support/fhir.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

const test = inRotation(t, 2)
test('large resources', async t => {
  const { alice } = await coffer(t, { limits: { bodyBytes: 32 * 1024 * 1024 } })
  await alice.stream('records')
  // Of five megabytes; one of them of eight.
  const components = Array.from({ length: 30_000 }, (_, at) => ({
    code: { text: `part ${at} ${'x'.repeat(150)}`, coding: [{ system: 'http://loinc.org', code: '1234-5' }] },
    valueQuantity: { value: at, unit: 'mg' }
  }))
  const component = components.slice(0, 18_000)
  const resource = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'panel' },
    performer: [{ reference: 'Practitioner/1' }]
  }
  const large: string[] = []
  for (const [at, own] of [components, component].entries()) {
    const fields = { content: { displayName: 'x', clinicalType: 'labResultRecord' }, time: monday + at }
    const clientData = { 'fhir:resource': { ...resource, component: own } }
    large.push(
      (await alice.event({ streamIds: ['records'], type: 'clinical/fhir', ...fields, clientData })).id
    )
  }
  await alice.service.server.settle()

  const read = async (path: string): Promise<Answer> => {
    const { body, status } = await alice.http('GET', `/fhir/${path}`)
    t.equal(status, 200, path)
    return body
  }

  t.test('are found on pages that end after four million characters', async t => {
    const seen: Answer[] = []
    let next: string | undefined = 'Observation'
    while (next !== undefined) {
      const body: Answer = await read(next)
      t.ok(ids(body).length <= 1)
      seen.push(...(body.entry ?? []).map((entry: Answer) => entry.resource))
      next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
    }
    t.same(
      seen.map(({ id }) => id),
      large.toReversed()
    )
    t.same(seen[0].component, component)
    t.same(seen[0].performer, [{ display: 'Practitioner/1' }])
  })

  t.test('let others have their turn', async t => {
    for (const path of ['Observation', `Observation?_id=${large.join()}`, `Observation/${large[0]}`]) {
      await assertTakesLessThan(t, 50, async () => await longestTurn(async () => await fetchOnly(path)))
    }
  })

  t.test('with many codes let others have their turn, whatever is searched for', async t => {
    const coding = Array.from({ length: 150_000 }, (_, at) => ({ code: at === 0 ? 'rare' : 'x' }))
    const clientData = { 'fhir:resource': { ...resource, code: { coding } } }
    const fields = { content: { displayName: 'x', clinicalType: 'labResultRecord' }, time: monday + 9 }
    const { id } = await alice.event({ streamIds: ['records'], type: 'clinical/fhir', ...fields, clientData })
    await alice.service.server.settle()
    const unknown = Array.from({ length: 19 }, (_, at) => `y${at}`)
    const list = [...unknown, 'rare'].join()
    const path = `Observation?${`code=${list}&`.repeat(5)}`
    t.same(ids(await read(path)), [id])
    await assertTakesLessThan(t, 100, async () => await longestTurn(async () => await fetchOnly(path)))
    const tooMany = await alice.http('GET', `/fhir/Observation?${`code=${list}&`.repeat(6)}`)
    t.match(tooMany, { status: 400, body: { issue: [{ code: 'too-costly' }] } })
  })

  /** Reads a response without parsing it, which takes long. */
  async function fetchOnly(path: string): Promise<void> {
    const url = `${alice.service.server.url}/${alice.username}/fhir/${path}`
    const response = await fetch(url, { headers: { authorization: alice.token } })
    await response.arrayBuffer()
  }
})

test('consents to thousands of streams come in several pages, and let others have their turn', async t => {
  const { alice } = await coffer(t)
  await alice.stream('all')
  const streamIds = Array.from({ length: 3000 }, (_, at) => `part-${at}`)
  const calls = streamIds.map(id => {
    const params = { id, name: id, parentId: 'all' }
    return { method: 'streams.create', params }
  })
  await alice.do('callBatch', calls)
  const accesses: string[] = []
  for (let at = 0; at < 10; at++) {
    const permissions = streamIds.map(streamId => ({ streamId, level: 'contribute' as const }))
    accesses.push((await alice.grantAll(permissions)).access.id)
  }
  await alice.service.server.settle()
  const seen: string[] = []
  for (let next: string | undefined = 'Consent'; next !== undefined;) {
    const { body } = await alice.http('GET', `/fhir/${next}`)
    t.ok(ids(body).length < 6, `${ids(body).length} in a page of at most four million characters`)
    seen.push(...ids(body))
    next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
  }
  t.same(seen.toSorted(), accesses.toSorted())
  const url = `${alice.service.server.url}/${alice.username}/fhir/Consent`
  const fetchOnly = async (): Promise<void> => {
    const response = await fetch(url, { headers: { authorization: alice.token } })
    await response.arrayBuffer()
  }
  await assertTakesLessThan(t, 60, async () => await longestTurn(fetchOnly))
})

test('names of hundreds of streams are compared in short steps', async t => {
  const { alice } = await coffer(t)
  // The letter becomes a sentence of 18 letters once it is decomposed.
  const long = `aB${'ﷺ'.repeat(250)}`
  const streams = Array.from({ length: 99 }, (_, at) => ({ id: `level-${at}`, parentId: `level-${at - 1}` }))
  const leaves = Array.from({ length: 500 }, (_, at) => ({ id: `leaf-${at}`, parentId: 'level-98' }))
  await alice.do(
    'callBatch',
    [...streams, ...leaves].map(({ id, parentId }) => ({
      method: 'streams.create',
      params: { id, name: `${id} ${long}`, ...(id !== 'level-0' && { parentId }) }
    }))
  )
  const weight = { type: 'mass/kg', content: 70, time: monday }
  const streamIds = leaves.slice(0, 20).map(({ id }) => id)
  const { id } = await alice.event({ streamIds, ...weight })
  await alice.do(
    'callBatch',
    leaves.map(leaf => ({
      method: 'events.create',
      params: { streamIds: [leaf.id], ...weight }
    }))
  )
  await alice.service.server.settle()
  for (const path of [`Observation/${id}`, 'Observation?code=29463-7', 'Observation'])
    await assertTakesLessThan(t, 120, async () => {
      return await longestTurn(async () => void (await alice.http('GET', `/fhir/${path}`)))
    })
})

test('pages of data points in deep streams with long names end after four million characters', async t => {
  const { alice } = await coffer(t)
  const rest = 'x'.repeat(1000)
  for (let at = 0; at < 20; at++) {
    const above = at > 0 && { parentId: `part-${at - 1}` }
    const clientData = at === 1 ? { 'coffer:measure': 'glucose' } : {}
    await alice.do('streams.create', { id: `part-${at}`, name: `${at} ${rest}`, clientData, ...above })
  }
  const type = 'series:density/mg-dl'
  const { id } = await alice.event({ streamIds: ['part-19'], type, content: null, time: monday })
  const points = Array.from({ length: 500 }, (_, at) => [at, 90 + at / 10])
  await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await alice.service.server.settle()
  const values: number[] = []
  let pages = 0
  let next: string | undefined = 'Observation?code=2339-0&date=2026-01-05&_sort=date&_count=1000'
  for (; next !== undefined; pages++) {
    const { body, status } = await alice.http('GET', `/fhir/${next}`)
    t.equal(status, 200)
    t.ok(JSON.stringify(body).length < 4_500_000)
    values.push(...(body.entry ?? []).map(({ resource }: Answer) => resource.valueQuantity.value))
    next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
  }
  t.same(
    values,
    points.map(([, value]) => value)
  )
  t.ok(pages > 1 && pages < 5, `${pages} pages`)
})

test('what is read has its turn, one by one for an account, the accesses in turn', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bob')
  await alice.stream('records')
  const component = Array.from({ length: 4000 }, (_, at) => ({ code: { text: `part ${at}` } }))
  const event = {
    streamIds: ['records'],
    type: 'clinical/fhir',
    content: { displayName: 'x', clinicalType: 'labResultRecord' },
    clientData: { 'fhir:resource': { resourceType: 'Observation', status: 'final', code: {}, component } }
  }
  for (let at = 0; at < 20; at++) await alice.event(event)
  const reader = await alice.grant('read', 'records')
  const other = await alice.grant('read', 'records')
  const order: string[] = []
  const search = async (client: typeof alice, name: string, query: string): Promise<void> => {
    t.equal((await client.http('GET', `/fhir/Observation${query}`)).status, 200)
    order.push(name)
  }
  const long = Array.from({ length: 4 }, async () => await search(reader, 'long', '?code=none'))
  await Promise.race(long)
  const short = [
    search(reader, 'short', '?_id=none'),
    search(other, 'of another access', '?_id=none'),
    search(bob, 'of another account', '?_id=none')
  ]
  await Promise.all([...long, ...short])
  t.equal(order.at(-1), 'short', order.join())
  for (const name of ['of another access', 'of another account'])
    t.ok(order.indexOf(name) < order.lastIndexOf('long'), order.join())
})
