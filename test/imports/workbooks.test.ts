/** Workbooks: each sheet is a table, and a value is what its cell contains, or it is skipped by name. */
import t from 'tap'
import { total, zipOf } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'
import { bookOf, bookParts, days, rowsOf, type BookParts, type CellValue } from './workbooks.js'

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

/** Reads a workbook with one sheet. */
async function sheet(
  rows: readonly (readonly CellValue[])[],
  book: Partial<BookParts> = {},
  options = {}
): Promise<Collected> {
  const found = await collected(
    await bookOf({ sheets: [{ name: 'Data', rows: rowsOf(rows) }], ...book }),
    'a.xlsx',
    options
  )
  t.ok(addsUp(found))
  return found
}

const weightsFrom = (day: number): string =>
  rowsOf([
    ['Date', 'Weight (kg)'],
    [`2024-01-0${day}`, 70 + day],
    [`2024-02-0${day}`, 70.5 + day],
    ['soon', 1]
  ])
const prefixed = (xml: string | Buffer): string =>
  String(xml)
    .replaceAll(/<(\/?)(?!\?)/g, '<$1x:')
    .replaceAll(' r:id=', ' q:id=')
const typesOf = (type: string): Record<string, string> => ({
  '[Content_Types].xml': `<Types><Override ContentType="application/${type}"/></Types>`
})
const values = ({ data }: Collected): unknown[] => data.map(({ content }) => content)
const times = ({ data }: Collected): string[] =>
  data.map(({ time }) => new Date(time * 1000).toISOString().replace(/\.000Z$/, 'Z'))

const morning = days('2024-01-01T08:00:00Z')

t.test('numbers are read exactly, whatever their format and adjacent texts', async t => {
  const found = await sheet(
    [
      ['Date', 'Energy (kcal)', 'Distance (km)'],
      [[morning, 1], 1.234, 71.5],
      [[morning + 1, 1], 2.345, 1234.5],
      [[morning + 2, 1], 0.1 + 0.2, { xml: '<c><v>71.400000000000006</v></c>' }],
      [[morning + 3, 1], 1e-7, 12]
    ],
    { formats: [22] }
  )
  t.same(
    found.data.filter(({ type }) => type === 'energy/kcal').map(({ content }) => content),
    [1.234, 2.345, 0.3, 1e-7]
  )
  t.same(
    found.data.filter(({ type }) => type === 'length/km').map(({ content }) => content),
    [71.5, 1234.5, 71.4, 12]
  )
  t.notOk(found.tables[0]!.questions)
  t.same(found.formats, ['xlsx'])
  // The user is asked about texts: numbers of the workbook reveal nothing about their format.
  const mixed = await sheet(
    [
      ['Date', 'Energy (kcal)', 'Weight (kg)'],
      [[morning, 1], '1,234', 71.5],
      [[morning + 1, 1], '2,345', 72.5],
      [[morning + 2, 1], 3.456, 73.5]
    ],
    { formats: [22] }
  )
  t.match(mixed.tables[0]!.questions, [{ column: 1, asks: 'decimals', cells: ['1,234', '2,345'] }])
  t.match(mixed.leftOut, { 'of a number that may have decimals or thousands': 2 })
  t.same(mixed.leftOutRows['of a number that may have decimals or thousands'], ['Data!2', 'Data!3'])
  t.same(values(mixed), [71.5, 72.5, 3.456, 73.5])
})

t.test('number formats determine dates and times', async t => {
  for (const [format, value, expected] of [
    [14, morning, '2024-01-01T08:00:00Z'],
    [14, 45_292, '2024-01-01T00:00:00Z'],
    [22, 45_292, '2024-01-01T00:00:00Z'],
    [15, 45_292.5, '2024-01-01T12:00:00Z'],
    [57, 45_292, '2024-01-01T00:00:00Z'],
    ['dd.mm.yyyy hh:mm', 45_292.333333333336, '2024-01-01T08:00:00Z'],
    ['[$-407]d. mmmm yyyy;@', 45_292, '2024-01-01T00:00:00Z'],
    ['yyyy\\-mm\\-dd"T"hh:mm:ss.000', 45_292.000011574077, '2024-01-01T00:00:01Z'],
    ['hh:mm', morning, '2024-01-01T08:00:00Z'],
    ['[Red]yyyy/m/d', 1, '1900-01-01T00:00:00Z'],
    ['yyyy/m/d', 59, '1900-02-28T00:00:00Z'],
    ['yyyy/m/d', 61, '1900-03-01T00:00:00Z']
  ] as const) {
    const found = await sheet(
      [
        ['Date', 'Weight (kg)'],
        [[value, 1], 70],
        [[value + 2, 1], 71]
      ],
      { formats: [format] }
    )
    t.equal(times(found)[0], expected, `${format} ${value}`)
  }
  // Times without a zone are local.
  const local = await sheet(
    [
      ['Date', 'Weight (kg)'],
      [[morning, 1], 70],
      [[morning + 1, 1], 71]
    ],
    { formats: [22] },
    { zone: 'Europe/Zurich' }
  )
  t.equal(times(local)[0], '2024-01-01T07:00:00Z')
  const iso = await sheet([
    ['Date', 'Weight (kg)'],
    [{ xml: '<c t="d"><v>2024-01-01T08:00:00</v></c>' }, 70],
    [{ xml: '<c t="d"><v>2024-01-02T08:00:00.5</v></c>' }, 71]
  ])
  t.same(times(iso), ['2024-01-01T08:00:00Z', '2024-01-02T08:00:00.500Z'])
  // 1900-02-29 does not exist, and neither do earlier days.
  const none = await sheet(
    [
      ['Date', 'Weight (kg)'],
      ...[0, 1, 2, 3].map(at => [[morning + at, 1], 70] as const),
      [[60, 1], 70],
      [[-5, 1], 70],
      [[1e9, 1], 70]
    ],
    { formats: [14] }
  )
  t.same(none.leftOut, { 'of a time that cannot be read': 3 })
  t.same(none.leftOutRows['of a time that cannot be read'], ['Data!6', 'Data!7', 'Data!8'])
})

t.test('formats that only look like dates are not dates', async t => {
  for (const format of [
    '0.0" days"',
    '[Red]0.0',
    '#,##0.00\\ "€/"',
    '0.00E+00',
    'General',
    '"dmy"0',
    '_-* #,##0.00 _m_-',
    4,
    44,
    49
  ]) {
    const found = await sheet(
      [
        ['Date', 'Weight (kg)'],
        ['2024-01-01', [70.5, 1]],
        ['2024-01-02', [71.5, 1]]
      ],
      { formats: [format] }
    )
    t.same(values(found).length + total(found.leftOut), 2, String(format))
    if (!/days/.test(String(format))) t.same(values(found), [70.5, 71.5], String(format))
  }
})

t.test('days may be counted from 1904', async t => {
  for (const flag of ['1', 'true']) {
    const found = await sheet(
      [
        ['Date', 'Time', 'Weight (kg)'],
        [[45_292 - 1462, 1], [0.5, 2], 70],
        [[45_293 - 1462, 1], [0.25, 2], 71]
      ],
      { formats: [14, 21], inner: `<workbookPr date1904="${flag}"/>` }
    )
    t.same(times(found), ['2024-01-01T12:00:00Z', '2024-01-02T06:00:00Z'])
  }
  // Without a format nothing marks it as a date, and one from 1900 would be wrong.
  const bare = await sheet(
    [
      ['Date', 'Steps'],
      [43_830, 26_054],
      [43_831, 26_055]
    ],
    { inner: '<workbookPr date1904="1"/>' },
    {
      mappings: { 'date|steps': { time: 0, values: [{ column: 1, type: 'count/steps', stream: 'Steps' }] } }
    }
  )
  t.same(bare.leftOut, { 'of a time that cannot be read': 2 })
  const text = await sheet(
    [
      ['Date', 'Steps'],
      ['2024-01-01', 26_054],
      ['2024-01-02', 26_055]
    ],
    { inner: '<workbookPr date1904="1"/>' }
  )
  t.same(values(text), [26_054, 26_055])
})

t.test('times of day and durations', async t => {
  const found = await sheet(
    [
      ['Date', 'Time', 'Duration', 'Weight (kg)'],
      [[45_292, 1], [8 / 24, 2], [26.5 / 24, 3], 70],
      [[45_293, 1], [20.5 / 24, 2], [0.5 / 24, 3], 71]
    ],
    { formats: ['dd.mm.yyyy', 'h:mm AM/PM', '[h]:mm'] }
  )
  t.same(times(found), ['2024-01-01T08:00:00Z', '2024-01-02T20:30:00Z'])
  t.same(
    found.data.map(({ duration }) => duration),
    [26.5 * 3600, 1800]
  )
  // One column displays the date of a time, and another one the hour.
  for (const date of [45_292, 45_292.75]) {
    const twice = await sheet(
      [
        ['Date', 'Time', 'Weight (kg)'],
        [[date, 1], [45_292.75, 2], 70],
        [[date + 1, 1], [45_293.75, 2], 71]
      ],
      { formats: [14, 20] }
    )
    t.same(times(twice), ['2024-01-01T18:00:00Z', '2024-01-02T18:00:00Z'])
  }
})

t.test('percentages and units are those that cells display', async t => {
  const found = await sheet(
    [
      ['Date', 'Body fat', 'Weight', 'Oxygen saturation'],
      ['2024-01-01', [0.07, 1], [71.4, 2], [97, 3]],
      ['2024-01-02', [0.235, 1], [1.234, 2], [98, 3]]
    ],
    { formats: ['0.0%', '0.0" kg"', '0"%"'] }
  )
  t.same(
    found.data.map(({ content, type }) => [type, content]),
    [
      ['ratio/percent', 7],
      ['mass/kg', 71.4],
      ['ratio/percent', 97],
      ['ratio/percent', 23.5],
      ['mass/kg', 1.234],
      ['ratio/percent', 98]
    ]
  )
  const odd = await sheet(
    [
      ['Date', 'Weight (kg)'],
      ['2024-01-01', [0.07, 1]],
      ['2024-01-02', 70]
    ],
    { formats: [9] }
  )
  t.same(odd.leftOut, { 'in a unit without a type here': 1 })
})

t.test('texts are read completely, wherever they are stored', async t => {
  const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>
    <row><c t="s"><v>3</v></c><c><v>70</v></c><c t="inlineStr"><is><r><rPr><b/></rPr><t>a </t></r><r><t>&lt;b&gt;</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c></row>
    <row><c t="str"><f>A2+1</f><v>2024-01-02 08:00</v></c><c><v>71</v></c><c t="s"><v>4</v></c></row>
    <row><c t="inlineStr"><is><t>2024-01-03 08:00</t></is></c><c><v>72</v></c><c t="s"><v>9</v></c></row>`
  const found = await collected(
    await bookOf({
      sheets: [{ name: 'Data', rows }],
      texts: [
        '<t>Date</t>',
        '<r><rPr><sz val="11"/></rPr><t>Weight </t></r><r><t>(kg)</t></r><rPh sb="0" eb="2"><t>foo</t></rPh><phoneticPr fontId="1"/>',
        '<t>Notes</t>',
        '<t xml:space="preserve"> 2024-01-01 08:00 </t>',
        '<t>one_x000D__x000a_two _x005F_x000D_ &amp; &#228;</t>'
      ]
    })
  )
  t.same(values(found), [70, 'a <b>', 71, 'one\r\ntwo _x000D_ & ä', 72])
  t.same(found.leftOut, { damaged: 1 })
  t.same(found.leftOutRows, { damaged: ['Data!4'] })
  t.ok(addsUp(found))
})

t.test('errors and formulas without a value are skipped by name', async t => {
  const rows = [
    ['Date', 'Weight (kg)', 'Notes'],
    ['2024-01-01', { xml: '<c t="e"><v>#N/A</v></c>' }, { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' }],
    ['2024-01-02', { xml: '<c><f>B1*2</f><v>71.5</v></c>' }, { xml: '<c t="str"><f>""</f><v></v></c>' }],
    ['2024-01-03', { xml: '<c><f>B1*2</f><v/></c>' }, { xml: '<c t="str"><f>"x"</f><v>x</v></c>' }],
    [{ xml: '<c t="e"><v>#REF!</v></c>' }, 73, undefined],
    ['2024-01-05', true, undefined],
    ['2024-01-06', { xml: '<c><v>seventy</v></c>' }, 74]
  ] as const
  const found = await sheet(rows)
  t.same(values(found), [71.5, 'x', '74'])
  t.same(found.leftOut, {
    'an error of the spreadsheet': 3,
    'without a number': 1,
    'a formula whose value has not been saved': 1,
    'of a time that cannot be read': 1,
    'of a value that is no number': 1,
    damaged: 1
  })
  t.same(found.leftOutRows['an error of the spreadsheet'], ['Data!2', 'Data!2', 'Data!5'])
  t.same(found.records.cell, 5)
  // If everything is to be recalculated, zeros are placeholders.
  const stale = await sheet(
    [
      ['Date', 'Weight (kg)'],
      ['2024-01-01', { xml: '<c><f t="array" ref="B2:B3">C1:C2</f><v>0</v></c>' }],
      ['2024-01-02', 0],
      ['2024-01-03', 72]
    ],
    { inner: '<calcPr fullCalcOnLoad="1"/>' }
  )
  t.same(values(stale), [72])
  t.equal(stale.leftOut['a formula whose value has not been saved'], 2)
})

t.test(
  'gaps, cells out of order or without references, empty and hidden rows, and a wrong dimension',
  async t => {
    const rows = `<row r="3"><c r="D3" t="inlineStr"><is><t>Weight (kg)</t></is></c><c r="B3" t="inlineStr"><is><t>Date</t></is></c></row>
    <row r="4"/><row r="5" hidden="1"><c r="B5" t="inlineStr"><is><t>2024-01-01</t></is></c><c/><c><v>70</v></c></row>
    <row r="9"><c r="D9"><v>71</v></c><c r="B9" t="inlineStr"><is><t>2024-01-02</t></is></c><c r="D9"><v>99</v></c></row>
    <row><c><v></v></c><c t="inlineStr"><is><t>2024-01-03</t></is></c><c s="1"/><c><v>72</v></c><c r="F10"><v>5</v></c></row>
    <row r="2000000"><c r="B1" t="inlineStr"><is><t>2024-01-04</t></is></c><c r="D1"><v>73</v></c></row>
    <row r="12"><c r="B12" t="inlineStr"><is><t>nonsense</t></is></c><c r="D12"><v>74</v></c><c r="XFD12"><v>1</v></c></row>`
    const found = await collected(await bookOf({ sheets: [{ name: 'Two words', rows }] }))
    t.same(found.tables[0]!.columns, ['Column 1', 'Date', 'Column 3', 'Weight (kg)', 'Column 5', 'Column 6'])
    t.same(values(found), [70, 71, 72])
    t.same(found.leftOutRows, {
      'in the file more than once': ['Two words!9'],
      damaged: ['Two words!2000000'],
      'beyond the columns that a table may have': ['Two words!12'],
      'of a time that cannot be read': ['Two words!12']
    })
    t.equal(found.records['column Column 6'], 1)
    t.ok(addsUp(found))
  }
)

t.test('each sheet is a table, and others are named', async t => {
  const book = await bookOf({
    sheets: [
      { name: 'January', rows: weightsFrom(1) },
      { name: 'February', rows: weightsFrom(2) },
      { name: 'Secret', rows: weightsFrom(3), state: 'hidden' },
      { name: 'More secret', rows: weightsFrom(4), state: 'veryHidden' },
      { name: 'Nothing', rows: '<row r="1"><c r="A1"/></row>' },
      { name: 'Chart', rows: '', kind: 'chartsheet' },
      { name: 'About', rows: rowsOf([['My weights'], ['of this year']]) },
      { name: 'Pulse', rows: rowsOf([['Report'], [], ['Time', 'Pulse'], ['2024-01-01 08:00', 60]]) }
    ]
  })
  for (const content of [book, await zipOf({ 'folder/book.xlsx': book })]) {
    const found = await collected(content)
    t.same(values(found), [71, 71.5, 72, 72.5, 60])
    t.same(found.leftOut, {
      'of a time that cannot be read': 2,
      'hidden in its workbook': 2,
      empty: 1,
      'without a table': 2
    })
    t.same(found.leftOutRows, { 'of a time that cannot be read': ['January!4', 'February!4'] })
    t.equal(found.records.sheet, 5)
    t.match(found.warnings.join('\n'), /"Secret".*\n.*"More secret".*\n.*"Nothing".*\n.*"Chart".*\n.*"About"/)
    t.ok(addsUp(found))
    t.same(
      found.tables.map(({ header }) => header),
      ['date|weight (kg)', 'date|weight (kg)', 'time|pulse']
    )
  }
})

t.test('prefixes, other folders, strict namespaces, macros and templates make no difference', async t => {
  const parts = bookParts({
    sheets: [
      {
        name: 'Data',
        rows: rowsOf([
          ['Date', 'Weight (kg)'],
          [[45_292, 1], 70]
        ])
      }
    ],
    formats: [14]
  })
  const text = (name: string): string => String(parts[name])
  const strict = Object.fromEntries(
    Object.entries(parts).map(([name, xml]) => [
      name,
      String(xml)
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
          'http://purl.oclc.org/ooxml/officeDocument/relationships'
        )
        .replaceAll(
          'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
          'http://purl.oclc.org/ooxml/spreadsheetml/main'
        )
    ])
  )
  const { '[Content_Types].xml': types, ...rest } = parts
  const others: Readonly<Record<string, Record<string, string | Buffer>>> = {
    plain: parts,
    strict,
    'last its types': { ...rest, '[Content_Types].xml': types! },
    prefixes: Object.fromEntries(
      Object.entries(parts).map(([name, xml]) => [
        name,
        name.startsWith('xl/') && !name.endsWith('.rels') ? prefixed(xml) : xml
      ])
    ),
    macros: {
      ...parts,
      '[Content_Types].xml': String(types).replace(
        'openxmlformats-officedocument.spreadsheetml.sheet.main',
        'ms-excel.sheet.macroEnabled.main'
      ),
      'xl/vbaProject.bin': Buffer.from('x')
    },
    'another folder': {
      '[Content_Types].xml': types!,
      '_rels/.rels': text('_rels/.rels').replace('xl/workbook.xml', '/Book/Main.xml'),
      'Book/Main.xml': text('xl/workbook.xml'),
      'Book/_rels/Main.xml.rels': text('xl/_rels/workbook.xml.rels')
        .replace('"worksheets/', '"../Other/')
        .replace('/xl/styles', '../Other/Styles'),
      'Other/Styles.xml': text('xl/styles.xml'),
      'Other/sheet1.xml': text('xl/worksheets/sheet1.xml')
    },
    'UTF-16': {
      ...parts,
      'xl/worksheets/sheet1.xml': Buffer.from(
        `\uFEFF${text('xl/worksheets/sheet1.xml').replace('UTF-8', 'UTF-16')}`,
        'utf16le'
      )
    }
  }
  for (const [name, files] of Object.entries(others)) {
    const found = await collected(await zipOf(files))
    t.same(values(found), [70], name)
    t.same(times(found), ['2024-01-01T00:00:00Z'], name)
    t.same(found.warnings, [], name)
  }
})

t.test('other kinds of workbooks are identified', async t => {
  const encrypted = Buffer.alloc(4096)
  encrypted.write('d0cf11e0a1b11ae1', 'hex')
  encrypted.write('EncryptedPackage', 1152, 'utf16le')
  for (const [content, words] of [
    [
      await zipOf({ ...typesOf('vnd.ms-excel.sheet.binary.macroEnabled.main'), 'xl/workbook.bin': 'x' }),
      /a workbook of another kind than \.xlsx.*CSV/
    ],
    [
      await zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' }),
      /a workbook of another kind/
    ],
    [await zipOf({ 'Index/Document.iwa': 'x', 'preview.jpg': 'x' }), /a document of Numbers/],
    [encrypted, /an encrypted workbook.*without a password/],
    [Buffer.from('d0cf11e0a1b11ae10000', 'hex'), /older office program, or an encrypted one/]
  ] as const)
    await t.rejects(collected(content), { message: words })
  const parts = bookParts({ sheets: [{ name: 'a', rows: '' }] })
  for (const [missing, words] of [
    ['xl/workbook.xml', /damaged: it has no list of sheets/],
    ['xl/worksheets/sheet1.xml', /no sheet with a table/],
    ['xl/_rels/workbook.xml.rels', /no sheet with a table/]
  ] as const) {
    const { [missing]: _gone, ...rest } = parts
    await t.rejects(collected(await zipOf(rest)), { message: words }, missing)
  }
})

t.test('missing number formats are not guessed', async t => {
  const parts = bookParts({
    sheets: [
      {
        name: 'a',
        rows: rowsOf([
          ['Date', 'Body fat (%)'],
          ['2024-01-01', [0.2, 1]],
          ['2024-01-02', 20]
        ])
      }
    ],
    formats: [9]
  })
  for (const styles of ['', '<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>']) {
    const found = await collected(await zipOf({ ...parts, 'xl/styles.xml': styles }))
    t.same(values(found), [20])
    t.equal(found.leftOut.damaged, 1)
  }
})

t.test('an impossible date is not a time, whatever else the number could mean', async t => {
  const found = await sheet(
    [
      ['Date', 'Weight (kg)'],
      ['2024-01-01', 70],
      ['2024-01-02', 70],
      ['2024-01-03', 70],
      [[1.7e9, 1], 71],
      [[1.7e12, 1], 72]
    ],
    { formats: [14] }
  )
  t.same(found.leftOut, { 'of a time that cannot be read': 2 })
})
