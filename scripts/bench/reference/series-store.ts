/** The least that a durable store of series has to do: a row of text for each request, a range in order. */
import type { Database, Statement } from 'better-sqlite3'
import { keptPoints } from '../series-sample.js'

const schema = `
CREATE TABLE piece (number INTEGER PRIMARY KEY, series INTEGER, first REAL, last REAL, count INTEGER, points TEXT);
CREATE INDEX piece_first ON piece (series, first);
`
/** Points of the series that is there from the start. */
export const keptCount = 100_000
const pieceSize = 2048

/** Adds the table, and a series 0. */
export function fillSeries(db: Database): void {
  db.exec(schema)
  const store = new ReferenceSeries(db)
  for (let from = 0; from < keptCount; from += pieceSize)
    store.insert(0, keptPoints(Math.min(pieceSize, keptCount - from), from))
}

export class ReferenceSeries {
  readonly #insert: Statement
  readonly #all: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO piece (series, first, last, count, points) VALUES (?, ?, ?, ?, ?)')
    this.#all = db.prepare('SELECT points FROM piece WHERE series = 0 ORDER BY first').pluck()
  }

  /** Checks rows of two numbers and keeps them. */
  insert(series: number, rows: readonly (readonly unknown[])[]): void {
    for (const row of rows)
      if (row.length !== 2 || !((row[0] as number) >= 0) || typeof row[1] !== 'number')
        throw new Error('Bad row')
    const points = JSON.stringify(rows).slice(1, -1)
    this.#insert.run(series, rows[0]?.[0], rows.at(-1)?.[0], rows.length, points)
  }

  /** All points of series 0. */
  all(): string {
    return `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${this.#all.all().join(',')}]}`
  }
}
