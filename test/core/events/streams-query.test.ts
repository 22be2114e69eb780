/**
 * Parsing of the `streams` parameter: queries with too many ids are refused before they are read.
 * (docs/spec/streams-queries.md)
 */
import t from 'tap'
import { parseStreamsQuery } from '../../../core/events/streams-query.js'

const limit = 3

t.test('a streams query that names too many ids', async t => {
  /** Four ids, the second of which must not be read. */
  const four = new Proxy(['a', 'b', 'c', 'd'], {
    get: (list, name) => (name === '1' ? t.fail('an id was looked at') : Reflect.get(list, name))
  })
  for (const [what, value] of [
    ['ids', four],
    ['one query', { any: four }],
    ['a list of queries', [{ any: ['a'], not: four }]],
    ['the text of one', `["a",${' '.repeat(100_000)}"b"]`],
    ['its text in a list', [`["a",${' '.repeat(100_000)}"b"]`]]
  ] as const)
    t.test(`as ${what} is refused by its number of ids`, async t => {
      t.throws(() => parseStreamsQuery(value, limit), {
        message: 'The streams query contains more than 3 IDs'
      })
    })

  t.test('is parsed if it is within the limit', async t => {
    t.match(parseStreamsQuery([{ any: ['a', 'b'], not: ['c'] }], limit), [
      { any: [{}, {}], not: [{ id: 'c' }] }
    ])
    t.match(parseStreamsQuery('["a","b","c"]', limit), [{ any: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }])
  })
})
