/**
 * Conditions on the contents of events. No index answers them, so bodies are examined one by one, in batches
 * whose size follows how long they take: SQLite's JSON functions extract the values, and a registered function compares them by type.
 * (docs/spec/streams-queries.md#conditions-on-contents)
 */
import type { Database } from 'better-sqlite3'
import {
  composite,
  createValueTest,
  type Comparison,
  type ContentCondition,
  type Scalar,
  type Value
} from '../../schemas/content-condition.js'
import { hasTime, runWithTimeout, type TimedResult } from '../sqlite/run-with-timeout.js'
import { column } from '../sqlite/statements.js'
import type { Key } from './position.js'

/** Maximum time that a page may spend on the scan, in milliseconds: some bodies are small, others many megabytes. */
const maxScanMs = 10
/** Initial batch size, in events. */
const firstRows = 100
const maxRows = 500

/** The result of scanning a batch. */
export interface BodyScanResult {
  readonly wanted: readonly Key[]
  /** The last event that was scanned before time ran out; absent if all were. */
  readonly scannedTo: Key | undefined
  /** The cost of the scan, on a scale where `whole` is a page that spends all its time on it. */
  readonly cost: (whole: number) => number
}

/** Tests the contents of events, as many at a time as take a few milliseconds. */
export class BodyScan {
  /** Events that the next step scans. */
  rows = firstRows

  /**
   * Returns the events whose contents match, as far as time allows, and adapts {@link rows} to the time that
   * it took.
   */
  scan(db: Database, contents: readonly ContentCondition[], events: readonly Key[]): BodyScanResult {
    const start = performance.now()
    const numbers = events.map(({ number }) => number)
    const { found, scanned, last } = findMatchingContents(db, contents, numbers, maxScanMs)
    const tookMs = performance.now() - start
    this.rows =
      tookMs > maxScanMs / 2 ? Math.max(1, Math.floor(this.rows / 2)) : Math.min(this.rows * 2, maxRows)
    return {
      wanted: events.filter(({ number }) => found.has(number)),
      scannedTo: last === undefined ? undefined : events.find(({ number }) => number === last),
      cost: whole => Math.max(scanned, (tookMs * whole) / maxScanMs)
    }
  }
}

/** Tests a value's JSON text, `null` if there is no value. */
type Test = (text: string | null) => boolean

/** Tests of the statement that runs on an open file. */
const testsByFile = new WeakMap<Database, { tests: readonly Test[] }>()

/**
 * Returns which of these events meet all conditions. Bodies may be many megabytes and block other calls: after
 * `timeoutMs` no further body is read.
 */
function findMatchingContents(
  db: Database,
  conditions: readonly ContentCondition[],
  numbers: readonly number[],
  timeoutMs: number
): TimedResult<ReadonlySet<number>> {
  let slot = testsByFile.get(db)
  if (!slot) testsByFile.set(db, (slot = registerTestFunction(db)))
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

/** Groups the tests by the path of their value: each path is looked up once, however many conditions name it. */
function groupTestsByPath(conditions: readonly ContentCondition[]): Map<string, Test[]> {
  const tests = new Map<string, Test[]>()
  for (const { comparison, path, within } of conditions) {
    const place = ['$', within, ...path.map(key => `"${key}"`)].join('.')
    tests.set(place, [...(tests.get(place) ?? []), createTest(comparison)])
  }
  return tests
}

/**
 * Builds the SQL for `count` paths; that number is bounded, so there are few texts. CASE keeps the order: the body is
 * not read after the time limit.
 */
function buildContentSql(count: number): string {
  const tests = Array.from({ length: count }, (_, index) => `event_meets(${index}, ${valueText})`)
  return `SELECT number FROM (SELECT value FROM json_each(?)) j CROSS JOIN event e ON e.number = j.value
    WHERE CASE WHEN ${hasTime} THEN ${tests.join(' AND ')} END`
}

/** Arrays and objects may be long: only their kind is returned. */
const valueText = `CASE json_type(body, ?) WHEN 'object' THEN '{' WHEN 'array' THEN '[' ELSE body -> ? END`

function registerTestFunction(db: Database): { tests: readonly Test[] } {
  const slot: { tests: readonly Test[] } = { tests: [] }
  db.function('event_meets', { directOnly: true }, (index, text) =>
    slot.tests[index as number]!(text as string | null) ? 1 : 0
  )
  return slot
}

function createTest(comparison: Comparison): Test {
  const test = createValueTest(comparison)
  return text => test(text === null ? undefined : parseValue(text))
}

function parseValue(text: string): Value {
  return text.startsWith('{') || text.startsWith('[') ? composite : (JSON.parse(text) as Scalar)
}
