/** Validation of settings: the same result as the library's, with readable messages. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import t from 'tap'
import { findViolations } from '../../../core/settings/schema-check.js'
import { settingsList } from '../../../core/settings/list.js'

const values: readonly unknown[] = [
  [null, true, 0, -1, 1.5, 65_535, 65_536, 2 ** 53, Infinity, NaN, '', 'x', 'sha256', 'info', 'abcdefgh'],
  ['https://x.example', 'javascript:', [], [1], ['abc'], ['abcde', 'x'], ['https://x.example/a?b'], [[]], {}],
  [{ a: 'b' }, { a: 1 }, { welcome: true }, { welcome: true, resetPassword: false }, { id: 'an-app' }],
  [[{ id: 'an-app' }], [{ id: 'app' }], [{ id: 'an-app', iconURL: 'x' }], [{ id: 'an-app', other: 1 }]],
  ['personalToken', ['personalToken'], ['adminToken', 'x'], '__proto__', { ['__proto__']: 1 }]
].flat()

t.test('findViolations', async t => {
  t.test("matches the library's result", async t => {
    // Only this service knows its own `form` keyword.
    const settings = settingsList.filter(({ schema }) => !JSON.stringify(schema).includes('"form":'))
    for (const { key, schema, defaultValue } of settings)
      for (const value of [...values, defaultValue])
        if ((findViolations(schema, value).length === 0) !== Value.Check(schema, value))
          t.fail(`${key}: ${JSON.stringify(value)}`)
  })

  const scenarios: [
    schema: Parameters<typeof findViolations>[0],
    value: unknown,
    place: string,
    problem: string
  ][] = [
    [Type.Integer({ minimum: 0, maximum: 9 }), 1.5, '', 'must be a whole number from 0 to 9'],
    [Type.Number({ minimum: 0 }), -1, '', 'must be a number of 0 or more'],
    [Type.Enum(['a', 'b']), 'c', '', 'must be one of "a", "b"'],
    [Type.Union([Type.Null(), Type.Boolean()]), 'x', '', 'must be null or true or false'],
    [Type.Array(Type.String({ maxLength: 2 })), ['a', 'abc'], '[1]', 'must be text of up to 2 characters'],
    [Type.Record(Type.String(), Type.String()), { a: 1 }, '.a', 'must be text'],
    [Type.Record(Type.String({ pattern: '^a$' }), Type.String()), { b: '' }, '', `can't have "b"`],
    [Type.String({ form: 'webUrl' }), 'x', '', 'must be an http or https URL, or empty'],
    [
      Type.String({ form: 'range', minLength: 1 }),
      '',
      '',
      'must be an IP address or a range such as 10.0.0.0/8'
    ],
    [Type.Object({ a: Type.String() }), {}, '', 'needs "a"'],
    [Type.Object({}, { additionalProperties: false }), { a: 1 }, '', `can't have "a"`]
  ]
  for (const [schema, value, place, problem] of scenarios)
    t.test(`reports that ${JSON.stringify(value)} ${problem}`, async t => {
      t.same(findViolations(schema, value), [{ place, problem }])
    })
})
