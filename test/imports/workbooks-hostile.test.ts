/** Damaged or hostile workbooks: each is read in limited time, and its contents are imported or named. */
import t from 'tap'
import { Unreadable } from '../../imports/record.js'
import { coffer } from '../support/coffer.js'
import { sent, total, zipOf } from '../support/importing.js'
import { Random } from '../support/random.js'
import { inRotation } from '../support/rotation.js'
import { collected, type Collected } from './collecting.js'
import { bookOf, bookParts, letters, rowsOf } from './workbooks.js'

t.setTimeout(900_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

const sheets = [
  {
    name: 'Data',
    rows: rowsOf([
      [{ xml: '<c t="s"><v>0</v></c>' }, 'Weight (kg)', 'Notes'],
      ...Array.from({ length: 20 }, (_row, at) => [
        [45_292 + at / 3, 1] as const,
        70 + at / 8,
        { xml: `<c t="s"><v>${1 + (at % 2)}</v></c>` }
      ])
    ])
  }
]
const parts = bookParts({ sheets, texts: ['<t>Date</t>', '<t>one</t>', '<r><t>two</t></r>'], formats: [22] })

/** Reads a file; returns what is wrong with the result, which is nothing for an unreadable file. */
async function faultIn(content: Buffer): Promise<string | undefined> {
  try {
    return addsUp(await collected(content)) ? undefined : 'not all is counted'
  } catch (error) {
    return error instanceof Unreadable ? unreadable : String(error)
  }
}

const unreadable = 'unreadable'

const test = inRotation(t, 3)
t.test('damage to the archive and its parts', async t => {
  const seed = Number(process.env['COFFER_TEST_SEED'] ?? 20_241)
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const whole = await zipOf(parts)
  t.same((await collected(whole)).data.length, 40)
  const names = Object.keys(parts)
  let readable = 0
  const rounds = isLong ? 2000 : 60
  for (let round = 0; round < rounds; round++) {
    let content: Buffer = Buffer.from(whole)
    if (round % 2 === 0) {
      const name = names[random.below(names.length)]!
      const part = Buffer.from(parts[name]!)
      for (let count = random.below(4); count >= 0; count--)
        part[random.below(part.length)] = random.below(256)
      content = await zipOf({
        ...parts,
        [name]: random.chance(0.2) ? part.subarray(0, random.below(part.length)) : part
      })
    } else {
      for (let count = random.below(8); count >= 0; count--)
        content[random.below(content.length)] = random.below(256)
      if (random.chance(0.1)) content = content.subarray(0, random.below(content.length))
    }
    const fault = await faultIn(content)
    if (fault === undefined) readable++
    else if (fault !== unreadable) t.fail(`round ${round} of seed ${seed}: ${fault}`)
  }
  t.ok(readable * 10 > rounds, `${readable} could be read`)
})

const header = ['Date', 'Weight (kg)', 'Notes']
const days = (count: number, note: string): string =>
  Array.from(
    { length: count },
    (_row, at) => `<row><c s="1"><v>${45_292 + at}</v></c><c><v>70</v></c>${note}</row>`
  ).join('')

test('texts that are too long, or that cells reference too often', async t => {
  const long = `<c t="inlineStr"><is><t>${'a '.repeat(2_000_000)}</t></is></c>`
  const one = await collected(
    await bookOf({
      sheets: [{ name: 'a', rows: rowsOf([header]) + days(1, long) + days(3, '') }],
      formats: [14]
    })
  )
  t.same(one.data.length, 4)
  t.same(one.leftOut, { 'larger than a record can be': 1 })
  const shared = '<c t="s"><v>0</v></c>'
  const many = await collected(
    await bookOf({
      sheets: [{ name: 'a', rows: rowsOf([header]) + days(1000, shared) }],
      texts: [`<t>${'long '.repeat(20_000)}</t>`],
      formats: [14]
    })
  )
  t.same(many.data.length, 1000 + 167)
  t.same(many.leftOut, { 'packed suspiciously tightly': 833 })
  const wide = await collected(
    await bookOf({
      sheets: [{ name: 'a', rows: rowsOf([header]) + days(3, '') + `<row>${shared.repeat(30)}</row>` }],
      texts: [`<t>${'long '.repeat(2000)}</t>`],
      formats: [14]
    })
  )
  t.same(wide.leftOut, { 'larger than a record can be': 1 })
  t.same(wide.leftOutRows, { 'larger than a record can be': ['a!5'] })
})

test('entities, unclosed elements, countless texts, and a sheet that is referenced twice', async t => {
  const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
  const rows = rowsOf([header]) + days(3, '<c t="inlineStr"><is><t>&b;</t></is></c>')
  const found = await collected(
    await zipOf({
      ...bookParts({ sheets: [{ name: 'a', rows: '' }], formats: [14] }),
      'xl/worksheets/sheet1.xml': `${entities}<worksheet><sheetData>${rows}</sheetData>${'<a>'.repeat(100_000)}`
    })
  )
  t.same(
    found.data.map(({ content }) => content),
    [70, '&b;', 70, '&b;', 70, '&b;']
  )
  const empty = await collected(
    await bookOf({
      sheets: [{ name: 'a', rows: rowsOf([header]) + days(3, '') }],
      texts: Array.from({ length: 200_000 }, () => ''),
      formats: [14]
    })
  )
  t.same(empty.data.length, 3)
  const twice = bookParts({
    sheets: [...sheets, ...sheets],
    texts: ['<t>Date</t>', '<t>one</t>', '<t>two</t>'],
    formats: [22]
  })
  const once = await collected(
    await zipOf({
      ...twice,
      'xl/_rels/workbook.xml.rels': String(twice['xl/_rels/workbook.xml.rels']).replace(
        'sheet2.xml',
        'sheet1.xml'
      )
    })
  )
  t.same(once.data.length, 40)
  t.same(once.leftOut, { 'made of the bytes of another one': 1 })
})

test('merged cells in many columns over many rows', async t => {
  const columns = Array.from({ length: 1900 }, (_column, at) => letters(at))
  const merged = columns.map(column => `<mergeCell ref="${column}2:${column}30000"/>`).join('')
  const rows = rowsOf([header.slice(0, 2)]) + days(20_000, '')
  const found = await collected(
    await bookOf({
      sheets: [{ name: 'a', rows, after: `<mergeCells>${merged}</mergeCells>` }],
      formats: [14]
    })
  )
  t.equal(found.data.length, 20_000)
})

test('more rows and texts than a workbook may have', async t => {
  const rows = rowsOf([header]) + days(20, '')
  const beyond = '<row><c s="1"><v>45200</v></c><c><v>70</v></c></row>'
  const text = '<c t="s"><v>4000000</v></c>'
  const found = await collected(
    await zipOf({
      ...bookParts({
        sheets: [
          { name: 'long', rows: '' },
          { name: 'texts', rows: rows + days(1, text) }
        ],
        formats: [14]
      }),
      'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(4_000_100)}</sst>`,
      // None of these rows has an end.
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}${'<row><c/><row>'.repeat(530_000)}${beyond.repeat(9)}`
    })
  )
  t.same(found.data.length, 20 + 21)
  t.match(found.warnings, ['"long": The sheet has more than 1048576 rows: the rest is not read'])
  t.same(found.leftOut['beyond the texts that a workbook may have'], 1)
})

test('a row whose texts do not fit into memory is skipped', async t => {
  const { alice } = await coffer(t)
  const note = Array.from({ length: 5000 }, (_line, at) => `line ${at} of a “note” `).join('')
  const cell = `<c t="inlineStr"><is><t>${note}</t></is></c>`
  const found = await sent(
    alice,
    'wide.xlsx',
    await zipOf(
      bookParts({
        sheets: [{ name: 'a', rows: `${rowsOf([header])}${days(3, '')}<row>${cell.repeat(800)}</row>` }],
        formats: [14]
      }),
      1
    )
  )
  t.same(found.tally?.broughtIn, { 'mass/kg': 3 }, found.message)
  t.same(found.tally.leftOut, { 'larger than a record can be': 1 })
})
