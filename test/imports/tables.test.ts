/** Values of tables are correct, or the user is asked, or they are skipped by name. */
import t from 'tap'
import type { Mapping } from '../../imports/record.js'
import { collected, type Collected } from './collecting.js'

const values = ({ data }: Collected): unknown[] => data.map(({ content }) => content)
const day = ({ data }: Collected): string[] =>
  data.map(({ time }) => new Date(time * 1000).toISOString().slice(0, 16))
const open = 'of a number that may have decimals or thousands'
const impossible = 'of a value that is impossible for what it measures'
const openDate = 'of a date that may be of more than one order'

/** Returns a table with one column and dates. */
function tableOf(name: string, cells: readonly string[], delimiter = ','): string {
  const rows = cells.map((cell, at) => {
    const written = cell.includes(delimiter) ? `"${cell}"` : cell
    return `2024-05-0${at + 1} 08:00${delimiter}${written}`
  })
  return `time${delimiter}${name}\n${rows.join('\n')}\n`
}

t.test('separators are determined by the whole column, and by what it measures', async t => {
  const cases: readonly [name: string, cells: string[], expected: number[]][] = [
    ['Steps', ['10,234', '9,876'], [10234, 9876]],
    ['Schritte', ['10.234', '876'], [10234, 876]],
    ['Steps', ['1,234,567', '12'], [12]],
    ['Steps', ['10 234', '1’234'], [10234, 1234]],
    ['Gewicht (kg)', ['1.081,0', '71,5'], [71.5]],
    ['Weight (kg)', ['71,500', '72,125'], [71.5, 72.125]],
    ['Weight (kg)', ['71.500', '72.125'], [71.5, 72.125]],
    ['Energy (kcal)', ['1,234', '987.5'], [1234, 987.5]],
    ['Energy (kcal)', ['1.234', '987,5'], [1234, 987.5]],
    ['Energy (kcal)', ['0,512', '1,234'], [0.512, 1.234]],
    ['Energy (kcal)', ['1,2,3', '2,50'], [2.5]]
  ]
  for (const [name, cells, expected] of cases)
    for (const delimiter of [',', ';', '\t'])
      t.same(values(await collected(tableOf(name, cells, delimiter))), expected, `${name} ${cells.join(' ')}`)
  const heavy = await collected(tableOf('Gewicht (kg)', ['1.081,0', '71,5'], ';'))
  t.same(heavy.leftOut, { [impossible]: 1 })
  t.same(heavy.leftOutRows, { [impossible]: [2] })
})

t.test('other columns resolve ambiguous separators; otherwise the user is asked', async t => {
  const beside = 'time;Energy (kcal);Weight (kg)\n2024-05-01 08:00;1.234;71,5\n2024-05-02 08:00;2.345;72\n'
  t.same(values(await collected(beside)), [1234, 71.5, 2345, 72])
  const table = tableOf('Energy (kcal)', ['1,234', '2,345', '500'])
  const asked = await collected(table)
  t.same(values(asked), [500])
  t.same(asked.leftOut, { [open]: 2 })
  t.same(asked.leftOutRows, { [open]: [2, 3] })
  t.match(asked.warnings, [/"Energy \(kcal\)" may have decimals/])
  const { header, mapping, questions } = asked.tables[0]!
  t.same(questions, [
    {
      column: 1,
      asks: 'decimals',
      cells: ['1,234', '2,345'],
      readings: { comma: [1.234, 2.345], point: [1234, 2345] }
    }
  ])
  for (const [decimals, expected] of [
    ['comma', [1.234, 2.345, 500]],
    ['point', [1234, 2345, 500]]
  ] as const) {
    const answered = await collected(table, 'x', { mappings: { [header]: { ...mapping!, decimals } } })
    t.same(values(answered), expected)
    t.equal(answered.tables[0]!.questions, undefined)
    t.same([answered.leftOut, answered.warnings], [{}, []])
  }
  const excel = 'Datum;Energy (kcal)\n13.05.2024 08:00;1,234\n14.05.2024 08:00;2,345\n'
  t.same(values(await collected(excel)), [1.234, 2.345], 'semicolons and dates with points')
  const mixed = await collected(tableOf('Energy (kcal)', ['1,5', '2.5', '1,234']))
  t.same([values(mixed), mixed.leftOut], [[1.5, 2.5], { [open]: 1 }])
})

t.test('dates have the order that fits all of them; otherwise the user is asked', async t => {
  const cases: readonly [cells: string[], expected: string[]][] = [
    [['3/1/2024 7:30 PM', '4/2/2024 7:30 AM'], []],
    [
      ['1/13/2024 7:30 PM', '4/2/2024 7:30 AM'],
      ['2024-01-13T19:30', '2024-04-02T07:30']
    ],
    [
      ['13/1/2024 7:30 AM', '4/2/2024 7:30 AM'],
      ['2024-01-13T07:30', '2024-02-04T07:30']
    ],
    [
      ['03/04/2024', '14/04/2024'],
      ['2024-04-03T00:00', '2024-04-14T00:00']
    ],
    [
      ['03/04/24', '03/14/24'],
      ['2024-03-04T00:00', '2024-03-14T00:00']
    ],
    [['24/01/05', '24/02/13'], []],
    [
      ['03.04.2024', '05.06.2024'],
      ['2024-04-03T00:00', '2024-06-05T00:00']
    ],
    [['05/05/2024', '03/04/2024'], ['2024-05-05T00:00']],
    [
      ['13/04/2024', '04/13/2024', '03/04/2024'],
      ['2024-04-13T00:00', '2024-04-13T00:00']
    ]
  ]
  for (const [cells, expected] of cases)
    t.same(day(await collected(`Date,Pulse\n${cells.join(',60\n')},60\n`)), expected, cells.join(' '))
  const apart = await collected('Date,Time,Pulse\n03/14/2024,8:00 PM,60\n')
  t.same(day(apart), ['2024-03-14T20:00'])
  const table = 'Date,Pulse\n03/04/2024,60\n05/06/2024,61\n'
  const asked = await collected(table)
  t.same([asked.data, asked.leftOut], [[], { [openDate]: 2 }])
  t.same(asked.leftOutRows, { [openDate]: [2, 3] })
  const { header, mapping, questions } = asked.tables[0]!
  t.match(questions, [
    {
      column: 0,
      asks: 'dates',
      cells: ['03/04/2024', '05/06/2024'],
      readings: { dmy: [1712102400, 1717545600], mdy: [1709510400, 1714953600] }
    }
  ])
  const answered: Mapping = { ...mapping!, dates: 'mdy' }
  const found = await collected(table, 'x', { mappings: { [header]: answered } })
  t.same(day(found), ['2024-03-04T00:00', '2024-05-06T00:00'])
  t.equal(found.tables[0]!.questions, undefined)
})

t.test('a blood pressure in one cell, and cells without numbers, each with its row', async t => {
  for (const name of ['Blood pressure', 'Blutdruck (mmHg)', 'BP']) {
    const found = await collected(
      `time,${name},Pulse,Steps\n2024-05-01 08:00,120/80,60,5\n2024-05-02 08:00,n/a,61,-\n2024-05-03 08:00,121 / 81,Low,\n2024-05-04 08:00,80/120,<20,7\n`
    )
    t.same(
      found.data.filter(({ type }) => type.startsWith('blood')).map(({ content }) => content),
      [
        { systolic: 120, diastolic: 80 },
        { systolic: 121, diastolic: 81 }
      ]
    )
    t.same(found.leftOutRows, {
      'of a value that is no blood pressure': [3, 5],
      'of a value that is no number': [3, 4, 5]
    })
    const left = Object.values(found.leftOut).reduce((sum, by) => sum + by, 0)
    t.equal(
      Object.values(found.records).reduce((sum, by) => sum + by, 0),
      found.data.length + left
    )
    t.equal(found.data.length + left, 11, 'every cell that is not empty')
  }
  const parts = await collected(
    'time,systolic,diastolic\n2024-05-01 08:00,High,80\n2024-05-02 08:00,120,80\n'
  )
  t.same(parts.leftOut, { 'of a value that is no number': 1 })
})

/** Decimal and thousands separators, and date formats, of twelve countries. */
const locales: readonly [decimal: string, group: string, date: string][] = [
  ['.', ',', 'M/D/Y'],
  ['.', ',', 'D/M/Y'],
  [',', '.', 'D.M.Y'],
  ['.', '’', 'D.M.Y'],
  [',', '\u202f', 'D/M/Y'],
  [',', '.', 'D/M/Y'],
  [',', '.', 'D-M-Y'],
  [',', ' ', 'Y-M-D'],
  ['.', ',', 'Y/M/D'],
  [',', '\u00a0', 'D.M.Y'],
  ['.', ',', 'D/M/y'],
  ['.', ',', 'y/M/D']
]

t.test('tables of twelve countries: imported values are the measured ones', async t => {
  const tables = Number(process.env['COFFER_TABLES'] ?? 120)
  const seed = Number(process.env['COFFER_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  t.comment(`seed ${seed}`)
  let state = seed
  const below = (count: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * count)
  }
  const counts = { right: 0, left: 0, wrong: 0 }
  for (let table = 0; table < tables; table++) {
    const [decimal, group, form] = locales[table % locales.length]!
    const delimiter = [',', ';', '\t', '|'][below(4)]!
    const digits = below(4)
    const isGrouped = below(2) === 0
    const written = (value: number, places: number): string => {
      const [whole, rest] = value.toFixed(places).split('.')
      const grouped = isGrouped ? whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, group) : whole!
      const text = rest === undefined ? grouped : grouped + decimal + rest
      return text.includes(delimiter) ? `"${text}"` : text
    }
    const truth = new Map<string, number>()
    const rows: string[] = []
    for (let row = 0; row < 1 + below(8); row++) {
      const at = Date.UTC(2001 + below(25), below(12), 1 + below(28))
      const [year, month, day] = new Date(at).toISOString().slice(0, 10).split('-')
      const date = form
        .replace('Y', year!)
        .replace('y', year!.slice(2))
        .replace('M', form === 'M/D/Y' ? String(Number(month)) : month!)
        .replace('D', form === 'M/D/Y' ? String(Number(day)) : day!)
      const values = [
        ['mass/kg', 40 + below(60_000) / 1000, digits],
        ['count/steps', below(40_000), 0],
        ['energy/kcal', below(4_000_000) / 1000, digits]
      ] as const
      const clock = form === 'M/D/Y' ? '8:00 AM' : '08:00'
      rows.push(
        [`${date} ${clock}`, ...values.map(([, value, places]) => written(value, places))].join(delimiter)
      )
      for (const [type, value, places] of values)
        truth.set(`${at / 1000 + 28_800} ${type} ${Number(value.toFixed(places))}`, 1)
    }
    const names = ['time', 'Weight (kg)', 'Steps', 'Energy (kcal)']
    const text = `${names.join(delimiter)}\n${rows.join('\n')}\n`
    const bytes = [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      Buffer.from(text.replaceAll('’', '\u0092').replaceAll('\u202f', '\u00a0'), 'latin1')
    ][below(4)]!
    const found = await collected(bytes, 'table.csv')
    for (const { content, time, type } of found.data)
      if (truth.has(`${time} ${type} ${String(content)}`)) counts.right++
      else {
        counts.wrong++
        t.fail(`${time} ${type} ${String(content)} is not in\n${text}`)
      }
    const left = Object.values(found.leftOut).reduce((sum, by) => sum + by, 0)
    counts.left += left
    if (left + found.data.length < rows.length) t.fail(`a row is lost of\n${text}`)
  }
  t.comment(JSON.stringify(counts))
  t.equal(counts.wrong, 0)
  t.ok(counts.right > tables, 'most of it is understood')
})
