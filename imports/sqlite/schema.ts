/** Parses the columns of a `CREATE TABLE`, as far as the rows of the table depend on it. */
import type { Cell } from './payload.js'

/** A column that is stored in rows. */
interface StoredColumn {
  /** In lower case. */
  readonly name: string
  /** Value in rows that are older than the column. */
  readonly defaultValue: Cell
}

export interface TableColumns {
  /** The stored columns, in the order in which rows store them. */
  readonly stored: readonly StoredColumn[]
  /** Column that is an alias of the row id, in lower case. It is not stored in rows. */
  readonly rowId: string | undefined
  readonly hasRowIds: boolean
}

type Definition = readonly string[]

/** Maximum number of columns of a table, SQLite's default. */
const maxColumns = 2000
/** Matches one token. An unclosed quote or comment does not match, so that nothing is scanned twice. */
const tokenPattern =
  /\s+|--[^\n]*|\/\*[^]*?\*\/|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[\w$\u0080-\uffff.]+|(?!\/\*)[^"'`[]/y
/** First words of table constraints. */
const constraints = new Set(['constraint', 'primary', 'unique', 'check', 'foreign'])

/** Parses a `CREATE TABLE`; returns `undefined` if the statement cannot be parsed. */
export function parseColumns(sql: string): TableColumns | undefined {
  const tokens = tokenize(sql)
  const start = tokens.indexOf('(')
  const end = tokens.lastIndexOf(')')
  if (start < 0 || end < start || !/^create table$/i.test(tokens.slice(0, 2).join(' '))) return undefined
  const definitions = splitDefinitions(tokens.slice(start + 1, end))
  if (definitions.length > maxColumns || definitions.some(([first = '(']) => first === '(')) return undefined
  const columns = definitions.filter(([first = '']) => !constraints.has(first.toLowerCase()))
  const hasRowIds = !/\bwithout rowid\b/i.test(tokens.slice(end + 1).join(' '))
  const keys = listPrimaryKeys(definitions)
  const rowId = hasRowIds ? findRowIdAlias(columns, keys) : undefined
  const held = columns.filter(definition => !isComputed(definition)).map(parseColumn)
  const byName = new Map(held.map(column => [column.name, column]))
  const first = new Set(hasRowIds ? [] : keys.flatMap(key => byName.get(key) ?? []))
  const stored = [...first, ...held.filter(column => !first.has(column))]
  return { stored, rowId, hasRowIds }
}

/** Splits SQL into tokens without whitespace and comments; returns an empty list if that fails. */
function tokenize(sql: string): string[] {
  const tokens: string[] = []
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < sql.length) {
    const [part] = tokenPattern.exec(sql) ?? []
    if (part === undefined) return []
    if (!/^(?:\s|--|\/\*)/.test(part)) tokens.push(part)
  }
  return tokens
}

/** Splits tokens at commas outside of parentheses. */
function splitDefinitions(tokens: readonly string[]): Definition[] {
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

/** Returns the names of the primary key's columns, without duplicates. */
function listPrimaryKeys(definitions: readonly Definition[]): string[] {
  const names = new Set<string>()
  for (const definition of definitions) {
    const index = findPrimaryKey(definition)
    if (index < 0) continue
    if (!constraints.has(definition[0]!.toLowerCase())) names.add(parseName(definition[0]!))
    else
      for (const [name = ''] of splitDefinitions(
        definition.slice(definition.indexOf('(', index) + 1, definition.lastIndexOf(')'))
      ))
        names.add(parseName(name))
  }
  return [...names]
}

/** Returns the index of `PRIMARY` in `PRIMARY KEY`; -1 without a primary key. */
function findPrimaryKey(definition: Definition): number {
  return definition.findIndex(
    (part, index) => /^primary$/i.test(part) && /^key$/i.test(definition[index + 1] ?? '')
  )
}

/** Returns the column that is an alias of the row id: only an `INTEGER PRIMARY KEY` is. */
function findRowIdAlias(
  columns: readonly Definition[],
  [key, ...others]: readonly string[]
): string | undefined {
  const definition = columns.find(([first = '']) => parseName(first) === key)
  if (!definition || others.length > 0) return undefined
  const [, type = '', next = ''] = definition
  const isInteger = /^"?integer"?$/i.test(type) && (next === '' || /^[a-z]+$/i.test(next))
  const index = findPrimaryKey(definition)
  const isDescending = index >= 0 && /^desc$/i.test(definition[index + 2] ?? '')
  const isTypeComplete =
    next === '' ||
    /^(?:primary|not|null|unique|check|default|constraint|collate|references|generated|as)$/i.test(next)
  return isInteger && isTypeComplete && !isDescending ? key : undefined
}

/** Returns true if a column is computed when it is read. */
function isComputed(definition: Definition): boolean {
  const index = definition.findIndex((part, at) => at > 0 && /^as$/i.test(part) && definition[at + 1] === '(')
  return index >= 0 && !definition.slice(index).some(part => /^stored$/i.test(part))
}

function parseColumn(definition: Definition): StoredColumn {
  const index = definition.findIndex((part, at) => at > 0 && /^default$/i.test(part))
  return {
    name: parseName(definition[0]!),
    defaultValue: index < 0 ? null : parseDefault(definition.slice(index + 1))
  }
}

/** Parses the value of a `DEFAULT`; returns `undefined` for an expression that is not supported. */
function parseDefault([first = '', second = '']: Definition): Cell {
  if (first === '-' || first === '+') return parseNumber(second, first === '-' ? -1 : 1)
  if (/^["']/.test(first)) return unquote(first)
  if (/^(?:true|false)$/i.test(first)) return /^t/i.test(first) ? 1 : 0
  return /^null$/i.test(first) ? null : parseNumber(first, 1)
}

function parseNumber(text: string, sign: number): Cell {
  return /^\d+(?:\.\d*)?$/.test(text) ? sign * Number(text) : undefined
}

/** Returns a name without quotes, in lower case. */
function parseName(part: string): string {
  return unquote(part).toLowerCase()
}

function unquote(part: string): string {
  const [first = ''] = part
  if (first === '[') return part.slice(1, -1)
  return /["'`]/.test(first) ? part.slice(1, -1).replaceAll(first + first, first) : part
}
