/** Results as JSON text. */
import t from 'tap'
import { JsonMembers, JsonText, joinMembers } from '../../../core/json/json-text.js'

t.test('members', async t => {
  const odd = JSON.parse('{"__proto__":{"a":1},"é":"\\u2028","n":null}') as object
  const results: object[] = [
    {},
    { event: { id: 'x', content: { deep: [1, null] } }, history: [] },
    { gone: undefined, a: 1 },
    { when: new Date(0) },
    odd
  ]

  t.test('writes what JSON.stringify writes between the braces', async t => {
    for (const result of results) t.equal(`{${joinMembers(result)}}`, JSON.stringify(result))
  })

  t.test('passes existing text through', async t => {
    t.equal(joinMembers(new JsonMembers('"a":1,"b":[]')), '"a":1,"b":[]')
    for (const result of results) {
      const texts = Object.entries(result).flatMap(([key, value]) => {
        const text = JSON.stringify(value) as string | undefined
        return text === undefined ? [] : [[key, new JsonText(text)] as const]
      })
      const mixed = Object.fromEntries([...texts, ['last', 'plain'] as const])
      t.same(JSON.parse(`{${joinMembers(mixed)}}`), { ...JSON.parse(JSON.stringify(result)), last: 'plain' })
    }
  })
})
