/** The parts of a workbook: where its sheets, texts and formats are. */
import { dirname, join } from 'node:path/posix'
import type { Source } from '../record.js'
import { headOf, textsOf } from '../text/decode.js'
import { attribute, localName, XmlScanner, type XmlHandler } from '../text/xml.js'
import { builtInFormat, parseFormat, type NumberFormat } from './number-formats.js'

/** The parts of a workbook by their names in small letters. */
export type Parts = ReadonlyMap<string, Source>

/** Sheets, relations and formats that are read of a workbook, more than programs write. */
const mostSheets = 1000
const mostRelations = 5000
const mostFormats = 100_000
/** Characters of the names of sheets, and of ids and paths. */
const longestName = 100
const longestPath = 500

export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** The kind of its part, such as `worksheet` or `chartsheet`; empty where it is not there. */
  readonly kind: string
  /** Name of its part. */
  readonly part: string
}

export interface Workbook {
  readonly sheets: readonly SheetEntry[]
  /** Whether days are counted from 1904. */
  readonly is1904: boolean
  /** Whether what formulas have computed is to be computed again. */
  readonly isStale: boolean
  /** Names of parts. */
  readonly texts: string | undefined
  readonly styles: string | undefined
}

/** Gives the XML of a part to a handler; returns whether it ends within a tag. */
export async function scanPart(source: Source, handler: XmlHandler): Promise<boolean> {
  const scanner = new XmlScanner(handler)
  for await (const piece of textsOf(source, await headOf(source))) scanner.write(piece)
  scanner.end()
  return scanner.isCutOff
}

interface Relation {
  readonly id: string
  readonly kind: string
  readonly target: string
}

/** Reads what the workbook consists of; `undefined` without a list of sheets. */
export async function readPackage(parts: Parts): Promise<Workbook | undefined> {
  const root = await relationsOf(parts, '')
  const path = root.find(({ kind }) => kind === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const part = parts.get(path)
  if (!part) return undefined
  const relations = await relationsOf(parts, path)
  const byId = new Map(relations.map(relation => [relation.id, relation]))
  const sheets: SheetEntry[] = []
  let is1904 = false
  let isStale = false
  await scanPart(part, {
    open(name, attributes) {
      const local = localName(name)
      if (local === 'workbookPr') is1904 = isTrue(attribute(attributes, 'date1904'))
      else if (local === 'calcPr') isStale = isTrue(attribute(attributes, 'fullCalcOnLoad'))
      else if (local === 'sheet' && sheets.length < mostSheets) {
        const relation = byId.get(relationId(attributes))
        sheets.push({
          name: copied(attribute(attributes, 'name') ?? '', longestName),
          isHidden: /hidden/i.test(attribute(attributes, 'state') ?? ''),
          kind: relation?.kind ?? '',
          part: relation?.target ?? ''
        })
      }
    },
    close: () => undefined
  })
  const find = (kind: string): string | undefined => relations.find(each => each.kind === kind)?.target
  return { sheets, is1904, isStale, texts: find('sharedStrings'), styles: find('styles') }
}

/** Reads the formats of numbers that cells refer to, by their place in the list. */
export async function readFormats(source: Source): Promise<NumberFormat[]> {
  const own = new Map<number, NumberFormat>()
  const formats: NumberFormat[] = []
  let list = ''
  await scanPart(source, {
    open(name, attributes) {
      const local = localName(name)
      if (local === 'numFmts' || local === 'cellXfs') list = local
      else if (list === 'numFmts' && local === 'numFmt' && own.size < mostFormats)
        own.set(
          Number(attribute(attributes, 'numFmtId')),
          parseFormat(attribute(attributes, 'formatCode') ?? '')
        )
      else if (list === 'cellXfs' && local === 'xf' && formats.length < mostFormats) {
        const id = Number(attribute(attributes, 'numFmtId') ?? 0)
        formats.push(own.get(id) ?? builtInFormat(id))
      }
    },
    close(name) {
      if (localName(name) === list) list = ''
    }
  })
  return formats
}

/** Relations of a part, or of the whole package, with the names of the parts they lead to. */
async function relationsOf(parts: Parts, path: string): Promise<Relation[]> {
  const folder = path === '' ? '' : dirname(path)
  const source = parts.get(join(folder, '_rels', `${path.slice(path.lastIndexOf('/') + 1)}.rels`))
  const relations: Relation[] = []
  if (!source) return relations
  await scanPart(source, {
    open(name, attributes) {
      if (localName(name) !== 'Relationship' || relations.length === mostRelations) return
      const target = copied(attribute(attributes, 'Target') ?? '', longestPath).replaceAll('\\', '/')
      const type = attribute(attributes, 'Type') ?? ''
      relations.push({
        id: copied(attribute(attributes, 'Id') ?? '', longestPath),
        kind: copied(type.slice(type.lastIndexOf('/') + 1), longestName),
        target: (target.startsWith('/') ? target.slice(1) : join(folder, target)).toLowerCase()
      })
    },
    close: () => undefined
  })
  return relations
}

/** The id of a relation in an attribute of any prefix. */
function relationId(attributes: string): string {
  return /\s[\w.-]{1,40}:id\s*=\s*["']([^"']{1,500})["']/.exec(attributes)?.[1] ?? ''
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** The beginning of a text, which does not keep the whole text in memory. */
function copied(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}
