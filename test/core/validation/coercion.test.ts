/** Converts text to the values that schemas expect. (docs/spec/conventions.md#query-strings) */
import t from 'tap'
import { Type, type TSchema } from 'typebox'
import { compileCoercion, compileCoercions } from '../../../core/validation/coercion.js'

const List = Type.Array(Type.String())
const Query = Type.Union([Type.String(), List, Type.Object({ any: List })])

t.test('coercion', async t => {
  const cases: [schema: TSchema, text: string | string[], value: unknown][] = [
    [Type.Number(), '1.5', 1.5],
    [Type.Number(), '-1.7976931348623157e+308', -Number.MAX_VALUE],
    [Type.Number(), '-1.7976931348623157e 308', -Number.MAX_VALUE],
    [Type.Number(), '1 2', '1 2'],
    [Type.Number(), '1.7976931348623157E308', Number.MAX_VALUE],
    [Type.Number(), '1700000000.123457', 1_700_000_000.123_457],
    [Type.Number(), '.5', 0.5],
    [Type.Number(), '1e999', '1e999'],
    [Type.Number(), 'NaN', 'NaN'],
    [Type.Number(), 'Infinity', 'Infinity'],
    [Type.Number(), '0x10', '0x10'],
    [Type.Number(), '', ''],
    [Type.Number(), ' 1', ' 1'],
    [Type.Number(), '1'.repeat(401), '1'.repeat(401)],
    [Type.Integer(), '12', 12],
    [Type.Integer(), '1.5', 1.5],
    [Type.Integer(), ['1', '2'], ['1', '2']],
    [Type.Boolean(), 'true', true],
    [Type.Boolean(), 'False', false],
    [Type.Boolean(), 'TRUE', true],
    [Type.Boolean(), '1', '1'],
    [Type.Boolean(), 'yes', 'yes'],
    [Type.String(), '12', '12'],
    [Type.String(), '[1]', '[1]'],
    [Type.String(), 'true', 'true'],
    [List, 'one', ['one']],
    [List, ['one', 'two'], ['one', 'two']],
    [List, '["one","two"]', ['one', 'two']],
    [List, '["one"', ['["one"']],
    [List, '', ['']],
    [Type.Array(Type.Number()), ['1', 'x'], [1, 'x']],
    [Query, 'one', 'one'],
    [Query, '{"any":["a"]}', { any: ['a'] }],
    [Type.Union([Type.Number(), Type.Null()]), '3', 3],
    [Type.Unknown(), '{"any":["a"]}', '{"any":["a"]}']
  ]
  for (const [schema, text, value] of cases)
    t.test(
      `converts ${JSON.stringify(text).slice(0, 40)} to ${JSON.stringify(value).slice(0, 40)}`,
      async t => {
        // Strict, since a loose comparison treats `1e999` as Infinity.
        t.strictSame(compileCoercion(schema)(text), value)
      }
    )

  t.test('uses the property names of an object', async t => {
    const plan = compileCoercions(
      Type.Object({ limit: Type.Integer(), running: Type.Optional(Type.Boolean()) })
    )
    t.same([...plan.keys()], ['limit', 'running'])
    t.equal(plan.get('running')?.('true'), true)
    t.equal(plan.get('__proto__'), undefined)
  })
})
