/** Reads a file with the formats alone, and collects what they find. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatNotice, createNotice } from '../../imports/messages.js'
import { readImportFile } from '../../imports/read-import-file.js'
import type { ContentSchemas, ImportedRecord, ReadOptions, TableView } from '../../imports/record.js'

export interface Collected {
  readonly formats: string[]
  readonly data: ImportedRecord[]
  /** Number of records by their name in the file, imported or not. */
  readonly records: Record<string, number>
  readonly leftOut: Record<string, number>
  /** Rows of tables that were skipped, by reason. */
  readonly leftOutRows: Record<string, (number | string)[]>
  readonly warnings: string[]
  readonly tables: TableView[]
  /** Files of records, by their keys. */
  readonly files: Map<string, Buffer>
}

/** Reads a file with this content. Rejects if nothing is readable. */
export async function collected(
  content: string | Buffer,
  name = 'file',
  options: ReadOptions = {},
  types?: ContentSchemas
): Promise<Collected> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-import-'))
  const file = join(folder, 'file')
  writeFileSync(file, content)
  const found: Collected = {
    formats: [],
    data: [],
    records: {},
    leftOut: {},
    leftOutRows: {},
    warnings: [],
    tables: [],
    files: new Map()
  }
  try {
    await readImportFile(
      file,
      { name, size: statSync(file).size, spool: join(folder, 'spool') },
      {
        beginFormat: format => found.formats.push(format.id),
        addRecord: datum => {
          found.data.push(datum)
          count(found.records, datum.kind)
        },
        addFile: async (kind, key, source) => {
          const chunks: Buffer[] = []
          for await (const chunk of source.bytes()) chunks.push(chunk)
          found.files.set(key, Buffer.concat(chunks))
          count(found.records, kind)
        },
        skip: (kind, reason, by, row) => {
          count(found.records, kind, by)
          count(found.leftOut, reason, by)
          if (row !== undefined) (found.leftOutRows[reason] ??= []).push(row)
        },
        warn: (message, values) => found.warnings.push(formatNotice(createNotice(message, values)))
      },
      { options, ...(types && { types }), reportTable: view => found.tables.push(view) },
      () => undefined
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
  return found
}

/** Returns the number of records that are neither imported nor skipped. */
export function missing({ data, files, leftOut, records }: Collected): number {
  return sum(records) - data.length - files.size - sum(leftOut)
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, by) => all + by, 0)
}

function count(counts: Record<string, number>, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by
}
