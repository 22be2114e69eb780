/** Imported resources say when their events are, also after these have been moved. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { ask } from '../../support/fhir.js'
import { rotate } from '../../support/rotation.js'

const eight = Date.UTC(2024, 4, 1, 8) / 1000
const hour = 3600
const observation = { resourceType: 'Observation', status: 'final', code: { text: 'ferritin' } }
const period = { start: '2024-05-01T10:00:00+02:00', end: '2024-05-01T09:00:00Z' }
/** For each resource of an event, what it is after a change of the event; itself if it still says the same. */
const cases: readonly (readonly [resource: Answer, event: object, update: object, by?: object])[] = [
  [
    { effectiveDateTime: '2024-05-01T08:00:00Z' },
    {},
    { content: { displayName: 'x', clinicalType: 'labResultRecord' } }
  ],
  [{ effectiveDateTime: '2024-05-01' }, {}, { time: eight + 2 * hour }],
  [
    { effectiveDateTime: '2024-05-01' },
    {},
    { time: eight + 48 * hour },
    { effectiveDateTime: '2024-05-03T08:00:00Z' }
  ],
  [{ effectiveDateTime: '2024-05' }, {}, { time: eight + 48 * hour }],
  [
    { effectiveDateTime: '2024' },
    {},
    { time: eight - 300 * 24 * hour },
    { effectiveDateTime: '2023-07-06T08:00:00Z' }
  ],
  [
    { effectiveDateTime: '2024-05-01T10:00:00.123456+02:00' },
    { time: eight + 0.123456 },
    { description: 'x' }
  ],
  [
    { effectiveDateTime: '2024-05-01T08:00:00Z', issued: '2024-05-02T08:00:00Z' },
    {},
    { time: eight + hour },
    { effectiveDateTime: '2024-05-01T09:00:00Z', issued: '2024-05-02T08:00:00Z' }
  ],
  [
    { effectiveDateTime: '2024-05-01T08:00:00Z' },
    {},
    { duration: hour },
    { effectivePeriod: { start: '2024-05-01T08:00:00Z', end: '2024-05-01T09:00:00Z' } }
  ],
  [{ effectivePeriod: period }, { duration: hour }, { description: 'x' }],
  [
    { effectivePeriod: period },
    { duration: hour },
    { duration: null },
    { effectivePeriod: { start: '2024-05-01T08:00:00Z' } }
  ],
  [
    { effectivePeriod: period },
    { duration: hour },
    { duration: 0 },
    { effectiveDateTime: '2024-05-01T08:00:00Z' }
  ],
  [{ effectiveInstant: '2024-05-01T08:00:00Z' }, {}, { time: 1e12 }, {}],
  [{ issued: '2024-05-01T08:00:00Z' }, {}, { time: eight + hour }, { issued: '2024-05-01T09:00:00Z' }],
  [{}, {}, { time: eight + hour }],
  // Imports read these, too.
  [
    { resourceType: 'Condition', onsetDateTime: '2024-05-01T08:00Z', recordedDate: '2024-05-02' },
    {},
    { description: 'x' }
  ],
  [
    { resourceType: 'Condition', onsetDateTime: '2024-05-01T08:00Z', recordedDate: '2024-05-02' },
    {},
    { time: eight + hour },
    { onsetDateTime: '2024-05-01T09:00:00Z', recordedDate: '2024-05-02' }
  ],
  [{ effectiveDateTime: '2024-05-01T07:59:60Z', issued: '2024-05-02T08:00:00Z' }, {}, { description: 'x' }],
  [
    { resourceType: 'Immunization', occurrenceDateTime: '2024-05-01T08:00:00Z' },
    {},
    { time: eight + hour },
    { occurrenceDateTime: '2024-05-01T09:00:00Z' }
  ]
]

async function exported({ service, token, username }: Client): Promise<Answer[]> {
  const url = `${service.server.url}/${username}/events/export?format=fhir-ndjson`
  const text = await (await fetch(url, { headers: { authorization: token } })).text()
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

t.test('an imported resource has the time of its event, however large', async t => {
  const { alice } = await coffer(t)
  await alice.stream('records')
  const large = rotate(t, cases, 3)
  for (const [at, each] of cases.entries())
    for (const length of large.includes(each) ? [1, 400_000] : [1])
      await t.test(`${at}, ${length} characters: ${JSON.stringify(each[2])}`, async t => {
        const [times, fields, update, by] = each
        const rest = { ...observation, note: [{ text: 'n'.repeat(length) }] }
        const { id } = await alice.event({
          streamIds: ['records'],
          type: 'clinical/fhir',
          content: { displayName: 'ferritin', clinicalType: 'labResultRecord' },
          clientData: { 'fhir:resource': { ...rest, ...times, id: 'own' } },
          time: eight,
          ...fields
        })
        const resourceType = times.resourceType ?? 'Observation'
        const read = async (): Promise<Answer> => (await ask(t, alice, `Observation/${id}`)).body
        t.same(await exported(alice), [{ ...rest, ...times, id: 'own' }])
        await alice.do('events.update', { id, update })
        const expected = { ...rest, resourceType, ...(by ?? times) }
        t.same(await exported(alice), [{ ...expected, id: 'own' }])
        if (resourceType === 'Observation') {
          const { meta: _meta, subject: _subject, ...found } = await read()
          t.same(found, { ...expected, id })
        }
        // Into the trash, and out of it.
        await alice.do('events.delete', { id })
        await alice.do('events.delete', { id })
      })
})
