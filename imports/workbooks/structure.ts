/** Reads the structure of a workbook: its sheets, texts and formats. */
import { dirname, join } from 'node:path/posix'
import type { SourceFile } from '../record.js'
import { readHead, readText } from '../text/decode.js'
import { getAttribute, getLocalName, XmlScanner, type XmlHandler } from '../text/xml.js'
import { getBuiltInFormat, parseFormat, type NumberFormat } from './number-formats.js'

/** Files of a workbook by name in lower case. */
export type WorkbookFiles = ReadonlyMap<string, SourceFile>

/** Limits of sheets, relations and formats: higher than the limits of spreadsheet apps. */
const maxSheets = 1000
const maxRelations = 5000
const maxFormats = 100_000
/** Limits of sheet names, and of ids and paths, in characters. */
const maxNameLength = 100
const maxPathLength = 500

export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** Kind of its file, such as `worksheet` or `chartsheet`; empty if it is missing. */
  readonly kind: string
  /** Name of the sheet's file. */
  readonly part: string
}

interface WorkbookStructure {
  readonly sheets: readonly SheetEntry[]
  /** True if days count from 1904. */
  readonly is1904: boolean
  /** True if the saved results of formulas are out of date. */
  readonly isStale: boolean
  /** Names of files. */
  readonly texts: string | undefined
  readonly styles: string | undefined
}

/**
 * Scans the XML of a file, until the handler or `isEnough` says that no more of it is needed. Text at the end of a file
 * that is cut off is ignored, without an error.
 */
export async function scanXmlFile(
  source: SourceFile,
  handler: XmlHandler,
  isEnough: () => boolean = () => false
): Promise<void> {
  const scanner = new XmlScanner(handler)
  for await (const chunk of readText(source, await readHead(source))) {
    scanner.write(chunk)
    if (handler.isDone || isEnough()) return
  }
  scanner.finish()
}

interface Relation {
  readonly id: string
  readonly kind: string
  readonly target: string
}

/**
 * Reads the structure of a workbook; returns `undefined` without a list of sheets. Sheets beyond the maximum
 * number are omitted.
 */
export async function readStructure(parts: WorkbookFiles): Promise<WorkbookStructure | undefined> {
  const root = await readRelations(parts, '')
  const path = root.find(({ kind }) => kind === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const part = parts.get(path)
  if (!part) return undefined
  const relations = await readRelations(parts, path)
  const byId = new Map(relations.map(relation => [relation.id, relation]))
  const sheets: SheetEntry[] = []
  let is1904 = false
  let isStale = false
  await scanXmlFile(part, {
    open(name, attributes) {
      const local = getLocalName(name)
      if (local === 'workbookPr') is1904 = isTrue(getAttribute(attributes, 'date1904'))
      else if (local === 'calcPr') isStale = isTrue(getAttribute(attributes, 'fullCalcOnLoad'))
      else if (local === 'sheet' && sheets.length < maxSheets) {
        const relation = byId.get(getRelationId(attributes))
        sheets.push({
          name: copyText(getAttribute(attributes, 'name') ?? '', maxNameLength),
          isHidden: /hidden/i.test(getAttribute(attributes, 'state') ?? ''),
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

/** Reads the number formats that cells refer to by index. Formats beyond the maximum number are omitted. */
export async function readFormats(source: SourceFile): Promise<NumberFormat[]> {
  const customFormats = new Map<number, NumberFormat>()
  const formats: NumberFormat[] = []
  let list = ''
  await scanXmlFile(source, {
    open(name, attributes) {
      const local = getLocalName(name)
      if (local === 'numFmts' || local === 'cellXfs') list = local
      else if (list === 'numFmts' && local === 'numFmt' && customFormats.size < maxFormats)
        customFormats.set(
          Number(getAttribute(attributes, 'numFmtId')),
          parseFormat(getAttribute(attributes, 'formatCode') ?? '')
        )
      else if (list === 'cellXfs' && local === 'xf' && formats.length < maxFormats) {
        const id = Number(getAttribute(attributes, 'numFmtId') ?? 0)
        formats.push(customFormats.get(id) ?? getBuiltInFormat(id))
      }
    },
    close(name) {
      if (getLocalName(name) === list) list = ''
    }
  })
  return formats
}

/** Reads the relations of a file, or of the whole package, with the names of their targets. */
async function readRelations(parts: WorkbookFiles, path: string): Promise<Relation[]> {
  const folder = path === '' ? '' : dirname(path)
  const source = parts.get(join(folder, '_rels', `${path.slice(path.lastIndexOf('/') + 1)}.rels`))
  const relations: Relation[] = []
  if (!source) return relations
  await scanXmlFile(source, {
    open(name, attributes) {
      if (getLocalName(name) !== 'Relationship' || relations.length === maxRelations) return
      const target = copyText(getAttribute(attributes, 'Target') ?? '', maxPathLength).replaceAll('\\', '/')
      const type = getAttribute(attributes, 'Type') ?? ''
      relations.push({
        id: copyText(getAttribute(attributes, 'Id') ?? '', maxPathLength),
        kind: copyText(type.slice(type.lastIndexOf('/') + 1), maxNameLength),
        target: (target.startsWith('/') ? target.slice(1) : join(folder, target)).toLowerCase()
      })
    },
    close: () => undefined
  })
  return relations
}

/** Returns the id of a relation, in an attribute with any prefix. */
function getRelationId(attributes: string): string {
  return /\s[\w.-]{1,40}:id\s*=\s*["']([^"']{1,500})["']/.exec(attributes)?.[1] ?? ''
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}

/** Copies the beginning of a text, so that the whole text is not kept in memory. */
function copyText(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}
