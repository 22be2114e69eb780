/** Rows of series as text: cut apart, merged and fitted without becoming objects wherever that can be avoided. */

/** A point: its deltaTime, then a cell for each column, `null` where it has no value. */
export type Row = readonly [deltaTime: number, ...cells: unknown[]]

/** The text of a row without its brackets: `0.5,60.7`. */
export function rowText(row: Row): string {
  return JSON.stringify(row).slice(1, -1)
}

/** Rows as a chunk keeps them: `[0,60.6],[0.5,60.7]`. */
export function pointsText(rows: readonly Row[]): string {
  return JSON.stringify(rows).slice(1, -1)
}

/** As {@link pointsText}, of rows that are text already. */
export function joined(texts: readonly string[]): string {
  return `[${texts.join('],[')}]`
}

/** The texts of the `count` rows of a chunk. */
export function rowTexts(points: string, count: number): string[] {
  const texts = points.slice(1, -1).split('],[')
  // More parts than rows: the separator occurs within some cell too.
  return texts.length === count ? texts : (JSON.parse(`[${points}]`) as Row[]).map(rowText)
}

/** The deltaTime of a row's text. */
export function timeOf(text: string): number {
  return Number.parseFloat(text)
}

/** Index of the first text, at `start` or later, whose deltaTime is at least `time`. */
export function lowerBound(texts: readonly string[], time: number, start = 0): number {
  let low = start
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (timeOf(texts[middle]!) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Texts with further empty cells, for columns that have come later. */
export function padded(texts: readonly string[], missing: number): readonly string[] {
  if (missing <= 0) return texts
  const cells = ',null'.repeat(missing)
  return texts.map(text => text + cells)
}

/** Stored texts with rows of the same width written over them: cell by cell, where a new one has a value. Both ascend. */
export function merged(texts: readonly string[], rows: readonly Row[]): string[] {
  const result: string[] = []
  let next = 0
  for (const row of rows) {
    const at = lowerBound(texts, row[0], next)
    while (next < at) result.push(texts[next++]!)
    const known = texts[at]
    if (known !== undefined && timeOf(known) === row[0]) {
      result.push(overwritten(known, row))
      next++
    } else result.push(rowText(row))
  }
  while (next < texts.length) result.push(texts[next++]!)
  return result
}

/** Text of rows that are to have `width` cells. */
export function fitted(texts: readonly string[], width: number, has: number): string {
  let result = padded(texts, width - has)
  if (width < has) result = result.map(text => rowText(rowOf(text).slice(0, width) as unknown as Row))
  return joined(result)
}

/**
 * Rounds the deltaTimes of ascending rows to milliseconds; not those less than a millisecond from the next, which would become
 * equal. `before` and `after`: deltaTimes of the points around the rows. (docs/spec/series.md#reading-points)
 */
export function roundRows(texts: readonly string[], before: number, after: number): string[] {
  const times = texts.map(timeOf)
  return texts.map((text, at) =>
    isApart(times[at - 1] ?? before, times[at]!, times[at + 1] ?? after) ? rounded(text) : text
  )
}

/** Whether a time is a millisecond or more from the one before and the one after. */
export function isApart(before: number, time: number, after: number): boolean {
  return Math.round(Math.min(time - before, after - time) * 1e9) >= 1e6
}

/** Whether a deltaTime is a whole number of milliseconds. */
export function isCoarse(time: number): boolean {
  return Math.round(time * 1e3) / 1e3 === time
}

function overwritten(text: string, row: Row): string {
  const known = rowOf(text)
  return rowText(row.map((cell, index) => cell ?? known[index] ?? null) as unknown as Row)
}

function rowOf(text: string): Row {
  return JSON.parse(`[${text}]`) as Row
}

function rounded(text: string): string {
  const time = timeOf(text)
  if (isCoarse(time)) return text
  const comma = text.indexOf(',')
  return String(Math.round(time * 1e3) / 1e3) + (comma < 0 ? '' : text.slice(comma))
}
