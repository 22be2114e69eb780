/**
 * How much an account stores, kept by triggers: whatever writes a row, in whichever way, counts it in the same
 * transaction. A migration that adds a table whose rows count adds its triggers.
 */

/** Tables whose rows count, and which column of each, by the sum that they count for. */
export interface CountedColumns {
  readonly documents?: Readonly<Record<string, string>>
  readonly attachments?: Readonly<Record<string, string>>
}

type Sum = keyof CountedColumns

const sums: readonly Sum[] = ['documents', 'attachments']

/** Every counted column, with its size in SQL. */
function listColumns(
  counted: CountedColumns,
  sum: Sum
): { table: string; column: string; size: (row: string) => string }[] {
  return Object.entries(counted[sum] ?? {}).map(([table, column]) => ({
    table,
    column,
    size: createSizeSql(sum, column)
  }))
}

/** Sizes of texts are their bytes in UTF-8; those of attachments are known. */
function createSizeSql(sum: Sum, column: string): (row: string) => string {
  return row => (sum === 'documents' ? `ifnull(octet_length(${row}.${column}), 0)` : `${row}.${column}`)
}

/** A query of both sums, counted again row by row. */
export function buildRecountSql(...all: readonly CountedColumns[]): string {
  return `SELECT ${sums.map(sum => `${buildSumSql(all, sum)} AS ${sum}`).join(', ')}`
}

function buildSumSql(all: readonly CountedColumns[], sum: Sum): string {
  const parts = all
    .flatMap(counted => listColumns(counted, sum))
    .map(({ table, size }) => `(SELECT ifnull(sum(${size(table)}), 0) FROM ${table})`)
  return parts.join(' + ') || '0'
}

/** The triggers that keep the sums. */
export function buildCountingTriggers(counted: CountedColumns): string {
  return sums
    .flatMap(sum => listColumns(counted, sum).map(column => ({ sum, ...column })))
    .map(
      ({ sum, table, column, size }) => `
CREATE TRIGGER ${table}_grows AFTER INSERT ON ${table} BEGIN
  UPDATE storage_used SET ${sum} = ${sum} + ${size('NEW')};
END;
CREATE TRIGGER ${table}_changes AFTER UPDATE OF ${column} ON ${table} BEGIN
  UPDATE storage_used SET ${sum} = ${sum} + ${size('NEW')} - ${size('OLD')};
END;
CREATE TRIGGER ${table}_shrinks AFTER DELETE ON ${table} BEGIN
  UPDATE storage_used SET ${sum} = ${sum} - ${size('OLD')};
END;`
    )
    .join('')
}
