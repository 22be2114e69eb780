/** Queries of streams with millions of members are refused before anything iterates over them. */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

/** Maximum time of a refusal in milliseconds: the params are only searched for numbers that are out of range. */
const limitMs = 50
const many = Array.from({ length: 4_000_000 }, () => 'a')
const range = { fromTime: 1, toTime: 2 }
const calls: Readonly<Record<string, object>> = {
  'events.get': range,
  'events.export': { ...range, format: 'csv' },
  'streams.facts': {},
  'measures.facts': {},
  'measures.sample': { ...range, measure: 'weight', parts: 10 },
  'measures.days': { measure: 'weight', from: '2026-03-01', to: '2026-03-02' },
  'audit.get': {}
}
const queries: Readonly<Record<string, unknown>> = {
  'a list': many,
  'an object': { any: many },
  'a list in a list': [many],
  'a list in an object': { any: [many] },
  'an unknown member': { any: ['*'], other: many }
}

t.test('queries of streams with millions of members are refused at once', async t => {
  const { alice } = await openCoffer(t)
  for (const [method, params] of Object.entries(calls))
    for (const [name, streams] of Object.entries(queries))
      await t.test(`${method} with ${name}`, async t => {
        await assertTakesLessThan(t, limitMs, async () =>
          longestTurn(async () =>
            t.match(await alice.call(method, { ...params, streams }), {
              error: { id: 'invalid-request-structure' }
            })
          )
        )
      })
})
