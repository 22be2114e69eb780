/** Ambiguous values in workbooks: each is read correctly, or skipped by name. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'
import { bookOf, rowsOf, type BookParts, type CellValue } from './workbooks.js'

/** Reads a workbook with one sheet. `after`: XML below its rows. */
async function sheet(
  rows: readonly (readonly CellValue[])[],
  { after, ...book }: Partial<BookParts> & { readonly after?: string } = {},
  options = {}
): Promise<Collected> {
  const sheets = [{ name: 'Data', rows: rowsOf(rows), ...(after !== undefined && { after }) }]
  const found = await collected(await bookOf({ sheets, ...book }), 'a.xlsx', options)
  t.equal(total(found.records), found.data.length + total(found.leftOut), 'all is counted once')
  return found
}

const merged = (...ranges: string[]): string =>
  `<mergeCells>${ranges.map(range => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`
const values = ({ data }: Collected): unknown[] => data.map(({ content }) => content)
const times = ({ data }: Collected): string[] =>
  data.map(({ time }) => new Date(time * 1000).toISOString().slice(0, 16))
const fraction = 'of a number that may be a fraction or a percentage'

t.test('a number without a percent format next to others that have it is not guessed', async t => {
  const rows = [
    ['Date', 'Body fat', 'Humidity (%)'],
    ['2024-01-01', [0.205, 1], [0.4, 1]],
    ['2024-01-02', 0.21, 0.41],
    ['2024-01-03', 22, 42],
    ['2024-01-04', [0.23, 1], 0],
    ['2024-01-05', 0.005, [0.43, 1]]
  ] as const
  const found = await sheet(rows, { formats: ['0.0%'] })
  t.same(values(found), [20.5, 40, 22, 42, 23, 0, 43])
  t.same(found.leftOutRows, {
    [fraction]: ['Data!3', 'Data!3'],
    'of a value that is impossible for what it measures': ['Data!6']
  })
  // The user can specify their meaning.
  for (const [factor, expected] of [
    [100, 41],
    [1, 0.41]
  ] as const) {
    const answered = await sheet(
      rows,
      { formats: ['0.0%'] },
      {
        mappings: {
          'date|body fat|humidity (%)': {
            time: 0,
            values: [{ column: 2, type: 'ratio/percent', stream: 'Humidity', factor }]
          }
        }
      }
    )
    t.equal(values(answered)[1], expected)
  }
  // The same in a CSV file.
  const text = await collected('Date;Humidity (%)\n2024-01-01;40%\n2024-01-02;0.41\n2024-01-03;42\n')
  t.same(values(text), [40, 42])
  t.same(text.leftOutRows, { [fraction]: [3] })
  // Without percent signs the header decides.
  const plain = await collected('Date;Humidity (%)\n2024-01-01;40\n2024-01-02;0.41\n2024-01-03;42\n')
  t.same(values(plain), [40, 0.41, 42])
  // Values above 100% are possible if others have them.
  const more = await sheet(
    [
      ['Date', 'Load (%)'],
      ['2024-01-01', [1.6, 1]],
      ['2024-01-02', 1.5],
      ['2024-01-03', 150]
    ],
    { formats: [9] }
  )
  t.same(values(more), [160, 150])
  t.same(more.leftOutRows, { [fraction]: ['Data!3'] })
})

t.test('merged dates and names apply to all of their rows, values to the first', async t => {
  const found = await sheet(
    [
      ['My weights'],
      [],
      ['Date', 'Time', 'Weight (kg)', 'Device'],
      [[45_292, 1], [0.25, 2], 70, 'Scale'],
      [undefined, [0.5, 2], 71],
      [{ xml: '<c s="1"/>' }, [45_292.75, 2], undefined],
      [undefined, [45_292.875, 2], 73],
      [undefined, [0.5, 2], 74],
      [[45_293, 1], [0.5, 2], 75, 'Other']
    ],
    { formats: [14, 20], after: merged('A1:D1', 'A4:A7', 'D4:D5', 'C5:C6') }
  )
  t.same(
    found.data.map(({ content, source, time }) => [
      new Date(time * 1000).toISOString().slice(0, 16),
      content,
      source
    ]),
    [
      ['2024-01-01T06:00', 70, 'Scale'],
      ['2024-01-01T12:00', 71, 'Scale'],
      ['2024-01-01T21:00', 73, ''],
      ['2024-01-02T12:00', 75, 'Other']
    ]
  )
  t.same(found.leftOutRows, {
    'without a number': ['Data!6'],
    'of a time that cannot be read': ['Data!8']
  })
  t.match(found.warnings, [/"Data": Cells are merged/])
  const quiet = await sheet(
    [
      ['Report', undefined],
      ['Date', 'Weight (kg)'],
      ['2024-01-01', 70],
      [undefined, 71]
    ],
    { after: merged('A1:B1', 'A3:A4') }
  )
  t.same(
    [values(quiet), times(quiet), quiet.warnings],
    [[70, 71], ['2024-01-01T00:00', '2024-01-01T00:00'], []]
  )
})

t.test('a header with cells merged with those above', async t => {
  const found = await sheet(
    [
      ['Date', 'Blood pressure', undefined, 'Pulse'],
      [undefined, 'Systolic', 'Diastolic', undefined],
      ['2024-01-01', 120, 80, 60],
      ['2024-01-02', 121, 81, 61]
    ],
    { after: merged('A1:A2', 'B1:C1', 'D1:D2') }
  )
  t.same(values(found), [
    { systolic: 120, diastolic: 80, rate: 60 },
    { systolic: 121, diastolic: 81, rate: 61 }
  ])
})

t.test('formats that display numbers in another scale or unit', async t => {
  const unit = 'in a unit without a type here'
  const text = 'of a value that is no number'
  for (const [format, value, expected] of [
    ['0.0," km"', 5000, unit],
    ['0,.0', 5000, unit],
    ['[>=1000]0.0," km";0" m"', 500, unit],
    ['[>=1000]0.0" km";0" m"', 500, unit],
    ['"<"0', 5, unit],
    ['0%%', 5, unit],
    ['0" parsecs"', 5, text],
    ['[Red][<5]0.0" m";[Blue]0.0" m"', 5, 5],
    ['0" m";-0" km"', 5, 5],
    ['#,##0.0" km"', 5, 5],
    ['0.0\\ "mi"', 5, 5],
    ['General" km"', 5, 5],
    ['#,##0.00 "€"', 5, 5],
    ['_-* #,##0.00 "-"_m_-', 5, 5],
    ['yyyy-mm-dd', -5, text],
    ['yyyy-mm-dd', 1e9, text]
  ] as const) {
    const found = await sheet(
      [
        ['Date', 'Distance (km)'],
        ['2024-01-01', [value, 1]]
      ],
      { formats: [format] }
    )
    const left = expected === unit ? { [unit]: 1, 'without a number': 1 } : { [expected]: 1 }
    t.same([values(found), found.leftOut], expected === 5 ? [[5], {}] : [[], left], format)
  }
})

t.test('durations with and without a time format', async t => {
  const found = await sheet(
    [
      ['Date', 'Duration', 'Weight (kg)'],
      ['2024-01-01', [0.0625, 1], 70],
      ['2024-01-02', [0.0625, 2], 71],
      ['2024-01-03', 0.0625, 72],
      ['2024-01-04', [26 / 24, 1], 73]
    ],
    { formats: ['[h]:mm', '[m]'] }
  )
  t.same(
    found.data.map(({ duration }) => duration),
    [5400, 5400, undefined, 93_600]
  )
  t.same(found.leftOutRows, { 'of an end that cannot be read': ['Data!4'] })
  // The same in a CSV file, unless the user specifies the unit.
  const csv = 'Date;Duration;Weight (kg)\n2024-01-01;1:30:00;70\n2024-01-02;1:00:00;71\n2024-01-03;90;72\n'
  const open = await collected(csv)
  t.same(
    open.data.map(({ duration }) => duration),
    [5400, 3600, undefined]
  )
  const told = await collected(csv, 'a.csv', {
    mappings: {
      'date|duration|weight (kg)': {
        time: 0,
        end: 1,
        endFactor: 60,
        values: [{ column: 2, type: 'mass/kg', stream: 'Weight' }]
      }
    }
  })
  t.same(
    told.data.map(({ duration }) => duration),
    [5400, 3600, 5400]
  )
})

t.test('skipped cells are counted once, however many tables a sheet contains', async t => {
  const error = { xml: '<c t="e"><v>#N/A</v></c>' }
  for (const columns of [
    ['Date', 'Weight (kg)'],
    ['Date', 'Zorp']
  ]) {
    const found = await sheet([
      columns,
      ['2024-01-01', 70],
      ['2024-01-02', error],
      [],
      ['Time', 'Pulse'],
      ['2024-01-03 08:00', error],
      ['2024-01-04 08:00', 60]
    ])
    t.equal(found.leftOut['an error of the spreadsheet'], 2)
    t.same(found.leftOutRows['an error of the spreadsheet'], ['Data!3', 'Data!6'])
    t.equal(values(found).at(-1), 60)
  }
})

t.test('a cell beyond the named columns does not affect its row', async t => {
  const rows = Array.from({ length: 250 }, (_row, at): CellValue[] => [
    [45_292 + at, 1],
    70,
    ...(at === 240 ? [5] : [])
  ])
  const found = await sheet([['Date', 'Weight (kg)'], ...rows], { formats: [14] })
  t.equal(found.data.length, 250)
  t.equal(total(found.leftOut), 1)
})
