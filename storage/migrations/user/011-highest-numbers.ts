/**
 * The highest numbers of removed rows, which SQLite would assign again. A removed number is stored only if it was the
 * highest of all.
 */
function buildTrigger(table: string): string {
  return `
CREATE TRIGGER ${table}_number AFTER DELETE ON ${table}
WHEN OLD.number > ifnull((SELECT max(number) FROM ${table}), 0)
  AND OLD.number > ifnull((SELECT number FROM highest_number WHERE name = '${table}'), 0)
BEGIN
  INSERT INTO highest_number (name, number) VALUES ('${table}', OLD.number)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number;
END;`
}

export const highestNumbers = `
CREATE TABLE highest_number (
  name TEXT PRIMARY KEY,               -- of the table
  number INTEGER NOT NULL
) WITHOUT ROWID;
${buildTrigger('event')}
${buildTrigger('stream')}
`
