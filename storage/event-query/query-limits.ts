/** The limits of a page and of a step of a query. */
export const limits = {
  /** Maximum number of events in a page whose rows are looked up one by one. */
  maxFoundRows: 500,
  /** Maximum number of periods reaching a time that are sorted in memory. */
  maxSortedPeriods: 1000,
  /** Number of examined rows after which a page ends, whatever it holds. */
  maxExaminedRows: 4000,
  /**
   * Cost of a row from one of several lanes, in examined rows: each row is looked up by itself, anywhere in the file.
   */
  lookupCost: 4,
  /** Maximum number of rows that one step skips if no row has to be examined. */
  maxSkippedRows: 50_000,
  /** Maximum number of modified events that are sorted in memory: at once, or if nothing better is found. */
  maxModifiedUpfront: 200,
  maxModifiedLater: 5000
}
