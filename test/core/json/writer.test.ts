/** Large values as text: writing in slices has the same result as JSON.stringify. */
import t from 'tap'
import { runSteps } from '../../../storage/steps.js'
import { toCanonicalJson } from '../../../core/json/canonical.js'
import {
  canonicalForm,
  exactForm,
  measureJson,
  plainForm,
  writeJson,
  type JsonForm
} from '../../../core/json/writer.js'

/** Returns the text and the number of slices. */
function written(value: unknown, form: JsonForm): { text: string; steps: number; longest: number } {
  let text = ''
  let before = 0
  let longest = 0
  const writing = writeJson(value, form, piece => (text += piece))
  for (let steps = 1; ; steps++) {
    const { done } = writing.next()
    longest = Math.max(longest, text.length - before)
    before = text.length
    if (done) return { text, steps, longest }
  }
}

const range = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i))
const named = JSON.parse(
  `{${range(9000, i => `"__proto__${i % 2 ? i : ''}":"${'x'.repeat(20)}","k${i}":null`).join()}}`
)

const values = {
  numbers: range(200_000, i => i / 8),
  nulls: range(200_000, () => null),
  texts: range(50_000, i => `text ${i}`),
  'a text': '\n"\u200dé\ud83d\ude00'.repeat(100_000),
  'a text of lone surrogates': '\ud83d'.repeat(200_000),
  'keys of any name': named,
  'large ones in large ones': {
    a: [range(50_000, i => i), [], {}, 'y'.repeat(300_000)],
    b: null,
    c: { d: named }
  },
  'many small ones': range(20_000, i => ({ b: i, a: [`${i}`, null], c: null }))
}

t.test('a large value in slices', async t => {
  for (const [name, value] of Object.entries(values))
    t.test(`of ${name} has the same text as in one slice, in many chunks`, async t => {
      for (const [form, whole] of [
        [plainForm, JSON.stringify(value)],
        [exactForm, JSON.stringify(value)],
        [canonicalForm, toCanonicalJson(value)]
      ] as const) {
        const { longest, steps, text } = written(value, form)
        t.ok(text === whole)
        t.ok(steps > 3, `${steps} steps`)
        t.ok(longest < 500_000, `${longest} characters in one`)
      }
      const parsed = JSON.parse(JSON.stringify(value)) as unknown
      t.equal(runSteps(measureJson(parsed, new Map())), JSON.stringify(value).length, 'its length')
    })

  t.test('takes a slice for each level, which takes a count of what is below', async t => {
    const inner = JSON.stringify(range(20_000, i => i))
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}']
    ] as const) {
      const value: unknown = JSON.parse(`${open.repeat(90)}${inner}${close.repeat(90)}`)
      let [opened, most] = [0, 0]
      const steps = writeJson(value, plainForm, chunk => (opened += chunk.includes(open[0]!) ? 1 : 0))
      for (let before = 0; !steps.next().done; before = opened) most = Math.max(most, opened - before)
      t.ok(opened >= 90)
      t.ok(most <= 1, `${most} levels in one`)
    }
  })

  t.test('is written exactly, also with numbers beyond the range of a double', async t => {
    const value = JSON.parse(
      `{"all":[${range(20_000, i => `[${i},null,{"a":1e400}]`).join()}],"least":-1e400}`
    )
    const { steps, text } = written(value, exactForm)
    t.ok(steps > 3, `${steps} steps`)
    t.same(JSON.parse(text), value)
  })

  for (const value of [1, null, '', 'a', [], {}, [[]], { a: null }, { a: { b: [1, 'c'] } }])
    t.test(`is written in one slice if it is small: ${JSON.stringify(value)}`, async t => {
      t.same(written(value, plainForm), {
        text: JSON.stringify(value),
        steps: 1,
        longest: JSON.stringify(value).length
      })
      t.equal(written(value, canonicalForm).text, toCanonicalJson(value))
    })
})
