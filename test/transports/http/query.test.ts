/** Query strings as params. (supplement 1.3, 26; clients.md, Events over the wire; security: finite numbers) */
import t from 'tap'
import { coffer } from '../../support/coffer.js'

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
})
