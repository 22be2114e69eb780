/** Content lengths of responses in bytes: computed by the database where possible. */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

const words = ['plain', 'é€😀', '"\\\n', '\u0000\u007f\u0080', 'ﬀ'.repeat(100)]
const today = { 'disable-backward-compatibility-prefix': 'true' }

t.test('a response', async t => {
  const { alice, server } = await coffer(t, {
    backwardCompatibility: { systemStreams: { prefix: { isActive: true } } }
  })
  await alice.stream('diary')
  await alice.stream('size')
  for (const [index, content] of words.entries())
    await alice.event({ content, time: index, streamIds: [index % 2 === 0 ? 'diary' : 'size'] })
  await alice.do('streams.update', { id: 'diary', update: { name: 'Journal intime – été' } })
  const paths = [
    'events?limit=2',
    'events?limit=50&sortAscending=true',
    'events?streams=diary&streams=size',
    'events?streams=diary',
    'events?types=note/*&skip=1',
    'events?modifiedSince=0&includeDeletions=true',
    'events?streams=:_system:storageUsed',
    'events?streams=.storageUsed',
    'events?fromTime=90&toTime=91',
    'streams',
    'accesses',
    'events?streams=:_audit:&limit=100',
    'events?streams=nowhere-é'
  ]
  for (const path of paths)
    for (const headers of [{}, today])
      await t.test(
        `has the right content length: ${path}${headers === today ? ', with the ids of today' : ''}`,
        async t => {
          const response = await fetch(`${server.url}/alice/${path}`, {
            headers: { authorization: alice.token, ...headers }
          })
          const bytes = Buffer.from(await response.arrayBuffer())
          const length = response.headers.get('content-length')
          // Deletions are sent as a separate chunk.
          if (path.includes('includeDeletions')) t.equal(length, null)
          else t.equal(Number(length), bytes.length)
          t.type(JSON.parse(bytes.toString()).meta, Object)
          t.notMatch(bytes.toString(), '\ufffd')
        }
      )
})
