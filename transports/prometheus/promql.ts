/** Parses the part of PromQL that dashboards use; everything beyond it is refused by name. (docs/api/grafana.md#queries) */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import type { Steps } from '../../storage/steps.js'
import { parseDuration, resolution } from './parse-time.js'
import { refuseMalformed, refuseUnsupported } from './query-error.js'

export interface Matcher {
  readonly label: string
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

/** Functions of a range of time, by name. */
const rangeFunctions = {
  avg_over_time: 'avg',
  min_over_time: 'min',
  max_over_time: 'max',
  sum_over_time: 'sum',
  count_over_time: 'count',
  last_over_time: 'last',
  rate: 'rate',
  increase: 'increase'
} as const
export type RangeFunction = (typeof rangeFunctions)[keyof typeof rangeFunctions]

const aggregations = ['sum', 'avg', 'min', 'max', 'count'] as const
export type Aggregation = (typeof aggregations)[number]

const operators = ['+', '-', '*', '/'] as const
export type Operator = (typeof operators)[number]

/** Series whose labels match. With `windowSeconds`, `apply` summarises the values of that time before each point. */
export interface Selection {
  readonly is: 'selection'
  readonly matchers: readonly Matcher[]
  readonly windowSeconds?: number
  readonly apply?: RangeFunction
}

export type Expression =
  | { readonly is: 'number'; readonly value: number }
  | Selection
  | { readonly is: 'negation'; readonly of: Expression }
  | {
      readonly is: 'aggregation'
      readonly function: Aggregation
      /** The labels that remain, or those that go. */
      readonly labels: readonly string[]
      readonly keeps: boolean
      readonly of: Expression
    }
  | {
      readonly is: 'arithmetic'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }

/** Maximum length of a query, in characters. */
const maxLength = 4096
/** Maximum nesting of an expression. */
const maxDepth = 30

/**
 * Parses a query. Throws a `QueryError` that names what is wrong or not supported. It is thrown when the steps
 * run.
 */
export function* parseQuery(text: string): Steps<Expression> {
  if (text.length > maxLength) refuseMalformed(`A query can have at most ${maxLength} characters`)
  const parse = parser.startParse(text)
  let tree = parse.advance()
  for (; !tree; tree = parse.advance()) yield
  const root = tree.topNode
  assertWellFormed(root, text)
  const [node, second] = listChildren(root)
  if (!node || second) refuseMalformed('The query is empty or has more than one expression')
  return new QueryReader(text).readExpression(node, 0)
}

/** Returns whether an expression selects series; otherwise it is a calculation with numbers. */
export function hasSelection(expression: Expression): boolean {
  switch (expression.is) {
    case 'number':
      return false
    case 'selection':
      return true
    case 'negation':
    case 'aggregation':
      return hasSelection(expression.of)
    default:
      return hasSelection(expression.left) || hasSelection(expression.right)
  }
}

/** Parses a selector, as in `match[]`. Throws a `QueryError` for any other text. */
export function* parseSelector(text: string): Steps<readonly Matcher[]> {
  const expression = yield* parseQuery(text)
  if (expression.is !== 'selection' || expression.apply) refuseMalformed(`"${text}" is not a selector`)
  return expression.matchers
}

function assertWellFormed(root: SyntaxNode, text: string): void {
  let badAt: number | undefined
  root.cursor().iterate(node => {
    if (node.type.isError) badAt ??= node.from
  })
  if (badAt === undefined) return
  const rest = text.slice(badAt, badAt + 20)
  refuseMalformed(`parse error at character ${badAt + 1}: unexpected ${rest === '' ? 'end' : `"${rest}"`}`)
}

class QueryReader {
  constructor(private readonly text: string) {}

  /** Converts a syntax node. Throws a `QueryError` for what is not supported, or nested too deep. */
  readExpression(node: SyntaxNode, depth: number): Expression {
    if (depth > maxDepth) refuseUnsupported(`Expressions can be nested ${maxDepth} times`)
    const children = listChildren(node)
    switch (node.name) {
      case 'ParenExpr':
        return this.readExpression(children[0]!, depth + 1)
      case 'NumberDurationLiteral':
        return { is: 'number', value: parseNumber(this.#textOf(node)) }
      case 'VectorSelector':
        return { is: 'selection', matchers: this.#readMatchers(node) }
      case 'UnaryExpr': {
        const of = this.readExpression(children[1]!, depth + 1)
        return this.#textOf(children[0]!) === '-' ? { is: 'negation', of } : of
      }
      case 'FunctionCall':
        return this.#readFunction(node)
      case 'AggregateExpr':
        return this.#readAggregation(node, depth)
      case 'BinaryExpr':
        return this.#readArithmetic(children, depth)
      case 'MatrixSelector':
        return refuseUnsupported('A range such as [5m] is the argument of a function such as avg_over_time')
      case 'OffsetExpr':
        return refuseUnsupported('"offset" is not supported')
      case 'StepInvariantExpr':
        return refuseUnsupported('"@" is not supported')
      case 'SubqueryExpr':
        return refuseUnsupported('Subqueries are not supported')
      case 'StringLiteral':
        return refuseUnsupported('Texts are not supported')
      default:
        return refuseUnsupported(`"${this.#textOf(node).slice(0, 100)}" is not supported`)
    }
  }

  #readMatchers(node: SyntaxNode): Matcher[] {
    const matchers: Matcher[] = []
    for (const child of listChildren(node)) {
      if (child.name === 'Identifier')
        matchers.push({ label: '__name__', operator: '=', value: this.#textOf(child) })
      else if (child.name === 'LabelMatchers')
        for (const matcher of listChildren(child)) matchers.push(this.#readMatcher(matcher))
    }
    return matchers
  }

  /** Converts a matcher of a label. A single text in quotes, as in `{"a.b"}`, is the name of the metric. */
  #readMatcher(node: SyntaxNode): Matcher {
    const parts = listChildren(node)
    const [label, operator, value] = parts
    if (parts.length === 1) return { label: '__name__', operator: '=', value: unquote(this.#textOf(label!)) }
    return {
      label: this.#nameOf(label!),
      operator: this.#textOf(operator!) as Matcher['operator'],
      value: unquote(this.#textOf(value!))
    }
  }

  /** Converts a call of a function of a range, such as `rate(name[1h])`. Throws a `QueryError` for any other. */
  #readFunction(node: SyntaxNode): Expression {
    const [name, body] = listChildren(node)
    const called = this.#textOf(name!)
    if (!Object.hasOwn(rangeFunctions, called)) refuseUnsupported(`The function "${called}" is not supported`)
    const [range, ...others] = listChildren(body!)
    if (range && modifiers.has(range.name)) return this.readExpression(range, 1)
    if (range?.name !== 'MatrixSelector' || others.length > 0)
      return refuseUnsupported(`"${called}" needs a range of a selector, such as name[1h]`)
    const [selector, duration] = listChildren(range)
    const windowSeconds = parseDuration(this.#textOf(duration!))
    if (windowSeconds === undefined || windowSeconds < resolution)
      return refuseMalformed(
        `"${this.#textOf(duration!).slice(0, 100)}" is not a duration of 1 ms to 292 years, such as 1h30m`
      )
    return {
      is: 'selection',
      matchers: this.#readMatchers(selector!),
      windowSeconds,
      apply: rangeFunctions[called as keyof typeof rangeFunctions]
    }
  }

  /** Converts an aggregation with its `by` or `without`. Throws a `QueryError` for an unknown one. */
  #readAggregation(node: SyntaxNode, depth: number): Expression {
    const children = listChildren(node)
    const name = this.#textOf(children[0]!)
    const known = aggregations.find(each => each === name)
    if (known === undefined) return refuseUnsupported(`The aggregation "${name}" is not supported`)
    const [modifier] = children.filter(child => child.name === 'AggregateModifier')
    const [kind, grouping] = modifier ? listChildren(modifier) : []
    const [of, ...others] = listChildren(children.find(child => child.name === 'FunctionCallBody')!)
    if (!of || others.length > 0) return refuseMalformed(`"${name}" needs one argument`)
    return {
      is: 'aggregation',
      function: known,
      labels: grouping ? listChildren(grouping).map(label => this.#nameOf(label)) : [],
      keeps: kind?.name !== 'Without',
      of: this.readExpression(of, depth + 1)
    }
  }

  /** Reads an arithmetic expression. Throws `QueryError` for other operators and for matching of vectors. */
  #readArithmetic(children: readonly SyntaxNode[], depth: number): Expression {
    const [left, sign, right, ...others] = children
    const text = this.#textOf(sign!)
    const operator = operators.find(each => each === text)
    if (operator === undefined) return refuseUnsupported(`The operator "${text}" is not supported`)
    if (others.length > 0 || right === undefined)
      return refuseUnsupported('Matching of two vectors is not supported')
    return {
      is: 'arithmetic',
      operator,
      left: this.readExpression(left!, depth + 1),
      right: this.readExpression(right, depth + 1)
    }
  }

  /** Returns the name of a label, which may be in quotes. */
  #nameOf(node: SyntaxNode): string {
    return node.name === 'LabelName' ? this.#textOf(node) : unquote(this.#textOf(node))
  }

  #textOf(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to)
  }
}

function listChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (child.name !== 'LineComment') children.push(child)
  return children
}

/** What a range can have besides its selector: refused by name. */
const modifiers = new Set(['OffsetExpr', 'StepInvariantExpr', 'SubqueryExpr'])

/** Parses a number, or a duration as a number of seconds, with its sign. As in Go, whole numbers that begin with 0 are octal. */
function parseNumber(text: string): number {
  const [, sign, digits] = /^([+-]?)(.*)$/.exec(text.toLowerCase().replaceAll('_', ''))!
  const size = parseMagnitude(digits!)
  if (size === undefined) refuseMalformed(`"${text.slice(0, 100)}" is neither a number nor a duration`)
  return sign === '-' ? -size : size
}

function parseMagnitude(text: string): number | undefined {
  if (text === 'inf') return Infinity
  if (text === 'nan') return NaN
  const number = /^0[0-7]+$/.test(text) ? parseInt(text, 8) : Number(text)
  return Number.isNaN(number) ? parseDuration(text) : number
}

/** Returns the text in quotes; backquotes have no escapes. Bytes, as in `\\xc3\\xbc`, are UTF-8. */
function unquote(text: string): string {
  const inner = text.slice(1, -1)
  if (text.startsWith('`')) return inner
  return inner.replaceAll(
    /((?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2})+)|\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\'"]))/g,
    (_, bytes?: string, unit?: string, point?: string, one?: string) => {
      if (bytes !== undefined) return decodeBytes(bytes)
      if (one !== undefined) return escapes[one] ?? one
      const code = parseInt(unit ?? point!, 16)
      return code > 0x10_ff_ff ? '\uFFFD' : String.fromCodePoint(code)
    }
  )
}

function decodeBytes(escaped: string): string {
  const codes = escaped.split('\\').slice(1)
  const bytes = codes.map(code => (code.startsWith('x') ? parseInt(code.slice(1), 16) : parseInt(code, 8)))
  return Buffer.from(bytes).toString()
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v'
}
