/** Resources of streams in the trash: they count as being there themselves. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { ask, ids, monday } from '../../support/fhir.js'

const error = 'entered-in-error'

t.test('resources that are only in streams in the trash are errors', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'health', name: 'Health' })
  await alice.do('streams.create', { id: 'pulse', name: 'Pulse', parentId: 'health' })
  await alice.do('streams.create', { id: 'other', name: 'Other' })
  const add = async (fields: object): Promise<string> =>
    (await alice.event({ streamIds: ['pulse'], time: monday, ...fields })).id
  const heart = await add({ type: 'frequency/bpm', content: 60 })
  const shared = await add({ type: 'frequency/bpm', content: 61, streamIds: ['pulse', 'other'] })
  const series = await add({ type: 'series:frequency/bpm', content: undefined })
  await alice.do('hfs.add', {
    id: series,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: [[1, 62]]
  })
  await alice.service.server.settle()
  const response = await add({
    type: 'clinical/fhir',
    content: { displayName: 'x', clinicalType: 'labResultRecord' },
    clientData: { 'fhir:resource': { resourceType: 'QuestionnaireResponse', status: 'completed' } }
  })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['pulse'], type: 'file/attached', time: monday }))
  form.append('file', new Blob(['Dear Alice'], { type: 'text/plain' }), 'letter.txt')
  const document = (await alice.http('POST', '/events', form)).body.event.id
  const app = await alice.grant('read', 'pulse', { type: 'app' })
  const point = `${series}.p1000000`
  /** What each search finds at most. */
  const known: Record<string, readonly string[]> = {
    'Observation?': [heart, shared],
    'Observation?code=8867-4&date=2026-01-05&': [heart, shared, point],
    'DocumentReference?': [document],
    'QuestionnaireResponse?': [response]
  }

  /** Checks that a client finds these resources, and others as errors only. */
  const check = async (
    client: Client,
    live: readonly string[],
    trashed: readonly string[]
  ): Promise<void> => {
    for (const [query, own] of Object.entries(known)) {
      const type = query.split('?', 1)[0]!
      const expect = async (search: string, wanted: readonly string[], message: string): Promise<void> =>
        void t.same(
          ids((await ask(t, client, search)).body).toSorted(),
          own.filter(id => wanted.includes(id)).toSorted(),
          `${message}: ${search}`
        )
      await expect(query.slice(0, -1), live, 'found')
      await expect(`${query}status=${error}`, trashed, 'found as errors')
      await expect(`${type}?_id=${own.join()}&status=${error}`, trashed, 'by their ids')
      for (const id of own) {
        const { status } = (await ask(t, client, `${type}/${id}`)).body
        t.equal(status === error, trashed.includes(id), `${id}: ${status}`)
      }
    }
    const exported: Answer[] = (
      await client.http('GET', '/events/export?format=fhir-ndjson&state=all&series=true')
    ).body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    for (const { id, status } of exported)
      if (id) t.equal(status === error, trashed.includes(id), `exported: ${id}, ${status}`)
  }
  const all = [heart, shared, point, document, response]
  for (const client of [alice, app]) await check(client, all, [])
  // Above the stream that the app sees.
  await alice.do('streams.delete', { id: 'health' })
  await check(
    alice,
    [shared],
    all.filter(id => id !== shared)
  )
  await check(app, [], all)
  await alice.do('streams.update', { id: 'health', update: { trashed: false } })
  for (const client of [alice, app]) await check(client, all, [])
  // Only the service itself asks.
  const { results } = await app.do('callBatch', [{ method: 'events.findTrashed', params: { ids: [heart] } }])
  t.equal(results[0].error.id, 'invalid-method')
})
