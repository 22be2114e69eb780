/** Parses references to cells and ranges. */

/** Columns (from 0) and rows (from 1). */
export type CellRange = readonly [left: number, top: number, right: number, bottom: number]

/** Returns the column of a reference such as `D5`, from 0; `undefined` if it has none. */
export function parseColumn(reference: string): number | undefined {
  let column = 0
  for (let index = 0; index < reference.length && index < 4; index++) {
    const letter = reference.charCodeAt(index) & ~32
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column === 0 ? undefined : column - 1
}

/** Parses a range such as `B2:B10`; returns `undefined` for other texts. */
export function parseRange(reference: string): CellRange | undefined {
  const parts = /^([a-z]{1,3})(\d{1,7}):([a-z]{1,3})(\d{1,7})$/i.exec(reference)
  return parts
    ? [parseColumn(parts[1]!)!, Number(parts[2]), parseColumn(parts[3]!)!, Number(parts[4])]
    : undefined
}
