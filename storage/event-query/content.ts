/**
 * Conditions on what is within events: no index answers them, so bodies are looked at one by one, by SQLite's JSON
 * functions, and what these find is compared by a function of ours, type by type. (docs/spec/streams-queries.md#conditions-on-contents)
 */
import type { Database } from 'better-sqlite3'
import { hasTime, runWithTimeout, type TimedResult } from '../sqlite/run-with-timeout.js'
import { column } from '../sqlite/statements.js'

/** What a value may be compared with. */
export type Scalar = string | number | boolean | null

/** How a value is compared, and with what. A value that is not there meets nothing but `exists: false`. */
export type Comparison =
  | readonly ['eq' | 'neq', Scalar]
  | readonly ['in', readonly Scalar[]]
  | readonly ['exists', boolean]
  | readonly ['gt' | 'gte' | 'lt' | 'lte', string | number]
  | readonly ['prefix', string]

export interface ContentCondition {
  readonly within: 'content' | 'clientData'
  /** Keys from the outermost on, of letters, digits, `_`, `:` and `-`; none for the whole. */
  readonly path: readonly string[]
  readonly comparison: Comparison
}

/** Tells of a value's JSON text, `null` where there is none, whether it is wanted. */
type Test = (text: string | null) => boolean

/** What the statement that runs on an open file asks for. */
const testsByFile = new WeakMap<Database, { tests: readonly Test[] }>()

/**
 * Those of the events of these numbers that meet all conditions. Others wait meanwhile, and a body may be of many megabytes:
 * when the time is up no further one is read.
 */
export function findMatchingContents(
  db: Database,
  conditions: readonly ContentCondition[],
  numbers: readonly number[],
  timeoutMs: number
): TimedResult<ReadonlySet<number>> {
  let slot = testsByFile.get(db)
  if (!slot) testsByFile.set(db, (slot = register(db)))
  const tests = groupTestsByPath(conditions)
  const paths = [...tests.keys()].flatMap(path => [path, path])
  slot.tests = [...tests.values()].map(
    (all): Test =>
      text =>
        all.every(test => test(text))
  )
  try {
    return runWithTimeout(db, timeoutMs, () => {
      const found = column(db, buildContentSql(tests.size)).all(JSON.stringify(numbers), ...paths)
      return new Set(found as number[])
    })
  } finally {
    slot.tests = []
  }
}

/** The tests of each place: it is looked up once, however many conditions name it. */
function groupTestsByPath(conditions: readonly ContentCondition[]): Map<string, Test[]> {
  const tests = new Map<string, Test[]>()
  for (const { comparison, path, within } of conditions) {
    const place = ['$', within, ...path.map(key => `"${key}"`)].join('.')
    tests.set(place, [...(tests.get(place) ?? []), createTest(comparison)])
  }
  return tests
}

/** One text for each number of places, which is bounded. CASE keeps to the order: a body that is not asked for is not read. */
function buildContentSql(count: number): string {
  const tests = Array.from({ length: count }, (_, index) => `event_meets(${index}, ${valueText})`)
  return `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE CASE WHEN ${hasTime} THEN ${tests.join(' AND ')} END`
}

/** Of arrays and objects, which may be long, only what they are. */
const valueText = `CASE json_type(body, ?) WHEN 'object' THEN '{' WHEN 'array' THEN '[' ELSE body -> ? END`

function register(db: Database): { tests: readonly Test[] } {
  const slot: { tests: readonly Test[] } = { tests: [] }
  db.function('event_meets', { directOnly: true }, (index, text) =>
    slot.tests[index as number]!(text as string | null) ? 1 : 0
  )
  return slot
}

function createTest([operation, operand]: Comparison): Test {
  if (operation === 'exists') return text => (text !== null) === operand
  const test = createComparison([operation, operand] as Exclude<Comparison, readonly ['exists', boolean]>)
  return text => text !== null && test(parseValue(text))
}

/** Stands for every array and object: none is like another, nor like anything else. */
const composite = Symbol('composite')
type Value = Scalar | typeof composite

function parseValue(text: string): Value {
  return text.startsWith('{') || text.startsWith('[') ? composite : (JSON.parse(text) as Scalar)
}

function createComparison([operation, operand]: Exclude<Comparison, readonly ['exists', boolean]>): (
  value: Value
) => boolean {
  switch (operation) {
    case 'eq':
      return value => value === operand
    case 'neq':
      return value => value !== operand
    case 'in': {
      const wanted = new Set<Value>(operand)
      return value => wanted.has(value)
    }
    case 'prefix':
      return value => typeof value === 'string' && value.startsWith(operand)
    default:
      return createOrderTest(operation, operand)
  }
}

/** Numbers are compared with numbers, texts with texts. */
function createOrderTest(
  operation: 'gt' | 'gte' | 'lt' | 'lte',
  operand: string | number
): (value: Value) => boolean {
  const holds = {
    gt: (value: string | number) => value > operand,
    gte: (value: string | number) => value >= operand,
    lt: (value: string | number) => value < operand,
    lte: (value: string | number) => value <= operand
  }[operation]
  return value => typeof value === typeof operand && holds(value as string | number)
}
