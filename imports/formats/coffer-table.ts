/** Reads events exported as a long table. (docs/api/exports.md#tables) */
import type { ContentSchemas, Sink } from '../record.js'
import { parseJson } from '../text/object-scanner.js'
import { parseNumber } from '../text/units.js'
import { buildContent, getSchema, parseAnyBoolean, parseFields, type ValueCell } from './coffer-content.js'
import { addPoint, cutDescription, isAccountStream } from './coffer-records.js'

/** A text that has got an apostrophe, because a spreadsheet would treat it as a formula. */
const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/
/** The same for a value; texts that look like JSON have got an apostrophe, too. */
const escapedValue = /^'+[=+\-@\t\r\n＝＋－＠[{]/

/** A row of the table. */
class Row {
  readonly #columns: ReadonlyMap<string, number>
  readonly #cells: readonly string[]
  readonly #quoted: ReadonlySet<number>
  readonly #hasDecimalCommas: boolean
  /** True if the row is as this service writes it: others may quote or pad all cells, which says nothing then. */
  readonly #isVerbatim: boolean
  /** True if the row is as R writes it: empty cells are NA, without quotes. */
  readonly #isOfR: boolean

  constructor(
    columns: ReadonlyMap<string, number>,
    cells: readonly string[],
    quoted: ReadonlySet<number>,
    hasDecimalCommas: boolean
  ) {
    this.#columns = columns
    this.#cells = cells
    this.#quoted = quoted
    this.#hasDecimalCommas = hasDecimalCommas
    const at = columns.get('type') ?? -1
    this.#isVerbatim = !quoted.has(at) && cells[at] === cells[at]?.trim()
    // Where all texts have quotes, or no cell is empty, NA is none. Otherwise, texts may be NA, but neither of these ever is.
    const isFull = quoted.has(at) || !cells.includes('')
    this.#isOfR = isFull || ['duration', 'attachments'].some(name => this.#isNotAvailable(name))
  }

  /** Returns a text as it was before it was written; `undefined` if the cell is empty. */
  get(column: string): string | undefined {
    const text = this.#getCell(column)
    return text === undefined || text === '' ? undefined : removeApostrophe(text, escapedFormula)
  }

  /** Returns a number; `undefined` if the cell has none. */
  getNumber(column: string): number | undefined {
    return this.#parseNumber(this.get(column))
  }

  /** Whether the duration is `null`, which is written as a quoted empty cell. */
  get isOngoing(): boolean {
    return this.#isQuoted('duration') && this.get('duration') === undefined
  }

  /** Returns the value of the row; `undefined` if it has none. */
  getValue(): ValueCell | undefined {
    const [field, cell = ''] = [this.get('field'), this.#getCell('value')]
    // This service writes an empty cell of a field for an empty text.
    if ((field === undefined || !this.#isVerbatim) && cell === '') return undefined
    const text = removeApostrophe(cell, escapedValue)
    const isText = text !== cell || (this.#isQuoted('value') && !/^[[{]/.test(cell))
    const hasUnit = this.get('unit') !== undefined
    return { field: field ?? '', text, number: this.#parseNumber(text), isText, hasUnit }
  }

  #parseNumber(text: string | undefined): number | undefined {
    return parseNumber(this.#hasDecimalCommas ? text?.replace(/^\s*([+-]?\d+),(\d)/, '$1.$2') : text)
  }

  #isQuoted(column: string): boolean {
    return this.#isVerbatim && this.#quoted.has(this.#columns.get(column) ?? -1)
  }

  #isNotAvailable(column: string): boolean {
    const at = this.#columns.get(column) ?? -1
    return this.#cells[at] === 'NA' && !this.#quoted.has(at)
  }

  #getCell(column: string): string | undefined {
    if (this.#isOfR && this.#isNotAvailable(column)) return ''
    const cell = this.#cells[this.#columns.get(column) ?? -1]
    return this.#isVerbatim ? cell : cell?.trim()
  }
}

/** Joins the consecutive rows of an event or a data point, one for each value. */
export class TableReader {
  readonly #columns: ReadonlyMap<string, number>
  #rows: Row[] = []
  /** The fields of the rows. */
  readonly #fields = new Set<string | undefined>()
  #seriesId = ''
  #seriesDescription: string | undefined

  constructor(
    columns: readonly string[],
    private readonly types: ContentSchemas | undefined,
    private readonly sink: Sink,
    /** True if programs may have written numbers with a comma. */
    private readonly hasDecimalCommas: boolean
  ) {
    this.#columns = new Map(columns.map((name, index) => [name, index]))
  }

  /** Adds a row. If it begins another event, the previous event is emitted. */
  addRow(cells: readonly string[], quoted: ReadonlySet<number>): void {
    const row = new Row(this.#columns, cells, quoted, this.hasDecimalCommas)
    const last = this.#rows[0]
    if (last && ['id', 'unixtime', 'type'].some(name => last.get(name) !== row.get(name))) this.flush()
    // An event or data point has each value once.
    if (this.#fields.has(row.get('field'))) this.flush()
    this.#fields.add(row.get('field'))
    this.#rows.push(row)
  }

  /** Adds the event of the collected rows as a record, or skips it with a reason. */
  flush(): void {
    const [row] = this.#rows
    const rows = this.#rows
    this.#rows = []
    this.#fields.clear()
    if (!row) return
    const [id = '', type, time] = [row.get('id'), row.get('type'), row.getNumber('unixtime')]
    const paths = listPaths(row)
    const [path, ...otherPaths] = paths.filter(({ isOfAccount }) => !isOfAccount).map(({ names }) => names)
    const isPoint = id === this.#seriesId
    const kind = isPoint ? 'point' : 'event'
    const files = row.get('attachments')?.split('; ').length ?? 0
    if (files > 0) this.sink.skip('attachment', 'without its bytes', files)
    if (type === undefined || time === undefined || paths.length === 0)
      this.sink.skip(kind, 'no event that can be read')
    else if (!path) this.sink.skip(kind, 'a value of the account itself')
    else if (type.startsWith('series:')) {
      this.#seriesId = id
      this.#seriesDescription = cutDescription(row.get('description'))
      this.sink.skip(kind, 'a group of records that are in the file themselves')
    } else if (parseAnyBoolean(row.get('trashed')) === true) this.sink.skip(kind, 'in the trash')
    else {
      const duration = row.isOngoing ? null : row.getNumber('duration')
      const common = {
        stream: path.at(-1)!,
        ...(path.length > 1 && { path: path.slice(0, -1) }),
        type,
        time,
        duration
      }
      const schema = getSchema(this.types, type)
      const fields = parseFields(
        rows.flatMap(each => each.getValue() ?? []),
        schema
      )
      if (isPoint)
        addPoint(this.sink, this.types, {
          ...common,
          description: this.#seriesDescription,
          fields,
          seriesId: id
        })
      else
        this.sink.addRecord({
          ...common,
          ...(otherPaths.length > 0 && { otherPaths }),
          kind,
          source: '',
          content: buildContent(fields, schema),
          identity: id,
          isEvent: true,
          description: row.get('description')
        })
    }
  }
}

/** Lists the paths of an event's streams; the first one has at least its id. */
function listPaths(row: Row): { names: string[]; isOfAccount: boolean }[] {
  const [id, stream] = [row.get('streamid'), row.get('stream')]
  if (id === undefined && stream === undefined) return []
  const others = splitPaths(row.get('otherstreams') ?? '', /("(?:[^"\\]|\\.)*"|.*?)( \/ |; |$)/gsy)
  const [first = []] = stream === undefined ? [] : splitPaths(stream, /("(?:[^"\\]|\\.)*"|.*?)( \/ |$)/gsy)
  const ids = [id ?? '', ...(row.get('otherstreamids')?.split('; ') ?? [])]
  return ids.map((each, at) => {
    const names = at === 0 ? first : (others[at - 1] ?? [])
    return { names: names.length === 0 ? [each] : names, isOfAccount: isAccountStream(each) }
  })
}

/** Splits a list of paths. `part` matches a name and what ends it; names that contain a separator are JSON strings. */
function splitPaths(text: string, part: RegExp): string[][] {
  if (text === '') return []
  let path: string[] = []
  const paths = [path]
  for (const [, name = '', end] of text.matchAll(part)) {
    const parsed = name.startsWith('"') ? parseJson(name) : undefined
    path.push(typeof parsed === 'string' ? parsed : name)
    if (end === '') break
    if (end === '; ') paths.push((path = []))
  }
  return paths
}

function removeApostrophe(text: string, pattern: RegExp): string {
  return pattern.test(text) ? text.slice(1) : text
}
