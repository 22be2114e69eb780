import t from 'tap'
import { coffer } from '../../support/coffer.js'

t.test('followedSlices.get returns any number of slices, by name, page by page', async t => {
  const { alice } = await coffer(t)
  const slices = Array.from({ length: 450 }, (_, n) => ({
    name: `slice ${(n * 7) % 450}`,
    url: `https://other.example/${'x'.repeat(1500)}`,
    accessToken: `token ${n}`
  }))
  await alice.do(
    'callBatch',
    slices.map(params => ({ method: 'followedSlices.create', params }))
  )
  const { followedSlices } = await alice.do('followedSlices.get')
  t.same(
    followedSlices.map(({ name }: { name: string }) => name),
    slices.map(({ name }) => name).toSorted()
  )
  const credentials = { ip: '127.0.0.1', via: 'http', authorization: alice.token } as const
  const request = { user: 'alice', method: 'followedSlices.get', params: {}, credentials }
  const outcome = await alice.service.server.dispatcher.call(request)
  t.ok(outcome.ok && outcome.remainder, 'what comes first is not all')
  if (outcome.ok) await outcome.remainder?.return()
})
