/**
 * Conditions on what is within events: no index answers them, so bodies are looked at one by one, by SQLite's JSON
 * functions, and what these find is compared by a function of ours, type by type. (docs/spec/streams-queries.md#conditions-on-contents)
 */
import type { Database } from 'better-sqlite3'
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

/** The tests of the statement that runs, for each open file. */
const running = new WeakMap<Database, { tests: readonly Test[] }>()

/** Those of the events of these numbers that meet all conditions. */
export function meeting(
  db: Database,
  conditions: readonly ContentCondition[],
  numbers: readonly number[]
): Set<number> {
  let slot = running.get(db)
  if (!slot) running.set(db, (slot = register(db)))
  slot.tests = conditions.map(({ comparison }) => testOf(comparison))
  const paths = conditions.map(({ path, within }) => ['$', within, ...path.map(key => `"${key}"`)].join('.'))
  try {
    const found = column(db, sqlFor(conditions.length)).all(JSON.stringify(numbers), ...paths)
    return new Set(found as number[])
  } finally {
    slot.tests = []
  }
}

/** One text for each number of conditions, which is bounded. */
function sqlFor(count: number): string {
  const tests = Array.from({ length: count }, (_, index) => `event_meets(${index}, body -> ?)`)
  return `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE ${tests.join(' AND ')}`
}

function register(db: Database): { tests: readonly Test[] } {
  const slot: { tests: readonly Test[] } = { tests: [] }
  db.function('event_meets', { directOnly: true }, (index, text) =>
    slot.tests[index as number]!(text as string | null) ? 1 : 0
  )
  return slot
}

function testOf([operation, operand]: Comparison): Test {
  if (operation === 'exists') return text => (text !== null) === operand
  const test = compare([operation, operand] as Exclude<Comparison, readonly ['exists', boolean]>)
  return text => text !== null && test(valueOf(text))
}

/** Stands for every array and object: none is like another, nor like anything else. */
const composite = Symbol('composite')
type Value = Scalar | typeof composite

function valueOf(text: string): Value {
  return text.startsWith('{') || text.startsWith('[') ? composite : (JSON.parse(text) as Scalar)
}

function compare([operation, operand]: Exclude<Comparison, readonly ['exists', boolean]>): (
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
      return ordered(operation, operand)
  }
}

/** Numbers are compared with numbers, texts with texts. */
function ordered(
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
