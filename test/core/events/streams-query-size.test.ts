/** Queries of streams with a million members are refused before anything iterates over them. */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

/**
 * Maximum time of a refusal in milliseconds: the params are only searched for numbers that are out of range. Writing the ids as JSON,
 * or iterating over them as ids, takes several times as long.
 */
const limitMs = 35
const many = Array.from({ length: 1_000_000 }, () => 'a')
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

t.test('queries of streams with a million members are refused at once', async t => {
  const { alice } = await openCoffer(t)
  const refuses = async (method: string, form: string): Promise<unknown> =>
    await t.test(`${method} with ${form}`, async t => {
      const params = { ...calls[method], streams: queries[form] }
      await assertTakesLessThan(t, limitMs, async () =>
        longestTurn(async () =>
          t.match(await alice.call(method, params), { error: { id: 'invalid-request-structure' } })
        )
      )
    })
  // All methods are checked in one place: each is tried with one form.
  for (const form of Object.keys(queries)) await refuses('events.get', form)
  for (const method of Object.keys(calls).slice(1)) await refuses(method, 'a list')
})
