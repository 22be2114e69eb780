/** What `CREATE TABLE` says of the columns of a table, as far as its rows depend on it. */
import type { Cell } from './payload.js'

/** A column that a row holds. */
export interface Column {
  /** In small letters. */
  readonly name: string
  /** The value of rows that are older than the column. */
  readonly initial: Cell
}

export interface Columns {
  /** In the order in which rows hold them. */
  readonly stored: readonly Column[]
  /** The column that is the row id, in small letters: rows do not hold it. */
  readonly rowId: string | undefined
  readonly hasRowIds: boolean
}

type Definition = readonly string[]

/** Columns of a table at most, as SQLite is built. */
const mostColumns = 2000
/** A quote or comment that does not close is none of these: nothing is looked for twice. */
const token =
  /\s+|--[^\n]*|\/\*[^]*?\*\/|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[\w$\u0080-\uffff.]+|(?!\/\*)[^"'`[]/y
/** First words of what is no column. */
const constraints = new Set(['constraint', 'primary', 'unique', 'check', 'foreign'])

/** Reads a `CREATE TABLE`; `undefined` if it is none that can be understood. */
export function columnsIn(sql: string): Columns | undefined {
  const tokens = tokensIn(sql)
  const start = tokens.indexOf('(')
  const end = tokens.lastIndexOf(')')
  if (start < 0 || end < start || !/^create table$/i.test(tokens.slice(0, 2).join(' '))) return undefined
  const definitions = definitionsIn(tokens.slice(start + 1, end))
  if (definitions.length > mostColumns || definitions.some(([first = '(']) => first === '(')) return undefined
  const columns = definitions.filter(([first = '']) => !constraints.has(first.toLowerCase()))
  const hasRowIds = !/\bwithout rowid\b/i.test(tokens.slice(end + 1).join(' '))
  const keys = keysIn(definitions)
  const rowId = hasRowIds ? rowIdIn(columns, keys) : undefined
  const held = columns.filter(definition => !isComputed(definition)).map(columnIn)
  const byName = new Map(held.map(column => [column.name, column]))
  const first = new Set(hasRowIds ? [] : keys.flatMap(key => byName.get(key) ?? []))
  const stored = [...first, ...held.filter(column => !first.has(column))]
  return { stored, rowId, hasRowIds }
}

/** Words, names and signs; none if they cannot be told apart. */
function tokensIn(sql: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < sql.length) {
    const [part] = token.exec(sql) ?? []
    if (part === undefined) return []
    if (!/^(?:\s|--|\/\*)/.test(part)) tokens.push(part)
  }
  return tokens
}

/** Parts between commas that are not within parentheses. */
function definitionsIn(tokens: readonly string[]): Definition[] {
  const definitions: string[][] = [[]]
  let depth = 0
  for (const part of tokens) {
    if (part === '(') depth++
    if (part === ')') depth--
    if (part === ',' && depth === 0) definitions.push([])
    else definitions.at(-1)!.push(part)
  }
  return definitions
}

/** Names of the columns of the primary key, each once. */
function keysIn(definitions: readonly Definition[]): string[] {
  const names = new Set<string>()
  for (const definition of definitions) {
    const at = keyAt(definition)
    if (at < 0) continue
    if (!constraints.has(definition[0]!.toLowerCase())) names.add(nameIn(definition[0]!))
    else
      for (const [name = ''] of definitionsIn(
        definition.slice(definition.indexOf('(', at) + 1, definition.lastIndexOf(')'))
      ))
        names.add(nameIn(name))
  }
  return [...names]
}

function keyAt(definition: Definition): number {
  return definition.findIndex(
    (part, at) => /^primary$/i.test(part) && /^key$/i.test(definition[at + 1] ?? '')
  )
}

/** Only an `INTEGER PRIMARY KEY` stands for the row id. */
function rowIdIn(columns: readonly Definition[], [key, ...others]: readonly string[]): string | undefined {
  const definition = columns.find(([first = '']) => nameIn(first) === key)
  if (!definition || others.length > 0) return undefined
  const [, type = '', after = ''] = definition
  const isInteger = /^"?integer"?$/i.test(type) && (after === '' || /^[a-z]+$/i.test(after))
  const at = keyAt(definition)
  const isDescending = at >= 0 && /^desc$/i.test(definition[at + 2] ?? '')
  const isOneWord =
    after === '' ||
    /^(?:primary|not|null|unique|check|default|constraint|collate|references|generated|as)$/i.test(after)
  return isInteger && isOneWord && !isDescending ? key : undefined
}

/** Whether a column is computed when it is asked for. */
function isComputed(definition: Definition): boolean {
  const at = definition.findIndex(
    (part, index) => index > 0 && /^as$/i.test(part) && definition[index + 1] === '('
  )
  return at >= 0 && !definition.slice(at).some(part => /^stored$/i.test(part))
}

function columnIn(definition: Definition): Column {
  const at = definition.findIndex((part, index) => index > 0 && /^default$/i.test(part))
  return { name: nameIn(definition[0]!), initial: at < 0 ? null : literalIn(definition.slice(at + 1)) }
}

/** The value of a `DEFAULT`; `undefined` where it is none of those that are understood. */
function literalIn([first = '', second = '']: Definition): Cell {
  if (first === '-' || first === '+') return numberIn(second, first === '-' ? -1 : 1)
  if (/^["']/.test(first)) return unquoted(first)
  if (/^(?:true|false)$/i.test(first)) return /^t/i.test(first) ? 1 : 0
  return /^null$/i.test(first) ? null : numberIn(first, 1)
}

function numberIn(text: string, sign: number): Cell {
  return /^\d+(?:\.\d*)?$/.test(text) ? sign * Number(text) : undefined
}

/** A name without its quotes, in small letters. */
function nameIn(part: string): string {
  return unquoted(part).toLowerCase()
}

function unquoted(part: string): string {
  const [first = ''] = part
  if (first === '[') return part.slice(1, -1)
  return /["'`]/.test(first) ? part.slice(1, -1).replaceAll(first + first, first) : part
}
