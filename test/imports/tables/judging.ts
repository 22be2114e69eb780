/** Compares what is read of a random table with what it was made of. */
import type { TableView } from '../../../imports/record.js'
import type { Collected } from '../collecting.js'
import type { RandomTable } from './random-table.js'

export interface Judgement {
  readonly right: number
  /** Records that are left out, by reason. */
  readonly left: ReadonlyMap<string, number>
  readonly asked: number
  /** What is wrong, or gone silently. */
  readonly faults: readonly string[]
}

const open = new Set([
  'of a number that may have decimals or thousands',
  'of a date that may be of more than one order'
])
const unmapped = 'in a column that is not mapped'

/** Judges each value that was brought in, and looks for each one that was not. */
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

/** Takes the row of a value of which parts are there. */
function partIn(missing: ReadonlyMap<string, number[]>, key: string): number | undefined {
  const at = key.indexOf('{')
  if (at < 0) return undefined
  const parts = key.slice(at + 1, -1).split(',')
  for (const [other, rows] of missing)
    if (rows.length > 0 && other.startsWith(key.slice(0, at)) && parts.every(part => other.includes(part)))
      return rows.pop()
  return undefined
}

/** Line breaks and units that say the same are alike. */
function keyOf(time: number, type: string, stream: string, content: unknown): string {
  const text = typeof content === 'string' ? content.replaceAll(/\r\n?/g, '\n').trim() : content
  const kind = type === 'count/generic' ? 'count/steps' : type
  return `${time.toFixed(3)} ${kind} ${stream} ${JSON.stringify(text)}`
}

/** What the mapping would bring in of each row, were everything read as it was meant. */
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

/** Each cell of a column that is not mapped has to be counted. */
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
  if ((leftOut[unmapped] ?? 0) > cells + footers.length * columns.length)
    faults.push('too many cells are counted')
  if (mapping.end !== undefined) faults.push(`"${columns[mapping.end]?.name}" is taken for an end`)
  if (mapping.source !== undefined) faults.push(`"${columns[mapping.source]?.name}" is taken for a source`)
  if (times.columns.length > 1 && mapping.clock === undefined && mapping.zoneColumn === undefined)
    faults.push('the second column of times is not used')
}
