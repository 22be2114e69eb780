/** Error messages for invalid params. */
import t from 'tap'
import { Type } from 'typebox'
import { ApiError } from '../../../core/errors.js'
import { createChecker } from '../../../core/validation/params.js'
import { RequestedPermissions } from '../../../core/accesses/granting.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import type { Answer } from '../../support/coffer.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'

const check = createChecker(
  Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      limit: orNull(Type.Integer({ minimum: 0 })),
      ids: orNull(Type.Array(Type.String())),
      nothing: Type.Optional(Type.Null()),
      level: Type.Optional(Type.Union([Type.String(), Type.Number()]))
    },
    closed
  )
)

/** Returns the error for these params, as callers get it. */
function refusal(params: unknown, look = check): object | undefined {
  try {
    look(params)
  } catch (error) {
    if (error instanceof ApiError) return error.toJSON()
    throw error
  }
  return undefined
}

t.test('params', async t => {
  t.test('are accepted if they are valid', async t => {
    for (const params of [{ name: 'x' }, { name: 'x', limit: null, ids: null, nothing: null, level: 'low' }])
      t.equal(refusal(params), undefined)
  })

  t.test('are refused by name if one is missing or unknown', async t => {
    t.same(refusal({ other: 1 }), {
      id: 'invalid-parameters-format',
      message: 'The parameters\' format is invalid: Missing property "name"',
      data: [
        {
          code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
          message: 'Missing property "name"',
          path: '#',
          params: ['name']
        },
        {
          code: 'OBJECT_ADDITIONAL_PROPERTIES',
          message: 'Unknown property "other"',
          path: '#',
          params: ['other']
        }
      ]
    })
  })

  t.test('that may be null get a specific error, not that they must be null', async t => {
    for (const [params, code, path] of [
      [{ limit: -1 }, 'MINIMUM', '#/limit'],
      [{ limit: 'x' }, 'INVALID_TYPE', '#/limit'],
      [{ ids: [12] }, 'INVALID_TYPE', '#/ids/0']
    ] as const) {
      const { data } = refusal({ name: 'x', ...params }) as { data: { code: string; path: string }[] }
      t.match(data, [{ code, path }])
      t.equal(data.length, 1, JSON.stringify(data))
    }
  })

  t.test('that must be null, or match one of several types, get that error', async t => {
    t.match(refusal({ name: 'x', nothing: 1 }), { data: [{ code: 'INVALID_TYPE', message: 'must be null' }] })
    t.match(refusal({ name: 'x', level: true }), {
      data: [{}, {}, { code: 'ANY_OF_MISSING', path: '#/level' }]
    })
  })

  t.test('are named if the message alone is ambiguous', async t => {
    t.match(refusal({ name: '' }), { message: /invalid: name must not have fewer/ })
    t.match(refusal({ name: 'x', ids: [1] }), { message: /invalid: ids\/0 must be string/ })
  })

  t.test('with a list that is too long are refused before its items are checked', async t => {
    const checkLists = createChecker(
      Type.Object({
        ids: orNull(Type.Array(Type.String({ minLength: 1 }), { maxItems: 3 })),
        within: Type.Optional(Type.Object({ tags: Type.Array(Type.String(), { maxItems: 3 }) }))
      })
    )
    const four = new Proxy([1, 2, 3, 4], {
      get: (list, name) => (name === '0' ? t.fail('an item was looked at') : Reflect.get(list, name))
    })
    for (const [params, path] of [
      [{ ids: four }, '#/ids'],
      [{ within: { tags: four } }, '#/within/tags']
    ] as const)
      t.match(refusal(params, checkLists), {
        data: [{ code: 'ARRAY_LENGTH_LONG', message: 'must not have more than 3 items', path }]
      })
    t.equal(refusal({ ids: ['1', '2', '3'], within: { tags: [] } }, checkLists), undefined)
    t.ok(refusal({ ids: ['1', 2, '3'] }, checkLists))
  })
})

function permission(n: number): object {
  return { streamId: `s-${n}`, level: 'read', defaultName: `name ${n}` }
}

t.test('long lists', async t => {
  const lists = createChecker(
    Type.Object(
      {
        name: Type.String({ minLength: 6 }),
        permissions: RequestedPermissions,
        ids: orNull(Type.Array(Type.Integer(), { minItems: 1 }))
      },
      closed
    )
  )
  const long = Array.from({ length: 10_000 }, (_, n) => permission(n))

  t.test('that are valid cost no time if another param is invalid', async t => {
    const wrongs = [
      { name: 'short', permissions: long },
      { name: 'long enough', permissions: [...long.slice(1), { ...permission(1), level: 'all' }] }
    ]
    for (const wrong of wrongs)
      await assertTakesLessThan(t, 25, () => {
        const elapsed = stopwatch()
        t.match(refusal(wrong, lists), { id: 'invalid-parameters-format' })
        return elapsed()
      })
  })

  t.test('get the same errors as short ones', async t => {
    /** The errors of a short list, with the indexes of the long one. */
    const moved = (params: object, by: number): object =>
      JSON.parse(JSON.stringify(refusal(params, lists)).replaceAll('ids/0', `ids/${by}`))
    const ids = Array.from({ length: 500 }, (_, n) => n)
    for (const item of ['x', null, [], { 'a/b': 1 }, 1.5])
      for (const rest of [
        { name: 'long enough', permissions: [] },
        { name: '', permissions: [{}], other: 1 }
      ])
        t.same(
          refusal({ ...rest, ids: ids.with(321, item as number) }, lists),
          moved({ ...rest, ids: [item] }, 321),
          JSON.stringify({ item, rest })
        )
    t.same(
      refusal({ name: '', permissions: [], ids }, lists),
      refusal({ name: '', permissions: [], ids: [1] }, lists),
      'a long list that fits'
    )
    const { data } = refusal({ name: 'long enough', permissions: [], ids: ids.map(String) }, lists) as Answer
    t.equal(data[0].path, '#/ids/0')
  })
})
