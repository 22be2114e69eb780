/** Writes workbooks part by part, including ones that no program would write. */
import { zipOf } from '../support/importing.js'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

export interface SheetParts {
  readonly name: string
  /** The content of `sheetData`. */
  readonly rows: string
  readonly state?: string
  readonly kind?: string
  /** XML after `sheetData`. */
  readonly after?: string
}

export interface BookParts {
  readonly sheets: readonly SheetParts[]
  /** The inner XML of each `si`. */
  readonly texts?: readonly string[]
  /** Number format codes; cells refer to them from 1. A number is a built-in format. */
  readonly formats?: readonly (string | number)[]
  /** Other XML in the workbook, such as `<workbookPr date1904="1"/>`. */
  readonly inner?: string
  /** Additional or replaced files in the archive. */
  readonly files?: Readonly<Record<string, string | Buffer>>
}

/** Escapes text for XML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** Returns the parts of a workbook. */
export function bookParts(book: BookParts): Record<string, string | Buffer> {
  const { files, formats = [], inner = '', sheets, texts = [] } = book
  const own = formats.filter(format => typeof format === 'string')
  const relations = sheets.map(
    ({ kind = 'worksheet' }, at) =>
      `<Relationship Id="rId${at + 1}" Type="${office}/${kind}" Target="worksheets/sheet${at + 1}.xml"/>`
  )
  return {
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    '_rels/.rels': `${declaration}<Relationships><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${office}">${inner}<sheets>${sheets
      .map(
        ({ name, state }, at) =>
          `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${at + 1}"/>`
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${declaration}<Relationships>${relations.join('')}<Relationship Id="t" Type="${office}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="s" Type="${office}/styles" Target="/xl/styles.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `${declaration}<sst xmlns="${main}">${texts.map(text => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `${declaration}<styleSheet xmlns="${main}"><numFmts count="${own.length}">${own
      .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map(format => `<xf numFmtId="${typeof format === 'number' ? format : 164 + own.indexOf(format)}"/>`)
      .join('')}</cellXfs><dxfs><dxf><numFmt numFmtId="164" formatCode="General"/></dxf></dxfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ after = '', rows }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${declaration}<worksheet xmlns="${main}"><dimension ref="A1:B2"/><sheetData>${rows}</sheetData>${after}</worksheet>`
      ])
    ),
    ...files
  }
}

export async function bookOf(book: BookParts): Promise<Buffer> {
  return await zipOf(bookParts(book))
}

/** A cell: an inline string, a number, a boolean, `undefined` for none, or XML without its reference. */
export type CellValue =
  | string
  | number
  | boolean
  | undefined
  | { readonly xml: string }
  | readonly [number, number]

/** Returns rows of cells, from the first row on. A pair is a number with its format. */
export function rowsOf(rows: readonly (readonly CellValue[])[], from = 1): string {
  return rows
    .map((cells, at) => {
      const inner = cells.map((value, column) => cellOf(value, `${letters(column)}${from + at}`))
      return `<row r="${from + at}">${inner.join('')}</row>`
    })
    .join('')
}

function cellOf(value: CellValue, reference: string): string {
  if (value === undefined) return ''
  if (typeof value === 'string')
    return `<c r="${reference}" t="inlineStr"><is><t>${escaped(value)}</t></is></c>`
  if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  if ('xml' in value) return value.xml.replace('<c', `<c r="${reference}"`)
  return `<c r="${reference}" s="${value[1]}"><v>${value[0]}</v></c>`
}

export function letters(column: number): string {
  return column < 26
    ? String.fromCharCode(65 + column)
    : letters(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26))
}

/** Returns the spreadsheet date of a time in UTC. */
export function days(iso: string): number {
  return (Date.parse(iso) - Date.UTC(1899, 11, 30)) / 86_400_000
}
