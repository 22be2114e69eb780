/**
 * Divides the time of a query into equal cells, for which sums are read. A query has steps, the distances between its
 * evaluations, and windows, such as `[5m]`: both must consist of whole cells. If that are too many, as for the last reading of a month
 * at each minute of an hour, cells before the first evaluation are wider.
 */
import { maxCells, maxFineCells } from './cells.js'
import { refuseUnsupported } from './query-error.js'

/** The times at which a query is evaluated, in seconds. */
export interface Grid {
  readonly start: number
  readonly step: number
  readonly count: number
}

/** Greatest relative difference between a window and what was asked for, where cells that fit exactly would be too many. */
const windowTolerance = 0.01
/** Number of wider cells before the first evaluation: windows of later ones are longer by up to the width of one. */
const cellsBefore = 1000

/** Cells that follow each other: their number, and their width in seconds. */
interface Cells {
  readonly count: number
  readonly width: number
}

/** The cells of a query, and the length of a window in seconds. */
interface Span extends Cells {
  readonly window: number
  /** Those of the window of the first evaluation, where they are wider. */
  readonly before?: Cells
}

/** Returns the cells for windows of a length in seconds. Throws a `QueryError` if none fit both steps and windows. */
export function toSpan({ count, step }: Grid, windowSeconds: number): Span {
  if (count === 1) return { count: 1, window: windowSeconds, width: windowSeconds }
  // In milliseconds, which are whole.
  const [stepMs, windowMs] = [step, windowSeconds].map(seconds => Math.max(1, Math.round(seconds * 1000)))
  const perStep = stepMs! / findCommonDivisor(stepMs!, windowMs!)
  const exact = divideStep({ count, step }, windowSeconds, perStep)
  if (exact.count <= maxCells) return exact
  const find = (most: number): Span | undefined => findNearestSpan({ count, step }, windowSeconds, most)
  if (divideStep({ count, step }, windowSeconds, 1).count <= maxCells)
    return (
      find(maxCells) ??
      (exact.count <= maxFineCells ? exact : find(maxFineCells)) ??
      refuseUnsupported('The range does not fit the step. Use a multiple of the step, such as [$__interval]')
    )
  const before = { count: cellsBefore, width: windowSeconds / cellsBefore }
  return { count: count - 1, width: step, window: windowSeconds, before }
}

/**
 * Divides steps into as many cells as make windows nearest to `windowSeconds`, where windows of exactly that length would
 * need too many cells, of which there may be `most`. Returns `undefined` if even the nearest differ by more than
 * {@link windowTolerance}.
 */
function findNearestSpan(grid: Omit<Grid, 'start'>, windowSeconds: number, most: number): Span | undefined {
  const getError = ({ window }: Span): number => Math.abs(window - windowSeconds) / windowSeconds
  let best = divideStep(grid, windowSeconds, 1)
  for (let perStep = 2; ; perStep++) {
    const span = divideStep(grid, windowSeconds, perStep)
    if (span.count > most) break
    if (getError(span) < getError(best)) best = span
  }
  return getError(best) > windowTolerance ? undefined : best
}

/** Returns the span with a number of cells per step. */
function divideStep({ count, step }: Omit<Grid, 'start'>, windowSeconds: number, perStep: number): Span {
  const width = step / perStep
  const perWindow = Math.max(1, Math.round(windowSeconds / width))
  return { count: perWindow + perStep * (count - 1), width, window: perWindow * width }
}

function findCommonDivisor(first: number, second: number): number {
  let [a, b] = [first, second]
  while (b > 0) [a, b] = [b, a % b]
  return a
}
