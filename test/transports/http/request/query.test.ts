/** Query strings as params. (docs/spec/conventions.md#query-strings) */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

t.test('a query', async t => {
  const { alice } = await coffer(t)
  for (const id of ['one', 'two']) {
    await alice.stream(id)
    await alice.event({ streamIds: [id], content: id })
  }
  const largest = '1.7976931348623157e%2B308'
  const accepted: [query: string, count: number][] = [
    ['', 2],
    ['?limit=1', 1],
    ['?limit=0', 0],
    ['?sortAscending=TRUE&limit=5', 2],
    ['?streams=one', 1],
    ['?streams=one&streams=two', 2],
    ['?streams[]=one&streams[]=two', 2],
    ['?streams%5B%5D=one', 1],
    ['?streams[0]=one&streams[1]=two', 2],
    ['?streams%5B0%5D=one', 1],
    ['?streams=["one","two"]', 2],
    ['?streams={"any":["one"],"not":["two"]}', 1],
    ['?streams=[{"any":["one"]},{"any":["two"]}]', 2],
    ['?types=note/txt', 2],
    ['?types=note/txt&types=mass/kg', 2],
    ['?types=mass/kg', 0],
    [`?fromTime=-${largest}&toTime=${largest}`, 2],
    [`?modifiedSince=-${largest}`, 2],
    [`?modifiedSince=${largest}`, 0]
  ]
  for (const [query, count] of accepted)
    t.test(`${query || '(empty)'} finds ${count}`, async t => {
      const { status, body } = await alice.http('GET', `/events${query.replaceAll('"', '%22')}`)
      t.equal(status, 200, JSON.stringify(body.error))
      t.equal(body.events?.length, count)
    })

  const refused = [
    'limit=x',
    'limit=1.5',
    'limit=-1',
    'limit=',
    'limit=1e999',
    'limit=NaN',
    'limit=Infinity',
    'limit[]=1',
    'limit[0]=1',
    'streams[any]=one',
    '[]=one',
    'fromTime=1e999',
    'fromTime=0x10',
    'sortAscending=yes',
    'running=1',
    'state=gone',
    'unknown=1',
    '__proto__=1',
    'streams={"any":',
    'withDeletions=true',
    'limit=1%',
    'limit=%zz',
    '%ff=1',
    'streams=%c3'
  ]
  for (const query of refused)
    t.test(`with ${query} is refused`, async t => {
      const { status, body } = await alice.http('GET', `/events?${query.replaceAll('"', '%22')}`)
      t.equal(status, 400)
      t.match(body, { error: { id: String }, meta: Object })
    })

  t.test('may repeat a name as often as a streams query may list ids', async t => {
    t.match(await alice.http('GET', `/events?${ids(1000)}&types=note/txt`), {
      status: 200,
      body: { events: [{}] }
    })
    t.match(await alice.http('GET', `/events?${ids(1001)}`), { status: 400, body: tooMany })
    t.match(await alice.http('GET', `/events?${'limit=1&'.repeat(1001)}`), { status: 400, body: tooMany })
    const { alice: other } = await coffer(t, { limits: { queryIds: 3000 } })
    await other.stream('one')
    t.match(await other.http('GET', `/events?${ids(3000)}`), { status: 200 })
    t.match(await other.http('GET', `/events?${ids(3001)}`), { status: 400, body: tooMany })
  })

  t.test('may have a thousand names, of up to a thousand characters', async t => {
    const unknown = { error: { id: 'invalid-parameters-format' } }
    t.match(await alice.http('GET', `/events?${names(1000)}`), { status: 400, body: unknown })
    t.match(await alice.http('GET', `/events?${names(1001)}`), { status: 400, body: tooMany })
    t.match(await alice.http('GET', `/events?${'n'.repeat(1000)}=1`), { status: 400, body: unknown })
    t.match(await alice.http('GET', `/events?${'n'.repeat(1001)}=1`), { status: 400, body: tooMany })
    t.match(await alice.http('GET', `/events?${'&'.repeat(9000)}limit=1`), { status: 200 })
    t.match(await alice.http('GET', `/events?${'&'.repeat(11_000)}limit=1`), { status: 400, body: tooMany })
  })

  t.test('may be as long as the request head permits', async t => {
    const others = Array.from({ length: 900 }, (_value, index) => `stream-of-many-${index}`)
    const json = encodeURIComponent(JSON.stringify({ any: ['one'], not: others }))
    t.match(await alice.http('GET', `/events?streams=${json}`), { status: 200, body: { events: [{}] } })
  })
})

const tooMany = { error: { id: 'invalid-request-structure', message: /^A query or form can / }, meta: Object }

function names(count: number): string {
  return Array.from({ length: count }, (_value, index) => `n${index}`).join('&')
}

function ids(count: number): string {
  return Array.from({ length: count }, () => 'streams=one').join('&')
}
