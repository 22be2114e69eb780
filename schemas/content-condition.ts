/**
 * Conditions on the contents of events, and how a value is compared: queries test stored texts, notifications the events
 * themselves. (docs/spec/streams-queries.md#conditions-on-contents)
 */

/** What a value may be compared with. */
export type Scalar = string | number | boolean | null

/** How a value is compared, and with what. A missing value meets only `exists: false`. */
export type Comparison =
  | readonly ['eq' | 'neq', Scalar]
  | readonly ['in', readonly Scalar[]]
  | readonly ['exists', boolean]
  | readonly ['gt' | 'gte' | 'lt' | 'lte', string | number]
  | readonly ['prefix', string]

export interface ContentCondition {
  readonly within: 'content' | 'clientData'
  /** Keys from the outermost on, of letters, digits, `_`, `:` and `-`; empty for the whole content. */
  readonly path: readonly string[]
  readonly comparison: Comparison
}

/** Stands for every array and object, which are equal to nothing. */
export const composite = Symbol('composite')

/** A value at the path of a condition; `undefined` if there is none. */
export type Value = Scalar | typeof composite | undefined

type ValueTest = (value: Value) => boolean

/** Returns the test of a comparison. A missing value meets only `exists: false`. */
export function createValueTest([operation, operand]: Comparison): ValueTest {
  if (operation === 'exists') return value => (value !== undefined) === operand
  const test = createComparison([operation, operand] as Exclude<Comparison, readonly ['exists', boolean]>)
  return value => value !== undefined && test(value)
}

/** Returns the test for one comparison. */
function createComparison([operation, operand]: Exclude<
  Comparison,
  readonly ['exists', boolean]
>): ValueTest {
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

/** Compares numbers with numbers and texts with texts; other values do not meet the test. */
function createOrderTest(operation: 'gt' | 'gte' | 'lt' | 'lte', operand: string | number): ValueTest {
  const holds = {
    gt: (value: string | number) => value > operand,
    gte: (value: string | number) => value >= operand,
    lt: (value: string | number) => value < operand,
    lte: (value: string | number) => value <= operand
  }[operation]
  return value => typeof value === typeof operand && holds(value as string | number)
}
