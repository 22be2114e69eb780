/** Reads delimited tables of any origin: detected by their headers and all of their rows, or mapped by the user. */
import type { Format, Head, Source } from '../record.js'
import { findLayout } from '../tables/layout.js'
import { readTables } from '../tables/read-table.js'
import type { TableReading } from '../tables/table-reading.js'
import { RowScanner, tableTexts } from '../text/rows.js'

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  recognises: head => findLayout(head) !== undefined,
  async read(source, head, sink, context) {
    const layout = findLayout(head)!
    const eachRow = createRowReader(source, head, layout.delimiter)
    await readTables({ name: head.name, sink, context, isPlaced: false, eachRow }, layout)
  }
}

function createRowReader(source: Source, head: Head, delimiter: string): TableReading['eachRow'] {
  return async ({ isEnough }, sink, onRow) => {
    const scanner = new RowScanner(delimiter, onRow)
    for await (const chunk of tableTexts(source, head)) {
      scanner.write(chunk)
      if (isEnough()) break
    }
    scanner.end()
    return scanner.broken
  }
}
