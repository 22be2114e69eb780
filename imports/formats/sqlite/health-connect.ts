/** Reads the export of Health Connect, Android's store of health data: a ZIP with its database. */
import type { DatabaseFormat } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { scaled } from '../../text/units.js'
import { exercise, night, readExercises, readNights, route, stage } from './health-connect-sessions.js'
import { absent, internal, nutrients, series, singles, words, type Column } from './health-connect-tables.js'
import { apps, devices, HealthRows, type Common } from './health-rows.js'
import { Parents } from './parents.js'
import { eachRow, faultOf, leaveOut, timeIn } from './rows.js'

const unknownKind = 'of a kind without a type here'

export const healthConnect: DatabaseFormat = {
  id: 'health-connect',
  name: 'Health Connect',
  recognises: database =>
    database.has(apps, 'row_id', 'package_name') &&
    database.has('steps_record_table', 'app_info_id', 'start_time'),
  async read(database, sink) {
    const rows = new HealthRows(database, sink)
    await rows.readSources()
    const reader = new HealthConnectReader(rows)
    for (const table of database.tables) await reader.read(table)
  }
}

class HealthConnectReader {
  /** Tables that have been read. */
  readonly #readTables = new Set([apps, devices])

  constructor(private readonly rows: HealthRows) {}

  /** Reads a table and those that belong to it. */
  async read(table: string): Promise<void> {
    if (this.#readTables.has(table)) return
    this.#readTables.add(table)
    const { database, sink } = this.rows
    const [single, word, samples] = [singles.get(table), words.get(table), series.get(table)]
    if (single && database.has(table, single.column)) await this.#readValues(table, [single])
    else if (word && database.has(table, word.column)) await this.#readWords(table, word)
    else if (samples && database.has(table, samples.column)) await this.#readSamples(table, samples)
    else if (table === 'nutrition_record_table') await this.#readValues(table, nutrients)
    else if (table === 'blood_pressure_record_table') await this.#readPressures(table)
    else if (table === exercise || table === route) {
      this.#readTables.add(exercise).add(route)
      await readExercises(this.rows)
    } else if (table === night || table === stage) {
      this.#readTables.add(night).add(stage)
      await readNights(this.rows)
    } else if (this.#findSampleTable(table)) await this.read(this.#findSampleTable(table)!)
    else
      await leaveOut(
        database,
        table,
        sink,
        internal.test(table) ? 'about the file or the device, not a measurement' : unknownKind
      )
  }

  /** Returns the table of samples whose parent is this table. */
  #findSampleTable(table: string): string | undefined {
    const { database } = this.rows
    return [...series.keys()].find(name => {
      const { column, parent } = series.get(name)!
      return parent === table && database.has(name, column)
    })
  }

  /** Adds each value of a row as a record. */
  async #readValues(table: string, columns: readonly Column[]): Promise<void> {
    const names = columns.map(({ column }) => column)
    const hasOneColumn = columns.length === 1
    await this.rows.read(table, names, (common, cells) => {
      let count = 0
      for (const [index, column] of columns.entries()) {
        const cell = cells[index]
        if (!hasOneColumn && (cell === undefined || cell === null || absent.includes(cell as number)))
          continue
        count++
        this.#addValue(hasOneColumn ? common : { ...common, kind: `${table}.${column.column}` }, cell, column)
      }
      if (count === 0) this.rows.sink.leftOut(table, 'empty')
    })
  }

  #addValue(common: Common, cell: Cell, column: Column): void {
    const reason = Number.isNaN(common.time)
      ? 'without a time'
      : cell === null
        ? 'without a number'
        : faultOf(cell, column)
    if (reason) this.rows.sink.leftOut(common.kind, reason)
    else {
      const { factor, stream, type } = column
      this.rows.sink.datum({ ...common, type, stream, content: scaled(cell as number, factor) })
    }
  }

  async #readWords(
    table: string,
    { column, stream, type, words: wordsByNumber }: NonNullable<ReturnType<typeof words.get>>
  ): Promise<void> {
    await this.rows.read(table, [column], (common, [cell]) => {
      const word = wordsByNumber.get(cell)
      if (Number.isNaN(common.time)) this.rows.sink.leftOut(table, 'without a time')
      else if (word === undefined) this.rows.sink.leftOut(table, unknownKind)
      else this.rows.sink.datum({ ...common, type, stream, content: word })
    })
  }

  async #readPressures(table: string): Promise<void> {
    const range = { absent, range: [1, 400] as const }
    await this.rows.read(table, ['systolic', 'diastolic'], (common, [systolic, diastolic]) => {
      const reason = Number.isNaN(common.time)
        ? 'without a time'
        : systolic === null || diastolic === null
          ? 'half of a measurement whose other half is missing'
          : (faultOf(systolic, range) ?? faultOf(diastolic, range))
      if (reason) this.rows.sink.leftOut(table, reason)
      else
        this.rows.sink.datum({
          ...common,
          type: 'blood-pressure/mmhg-bpm',
          stream: 'Blood pressure',
          content: { systolic, diastolic }
        })
    })
  }

  async #readSamples(table: string, column: Column & { readonly parent: string }): Promise<void> {
    const { parent } = column
    this.#readTables.add(parent)
    const parents = new Parents(this.rows.sink)
    const groups = await this.rows.read(parent, [], ({ source, time }, _cells, id) =>
      parents.add(id, source, time)
    )
    if (groups > 0)
      this.rows.sink.leftOut(parent, 'a group of records that are in the file themselves', groups)
    const names = ['parent_key', 'epoch_millis', column.column]
    await eachRow(this.rows.database, table, names, this.rows.sink, ([key, time, cell]) =>
      this.#addValue(
        { kind: table, source: parents.find(key)?.source ?? '', time: timeIn(time) },
        cell,
        column
      )
    )
  }
}
