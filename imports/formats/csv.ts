/** Reads delimited tables of any origin: detected by their headers and all of their rows, or mapped by the user. */
import type { Format, FileHead, SourceFile } from '../record.js'
import { findLayout } from '../tables/table-layout.js'
import { readTables } from '../tables/read-table.js'
import type { TableSource } from '../tables/table-source.js'
import { RowScanner, readTableText } from '../text/row-scanner.js'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => findLayout(head) !== undefined,
  async read(source, head, sink, context) {
    const layout = findLayout(head)!
    const eachRow = createRowReader(source, head, layout.delimiter)
    await readTables({ name: head.name, sink, context, hasExplicitColumns: false, readRows: eachRow }, layout)
  }
}

function createRowReader(source: SourceFile, head: FileHead, delimiter: string): TableSource['readRows'] {
  return async ({ isEnough }, sink, onRow) => {
    const scanner = new RowScanner(delimiter, cells => onRow(cells))
    for await (const chunk of readTableText(source, head)) {
      scanner.write(chunk)
      if (isEnough()) break
    }
    scanner.finish()
    return scanner.brokenCount
  }
}
