/**
 * How much an account stores, kept by triggers: whatever writes a row, in whichever way, counts it in the same
 * transaction. What counts is listed once, in `counted`.
 */

/** Tables whose rows count, and what is counted of each. */
const counted = {
  documents: {
    event: 'body',
    event_version: 'body',
    event_deletion: 'body',
    stream: 'body',
    access: 'body',
    webhook: 'body',
    profile: 'body',
    account_field: 'value',
    series_chunk: 'points'
  },
  attachments: { attachment: 'size' }
} as const

type Sum = keyof typeof counted

const sums = Object.keys(counted) as Sum[]

/** Every counted column, with the sum that it belongs to and its size in SQL. */
const columns = sums.flatMap(sum =>
  Object.entries(counted[sum]).map(([table, column]) => ({ sum, table, column, size: sizeOf(sum, column) }))
)

/** Sizes of texts are their bytes in UTF-8; those of attachments are known. */
function sizeOf(sum: Sum, column: string): (row: string) => string {
  return row => (sum === 'documents' ? `ifnull(octet_length(${row}.${column}), 0)` : `${row}.${column}`)
}

/** Both sums, counted anew row by row. */
export const recount = `SELECT ${sums.map(sum => `${recounted(sum)} AS ${sum}`).join(', ')}`

function recounted(sum: Sum): string {
  return columns
    .filter(column => column.sum === sum)
    .map(({ table, size }) => `(SELECT ifnull(sum(${size(table)}), 0) FROM ${table})`)
    .join(' + ')
}

const triggers = columns.map(
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

export const storageUsed = `
CREATE TABLE storage_used (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  documents INTEGER NOT NULL,
  attachments INTEGER NOT NULL
);
INSERT INTO storage_used (number, documents, attachments) SELECT 1, * FROM (${recount});
${triggers.join('')}
`
