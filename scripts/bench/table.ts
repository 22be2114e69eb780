/** Tables of figures. */

export interface Line {
  readonly name: string
  /** The figures by the headings of their columns. All lines of a table have the same headings. */
  readonly figures: Readonly<Record<string, number>>
  readonly target?: string
  readonly isTargetMet?: boolean
}

export interface Table {
  readonly title: string
  readonly lines: readonly Line[]
}

/** Creates a line with one figure and its maximum. */
export function createLine(name: string, value: number, limit?: number): Line {
  const figures = { value }
  if (limit === undefined) return { name, figures }
  return { name, figures, target: `≤ ${Number(limit.toPrecision(3))}`, isTargetMet: value <= limit }
}

/**
 * Prints a table in columns, with right-aligned numbers of three significant digits. Prints nothing if the table has no
 * lines.
 */
export function printTable({ title, lines }: Table): void {
  const [first] = lines
  if (!first) return
  const columns = Object.keys(first.figures)
  const hasTargets = lines.some(({ target }) => target !== undefined)
  const texts = [
    [title, ...columns, ...(hasTargets ? ['aim', 'met'] : [])],
    ...lines.map(({ target = '', figures, isTargetMet, name }) => [
      name,
      ...columns.map(column => formatNumber(figures[column]!)),
      ...(hasTargets ? [target, isTargetMet === undefined ? '' : isTargetMet ? 'yes' : 'NO'] : [])
    ])
  ]
  const widths = texts[0]!.map((_, column) => Math.max(...texts.map(row => row[column]!.length)))
  for (const row of texts) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
    console.log(cells.join('  ').trimEnd())
  }
  console.log()
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const rounded = Number(value.toPrecision(3))
  return rounded >= 1000 ? rounded.toLocaleString('en') : String(rounded)
}
