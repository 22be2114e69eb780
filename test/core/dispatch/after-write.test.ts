/** Failures after a write must not state that nothing was done: clients would write again. */
import t from 'tap'
import { AccountElsewhere, SpoolsFull, StorageFull, StoreNotReady } from '../../../storage/errors.js'
import { toErrorAfterWrite } from '../../../core/call/outcome.js'
import { ApiError } from '../../../core/errors.js'
import { openCoffer } from '../../support/coffer.js'

/** Characters of a response that are kept in memory. */
const inMemory = 256 * 1024

const create = (length: number): object => ({
  method: 'events.create',
  params: { streamIds: ['diary'], type: 'note/txt', content: 'a'.repeat(length) }
})

t.test('a write whose response cannot be stored', async t => {
  const { alice } = await openCoffer(t, { limits: { spoolBytes: 1 } })
  await alice.stream('diary')
  const made = async (): Promise<number> => (await alice.do('streams.facts', {})).facts[0].count
  const [result] = (await alice.http('POST', '/', [create(1)])).body.results
  const almostAll = inMemory - '"results":['.length - JSON.stringify(result).length - 20
  const alone = { method: 'account.getEmail', params: {} }

  t.test('is not offered for retry', async t => {
    const before = await made()
    const { params } = create(1_200_000) as { params: object }
    const answer = await alice.http('POST', '/events', params)
    t.match(answer, { status: 503, body: { error: { id: 'api-unavailable' } } })
    t.notOk(answer.headers.has('retry-after'))
    t.equal(await made(), before + 1)
  })

  for (const [name, more] of [
    ['in a batch', []],
    ['in a batch that ends with another call', [alone]]
  ] as const)
    t.test(`is not offered for retry: ${name}`, async t => {
      const before = await made()
      const answer = await alice.http('POST', '/', [create(almostAll), create(1000), ...more])
      t.match(answer, { status: 503, body: { error: { id: 'api-unavailable' } } })
      t.notOk(answer.headers.has('retry-after'))
      t.equal(await made(), before + 2)
    })

  t.test('is reported as done if the batch has a response', async t => {
    const { body } = await alice.http('POST', '/', [create(1), create(400_000)])
    t.match(body.results[1].error, { id: 'api-unavailable', message: /took effect/ })
  })
})

t.test('an error after a write', async t => {
  const ready = Promise.resolve()
  for (const thrown of [new SpoolsFull(), new StoreNotReady(ready), new AccountElsewhere('alice')]) {
    const error = toErrorAfterWrite(thrown)
    t.match(error, { id: 'api-unavailable', status: 503 })
    t.equal(error.details.retryAfter, undefined, thrown.name)
  }
  t.equal(toErrorAfterWrite(new StorageFull()).id, 'insufficient-storage')
  const known = new ApiError('forbidden')
  t.equal(toErrorAfterWrite(known), known)
})
