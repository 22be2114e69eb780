import t from 'tap'
import { measureValue, getKnownSize } from '../../../core/json/depth.js'
import { ApiError } from '../../../core/errors.js'
import { runSteps } from '../../../storage/steps.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { seeded } from '../../support/random.js'
import { rotate } from '../../support/rotation.js'
import { isLargeJson, findMember, readJson } from '../../../core/json/reader.js'

const limits = { jsonDepth: 100, jsonKeys: 1000 }
/** Numbers of random texts that are read, and of random objects in which members are looked for. */
const [texts, objects] = process.env['COFFER_TEST_LONG'] === '1' ? [20_000, 5000] : [1000, 800]

/** Returns the value of a text as JSON, or that it is invalid. */
function outcome(read: () => unknown): string {
  try {
    return JSON.stringify(read())
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON'
    throw error
  }
}

/** Returns a generator of pseudo-random numbers, the same each time. */
function numbers(seed: number): (below: number) => number {
  return below => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
}

const scalars = [
  '1',
  '-0.5e3',
  'true',
  'null',
  '""',
  '"a,b]}"',
  '"\\"\\\\"',
  '"\\u0041{["',
  '[]',
  '{}',
  '1e400'
]
const names = ['"a"', '"b,"', '"__proto__"', '"7"', '"\\"x"', '"a"']
const blanks = ['', ' ', '\n\t', '']

function randomText(pick: (below: number) => number, depth = 0): string {
  const blank = (): string => blanks[pick(blanks.length)]!
  const kind = depth > 5 ? 0 : pick(4)
  if (kind < 1) return `${blank()}${scalars[pick(scalars.length)]}${blank()}`
  const items = Array.from({ length: pick(6) }, () => randomText(pick, depth + 1))
  const [open, close] = kind === 1 ? '{}' : '[]'
  const members =
    kind === 1 ? items.map(item => `${blank()}${names[pick(names.length)]}${blank()}:${item}`) : items
  return `${blank()}${open}${blank()}${members.join(',')}${blank()}${close}${blank()}`
}

t.test('a text read in slices', async t => {
  t.test('has the result of JSON.parse, valid or not', async t => {
    const random = seeded(t)
    const pick = (below: number): number => random.below(below)
    const differing: string[] = []
    let broken = 0
    for (let i = 0; i < texts; i++) {
      let text = randomText(pick)
      if (i % 2 === 0) {
        const at = pick(text.length + 1)
        text = text.slice(0, at) + ['', ',', ']', '}', '"', ':', '1', ' '][pick(8)] + text.slice(at + pick(2))
      }
      const expected = outcome(() => JSON.parse(text))
      if (expected === 'no JSON') broken++
      if (outcome(() => runSteps(readJson(text, limits, 1 + pick(20)))) !== expected) differing.push(text)
    }
    t.same(differing.slice(0, 5), [])
    t.ok(broken > 0.1 * texts && broken < 0.9 * texts, `${broken} of them are none`)
  })

  t.test('takes several slices if it is long', async t => {
    const value = { a: Array.from({ length: 50_000 }, (_, i) => [i, i / 2]), b: 'c'.repeat(200_000) }
    const text = JSON.stringify(value)
    t.ok(isLargeJson(text))
    const steps = readJson(text, limits)
    let count = 0
    for (;;) {
      const step = steps.next()
      count++
      if (step.done) {
        t.ok(JSON.stringify(step.value) === text)
        break
      }
    }
    t.ok(count > 5, `${count} steps`)
  })

  t.test('is measured: depth, containers, numbers, size', async t => {
    const pick = numbers(4711)
    const differing: string[] = []
    for (let i = 0; i < 500; i++) {
      let keys = 0
      // With duplicate keys, both values would count.
      const text = randomText(pick).replaceAll(/"(?:[^"\\]|\\.)*"(?=\s*:)/g, () => `"key ${keys++}"`)
      const inSteps = measureValue(runSteps(readJson(text, limits, 1 + pick(20))))
      if (JSON.stringify(inSteps) !== JSON.stringify(measureValue(JSON.parse(text)))) differing.push(text)
    }
    t.same(differing, [])
    const list = [[1, 2], { a: [] }, 'b'.repeat(100)]
    const value = runSteps(readJson(JSON.stringify({ list }), limits, 20)) as { list: unknown[] }
    t.equal(getKnownSize(value.list), JSON.stringify(list).length)
    // It is not measured again.
    value.list.push([[[]]])
    t.same(measureValue(value), { depth: 4, containers: 5, hasFinite: true })
  })

  const long = 'x'.repeat(100)
  const refused = [
    [
      'too many keys',
      `{${Array.from({ length: 1001 }, (_, i) => `"${i}":1`).join(',')}}`,
      'An object has more than 1000 keys'
    ],
    [
      'nesting',
      `${'['.repeat(101)}"${long}"${']'.repeat(101)}`,
      'The parameters are nested deeper than 100 levels'
    ]
  ] as const
  for (const [what, text, message] of refused)
    t.test(`is refused for ${what}`, async t => {
      t.throws(() => runSteps(readJson(text, limits, 50)), new ApiError('invalid-parameters-format', message))
    })
})

t.test('findMember finds a member in the text of an object as JSON.parse does', async t => {
  const seed = 4711
  const pick = numbers(seed)
  let found = 0
  for (let i = 0; i < objects; i++) {
    const value = JSON.parse(`{${randomMembers(pick)}}`) as Record<string, unknown>
    const text = JSON.stringify(value)
    for (const name of ['files', 'x"files', 'id']) {
      const place = findMember(text, name)
      const read = place && (JSON.parse(text.slice(place.from, place.to)) as unknown)
      if (place) found++
      if (JSON.stringify(read) !== JSON.stringify(value[name])) t.fail(`seed ${seed}: ${name} in ${text}`)
    }
  }
  t.ok(found > objects / 5, `${found} found`)
})

/** Returns members of an object whose names also occur in the others: as names, as texts, and as parts of both. */
function randomMembers(pick: (below: number) => number, depth = 0): string {
  const keys = ['files', 'x"files', 'id', ',"files":[', 'a\\']
  if (depth > 4) return ''
  return Array.from({ length: pick(5) }, () => {
    const kind = pick(4)
    const inner = randomMembers(pick, depth + 1)
    const value =
      kind === 0
        ? [...scalars.slice(0, 10), ...keys.map(key => JSON.stringify(key)), '"\\",\\"files\\":[1]"'][
            pick(16)
          ]!
        : kind === 1
          ? `[{${inner}}]`
          : `{${inner}}`
    return `${JSON.stringify(keys[pick(keys.length)])}:${value}`
  }).join(',')
}

t.test('a long text in many nested containers is scanned once, not once per container', async t => {
  const containers = [
    ['{"a":', '}'],
    ['[', ']'],
    ['{"a":[1,', ']}']
  ] as const
  for (const [open, close] of rotate(t, containers)) {
    const depth = Math.floor(95 / close.length)
    const note = '\\"'.repeat(500_000)
    const text = `${open.repeat(depth)}{"note":"${note}"}${close.repeat(depth)}`
    await assertTakesLessThan(t, 100, () => {
      const elapsed = stopwatch()
      const value = runSteps(readJson(text, limits))
      const tookMs = elapsed()
      t.ok(JSON.stringify(value) === text)
      return tookMs
    })
  }
})
