/** Compares what is read from a random table with its original values. */
import type { TableView } from '../../../imports/record.js'
import type { Collected } from '../collecting.js'
import type { RandomTable } from './random-table.js'

export interface Judgement {
  readonly right: number
  /** Number of skipped records, by reason. */
  readonly left: ReadonlyMap<string, number>
  readonly asked: number
  /** Wrong or silently missing values. */
  readonly faults: readonly string[]
}

const open = new Set([
  'of a number that may have decimals or thousands',
  'of a date that may be of more than one order'
])
const unmapped = 'in a column that is not mapped'

/** Checks each imported value, and each missing one. */
export function judge(table: RandomTable, found: Collected): Judgement {
  const faults: string[] = []
  const [view] = found.tables
  const left = new Map(Object.entries(found.leftOut))
  const wanted = wantedOf(table, view, faults)
  const missing = new Map<string, number[]>()
  for (const { key, row } of wanted) missing.set(key, [...(missing.get(key) ?? []), row])
  let right = 0
  for (const { content, time, type, stream } of found.data) {
    const key = keyOf(time, type, stream, content)
    if (missing.get(key)?.pop() !== undefined || partIn(missing, key) !== undefined) right++
    else faults.push(`not in the table: ${new Date(time * 1000).toISOString()} ${key}`)
  }
  const reasons = new Map<number | string, string[]>()
  for (const [reason, rows] of Object.entries(found.leftOutRows))
    for (const row of rows) reasons.set(row, [...(reasons.get(row) ?? []), reason])
  let asked = 0
  for (const [key, rows] of missing)
    for (const row of rows) {
      const why = reasons.get(table.numbers[row]!)
      if (!why) faults.push(`gone: row ${table.numbers[row]} ${key}`)
      else if (why.some(reason => open.has(reason))) asked++
    }
  if (view) uncounted(table, view, found, faults)
  if (sum(found.records) !== found.data.length + sum(found.leftOut)) faults.push('the counts do not add up')
  return { right, left, asked, faults }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, by) => all + by, 0)
}

/** Removes and returns the row of a partial value. */
function partIn(missing: ReadonlyMap<string, number[]>, key: string): number | undefined {
  const at = key.indexOf('{')
  if (at < 0) return undefined
  const parts = key.slice(at + 1, -1).split(',')
  for (const [other, rows] of missing)
    if (rows.length > 0 && other.startsWith(key.slice(0, at)) && parts.every(part => other.includes(part)))
      return rows.pop()
  return undefined
}

/** Treats equivalent line breaks and units as equal. */
function keyOf(time: number, type: string, stream: string, content: unknown): string {
  const text = typeof content === 'string' ? content.replaceAll(/\r\n?/g, '\n').trim() : content
  const kind = type === 'count/generic' ? 'count/steps' : type
  return `${time.toFixed(3)} ${kind} ${stream} ${JSON.stringify(text)}`
}

/** Returns what the mapping should import from each row. */
function wantedOf(
  table: RandomTable,
  view: TableView | undefined,
  faults: string[]
): { key: string; row: number }[] {
  const { columns, times } = table
  const wanted: { key: string; row: number }[] = []
  const lanes = new Set<string>()
  const values = view?.mapping?.values ?? []
  for (const { column: at, field, stream, type } of values) {
    const column = columns[at]
    if (!column) continue
    const isOwn =
      own(stream) !== '' &&
      own(column.name).startsWith(
        own(stream.replace(/ \d+$/, '').replace(/, (?:minimum|maximum|average)$/, ''))
      )
    if (column.kind === 'other') faults.push(`"${column.name}" is taken for ${type}`)
    else if (!column.streams.includes(stream) && !isOwn)
      faults.push(`"${column.name}" is in the stream "${stream}"`)
    if (field === undefined && lanes.has(`${stream} ${type}`)) faults.push(`two columns in "${stream}"`)
    lanes.add(`${stream} ${type}`)
  }
  for (const [row, moment] of times.moments.entries()) {
    const whole = new Map<string, Record<string, unknown>>()
    for (const { column: at, field, stream, type } of values) {
      const truth = columns[at]?.cells[row]?.truth
      if (!truth || (columns[at]!.isFraction && columns[at]!.streams.includes(stream))) continue
      if (field !== undefined)
        whole.set(`${type} ${stream}`, { ...whole.get(`${type} ${stream}`), [field]: truth.value })
      else
        wanted.push({
          key: keyOf(moment, type === 'pressure/mmhg' ? type : truth.type, stream, truth.value),
          row
        })
    }
    for (const [lane, content] of whole)
      wanted.push({ key: `${moment.toFixed(3)} ${lane} ${JSON.stringify(content)}`, row })
  }
  return wanted
}

function own(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_,]+/g, ' ')
    .trim()
}

/** Checks that each cell of an unmapped column is counted. */
function uncounted(
  { columns, footers, times }: RandomTable,
  { mapping, columns: names }: TableView,
  { leftOut, records }: Collected,
  faults: string[]
): void {
  if (!mapping || mapping.values.length === 0) return
  const used = new Set([
    mapping.clock,
    mapping.end,
    mapping.source,
    mapping.time,
    mapping.zoneColumn,
    ...mapping.values.map(({ column }) => column)
  ])
  let cells = 0
  for (const [at, column] of columns.entries()) {
    if (used.has(at)) continue
    const count = column.cells.filter(({ text }) => text.trim() !== '').length
    cells += count
    if ((records[`column ${names[at]}`] ?? 0) < count) faults.push(`cells of "${column.name}" are gone`)
  }
  // A word below a header is no unit, but a row, if nothing in its column is a number.
  const otherRows = footers.length + (columns.some(({ unit }) => unit !== '') ? 1 : 0)
  if ((leftOut[unmapped] ?? 0) > cells + otherRows * columns.length) faults.push('too many cells are counted')
  if (mapping.end !== undefined) faults.push(`"${columns[mapping.end]?.name}" is taken for an end`)
  if (mapping.source !== undefined) faults.push(`"${columns[mapping.source]?.name}" is taken for a source`)
  if (times.columns.length > 1 && mapping.clock === undefined && mapping.zoneColumn === undefined)
    faults.push('the second column of times is not used')
}
