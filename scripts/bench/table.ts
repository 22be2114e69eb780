/** Prints tables of text and numbers. */

/** A cell: numbers are shown with three significant digits. */
export type Cell = string | number | undefined

/** Prints rows in columns, numbers to the right; nothing if there are no rows. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  if (rows.length === 0) return
  const texts = [headings, ...rows.map(row => row.map(cellText))]
  const widths = headings.map((_, column) => Math.max(...texts.map(row => row[column]?.length ?? 0)))
  for (const row of texts) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    console.log(cells.join('  ').trimEnd())
  }
  console.log()
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'number') return cell ?? ''
  if (!Number.isFinite(cell)) return '–'
  const rounded = Number(cell.toPrecision(3))
  return rounded >= 1000 ? rounded.toLocaleString('en') : String(rounded)
}
