/** Conditions on contents of megabytes: others are answered meanwhile. (docs/spec/streams-queries.md#conditions-on-contents) */
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { Probe } from '../../support/probe.js'

t.setTimeout(240_000)

/** Milliseconds for which somebody else may wait. */
const patience = 400
const bytes = 1024 * 1024
const keys = 15_000

/** Many small events, newer than some large ones. */
async function filled(user: Client, small: number, large: number, content: unknown): Promise<void> {
  await user.stream('diary')
  for (let at = 0; at < small; at += 1000)
    await user.do(
      'callBatch',
      Array.from({ length: 1000 }, (_, index) => ({
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: 'small', time: 1e6 + at + index }
      }))
    )
  for (let time = 1; time <= large; time++) await user.event({ type: 'test/any', content, time })
}

t.test('conditions on contents hold nobody up', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bobby')
  await bob.stream('diary')
  await bob.event()
  const probe = new Probe(bob)
  const wide = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key-${index}`, index]))
  await filled(alice, 4000, 60, { text: 'x'.repeat(bytes), wide })

  const queries: Record<string, unknown[]> = {
    'of the whole': Array.from({ length: 20 }, () => ({ path: '$', exists: true })),
    'of a long text': Array.from({ length: 20 }, () => ({ path: 'text', neq: 'y' })),
    'of the last of many keys': Array.from({ length: 20 }, () => ({ path: `wide.key-${keys - 1}`, gt: 0 })),
    'of something deep': Array.from({ length: 20 }, () => ({
      path: Array(500).fill('a').join('.'),
      exists: false
    }))
  }
  for (const [name, content] of Object.entries(queries))
    for (const params of [{}, { modifiedSince: 0 }])
      await t.test(`${name}, ${JSON.stringify(params)}`, async t => {
        const { slowestMs, value } = await probe.during(async () =>
          alice.call('events.get', {
            content: [...content, { path: 'none', exists: true }].slice(-20),
            ...params
          })
        )
        t.same(value.events, [])
        t.ok(slowestMs < patience, `${Math.round(slowestMs)} ms`)
      })
})
