/** Random tables as written by programs, spreadsheets and people. */
import type { Random } from '../../support/random.js'
import { measureColumn, noteColumn, otherColumn, pressureColumns, type Column } from './columns.js'
import { locales, type Locale } from './locales.js'
import { pickTimes, type Times } from './times.js'

export interface RandomTable {
  readonly text: string
  readonly bytes: Buffer
  readonly locale: Locale
  readonly times: Times
  readonly columns: readonly Column[]
  /** Row numbers in the file, without empty lines; `undefined` for rows that are not written. */
  readonly numbers: readonly number[]
  /** Numbers of lines below the header without records. */
  readonly footers: readonly number[]
}

/** Returns a table with times, measures and other columns. */
export function randomTable(random: Random): RandomTable {
  const locale = random.pick(locales)
  const rows = random.chance(0.15) ? 1 + random.below(2) : 2 + random.below(28)
  const encoding = random.pick(encodings)
  const times = pickTimes(random, locale, rows)
  const values: Column[] = []
  for (let count = 1 + random.below(4); count > 0; count--) values.push(measureColumn(random, locale, rows))
  if (random.chance(0.15)) values.push(...pressureColumns(random, locale, rows))
  if (random.chance(0.3)) values.push(noteColumn(random, locale, rows, encoding === 'windows-1252'))
  if (random.chance(0.4)) values.push(otherColumn(random, rows))
  const own = times.columns.map(({ cells, name }): Column => ({
    name,
    unit: '',
    streams: [],
    kind: 'other',
    cells: cells.map(text => ({ text }))
  }))
  // Times are usually in the first column.
  const columns = random.chance(0.7)
    ? [...own, ...values]
    : random.chance(0.5)
      ? [values[0]!, ...own, ...values.slice(1)]
      : [...values, ...own]
  return { ...layOut(random, locale, columns, own, rows, encoding), locale, times, columns }
}

const encodings = [
  'utf-8',
  'utf-8',
  'utf-8 mark',
  'utf-16le mark',
  'utf-16be mark',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1252'
] as const

const prefaces = [
  'Export',
  'My Health Data',
  'Name: Daisy Miller',
  '# created 2024-05-04 10:00',
  '// version 3',
  'Patient;Daisy',
  'Device,Scale 3000',
  'From 2024-01-01 to 2024-12-31',
  'Born\t1980-01-01',
  'Units: as shown',
  'Created on,12.05.2024 10:30',
  '"A title, with a comma"',
  'Günther’s Werte',
  '',
  '',
  '-----',
  'Total records: 12',
  'Weight 71.4 kg',
  'Age,44,Height,172'
]

/** Writes a table with its surrounding lines. */
function layOut(
  random: Random,
  { decimal }: Locale,
  columns: readonly Column[],
  own: readonly Column[],
  rows: number,
  encoding: (typeof encodings)[number]
): Pick<RandomTable, 'text' | 'bytes' | 'numbers' | 'footers'> {
  const delimiter = random.pick([',', ';', '\t', '|', decimal === ',' ? ';' : ','])
  const quotes = random.pick(['least', 'least', 'all', 'texts', 'header'] as const)
  const isTrailing = random.chance(0.1)
  const isPadded = random.chance(0.2)
  const end = random.pick(['\n', '\r\n', '\r\n', '\r'])
  const write = (cells: readonly string[], isHeader: boolean): string =>
    cells
      .map(cell => {
        const isNeeded = cell.includes(delimiter) || /["\n\r]/.test(cell)
        const isWanted =
          quotes === 'all' || (quotes === 'header' && isHeader) || (quotes === 'texts' && /\p{L}/u.test(cell))
        return isNeeded || isWanted ? `"${cell.replaceAll('"', '""')}"` : cell
      })
      .join(delimiter) + (isTrailing ? delimiter : '')
  const lines: string[] = []
  const isNamed = random.chance(0.12)
  if (isNamed) lines.push(`sep=${delimiter}`)
  const count = isNamed || random.chance(0.5) ? 0 : 1 + random.below(8)
  for (let line = 0; line < count; line++) {
    const text = random.pick(prefaces)
    lines.push(isPadded ? write([text, ...columns.slice(1).map(() => '')], true) : text)
  }
  lines.push(
    write(
      columns.map(({ name }) => name),
      true
    )
  )
  if (columns.some(({ unit }) => unit !== '')) {
    const units = columns.map(({ unit }) => unit)
    lines.push(write(random.chance(0.5) ? units : units.map(unit => (unit === '' ? '' : `(${unit})`)), true))
  }
  const numbers: number[] = []
  for (let row = 0; row < rows; row++) {
    if (random.chance(0.02)) lines.push('')
    lines.push(
      write(
        columns.map(({ cells }) => cells[row]!.text),
        false
      )
    )
    numbers[row] = lines.length - 1
  }
  const footers: number[] = []
  const isTime = columns.map(column => own.includes(column))
  if (random.chance(0.25)) {
    if (random.chance(0.5)) lines.push('')
    const sums = columns.map(({ cells }, at) =>
      at === 0
        ? random.pick(['Total', 'Average', 'Summe', 'Moyenne', 'Mean:'])
        : isTime[at]
          ? ''
          : cells.at(-1)!.text
    )
    footers.push(lines.length)
    lines.push(
      write(random.pick([sums, ['Total records: 12'], ['Copyright', '2024'], ['', ...sums.slice(1)]]), false)
    )
  }
  const text = lines.join('\n') + random.pick(['\n', '', '\n\n'])
  // Empty lines are not counted as rows.
  const before: number[] = []
  let filled = 0
  for (const line of lines) before.push(line === '' ? filled : ++filled)
  const returned = text.replaceAll(/\r?\n/g, end)
  return {
    text: returned,
    bytes: encode(returned, encoding),
    numbers: numbers.map(line => before[line]!),
    footers: footers.map(line => before[line]!)
  }
}

function encode(text: string, encoding: (typeof encodings)[number]): Buffer {
  const marked = encoding.endsWith('mark') ? `\uFEFF${text}` : text
  if (encoding.startsWith('utf-16le')) return Buffer.from(marked, 'utf16le')
  if (encoding.startsWith('utf-16be')) return Buffer.from(marked, 'utf16le').swap16()
  if (encoding !== 'windows-1252') return Buffer.from(marked)
  const plain = text
    .replaceAll('’', '\u0092')
    .replaceAll('…', '\u0085')
    .replaceAll('—', '\u0097')
    .replaceAll('\u202f', '\u00a0')
  return /[^\0-\u00ff]/.test(plain) ? Buffer.from(text) : Buffer.from(plain, 'latin1')
}
