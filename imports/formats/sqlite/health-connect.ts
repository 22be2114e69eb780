/** Reads the export of Health Connect, Android's store of health data: a ZIP with its database. */
import type { DatabaseFormat } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { scaleValue } from '../../text/units.js'
import {
  exerciseTable,
  nightTable,
  readExercises,
  readNights,
  routeTable,
  stageTable
} from './health-connect-sessions.js'
import {
  unsetNumbers,
  internalTables,
  nutrientColumns,
  sampleTables,
  singleValueTables,
  wordTables,
  type TableColumn
} from './health-connect-tables.js'
import { appTable, deviceTable, HealthRows, type BaseRecord } from './health-rows.js'
import { ParentRows } from './parent-rows.js'
import { readRows, findSkipReason, skipTable, toTime } from './rows.js'

const unknownKind = 'of a kind without a type here'

export const healthConnect: DatabaseFormat = {
  id: 'health-connect',
  name: 'Health Connect',
  recognises: database =>
    database.hasColumns(appTable, 'row_id', 'package_name') &&
    database.hasColumns('steps_record_table', 'app_info_id', 'start_time'),
  async read(database, sink) {
    const rows = new HealthRows(database, sink)
    await rows.readSources()
    const reader = new HealthConnectReader(rows)
    for (const table of database.tables) await reader.read(table)
  }
}

class HealthConnectReader {
  /** Tables that have been read. */
  readonly #readTables = new Set([appTable, deviceTable])

  constructor(private readonly rows: HealthRows) {}

  /**
   * Reads a table, and the tables whose rows belong to its rows. Does nothing if it has been read with
   * another table; skips all rows of an unknown table.
   */
  async read(table: string): Promise<void> {
    if (this.#readTables.has(table)) return
    this.#readTables.add(table)
    const { database, sink } = this.rows
    const [single, word, samples] = [
      singleValueTables.get(table),
      wordTables.get(table),
      sampleTables.get(table)
    ]
    if (single && database.hasColumns(table, single.column)) await this.#readValues(table, [single])
    else if (word && database.hasColumns(table, word.column)) await this.#readWords(table, word)
    else if (samples && database.hasColumns(table, samples.column)) await this.#readSamples(table, samples)
    else if (table === 'nutrition_record_table') await this.#readValues(table, nutrientColumns)
    else if (table === 'blood_pressure_record_table') await this.#readPressures(table)
    else if (table === exerciseTable || table === routeTable) {
      this.#readTables.add(exerciseTable).add(routeTable)
      await readExercises(this.rows)
    } else if (table === nightTable || table === stageTable) {
      this.#readTables.add(nightTable).add(stageTable)
      await readNights(this.rows)
    } else if (this.#findSampleTable(table)) await this.read(this.#findSampleTable(table)!)
    else
      await skipTable(
        database,
        table,
        sink,
        internalTables.test(table) ? 'about the file or the device, not a measurement' : unknownKind
      )
  }

  /** Returns the table of samples whose parent is this table. */
  #findSampleTable(table: string): string | undefined {
    const { database } = this.rows
    return [...sampleTables.keys()].find(name => {
      const { column, parent } = sampleTables.get(name)!
      return parent === table && database.hasColumns(name, column)
    })
  }

  /** Adds each value of a row as a record. */
  async #readValues(table: string, columns: readonly TableColumn[]): Promise<void> {
    const names = columns.map(({ column }) => column)
    const hasOneColumn = columns.length === 1
    await this.rows.read(table, names, (common, cells) => {
      let count = 0
      for (const [index, column] of columns.entries()) {
        const cell = cells[index]
        if (!hasOneColumn && (cell === undefined || cell === null || unsetNumbers.includes(cell as number)))
          continue
        count++
        this.#addValue(hasOneColumn ? common : { ...common, kind: `${table}.${column.column}` }, cell, column)
      }
      if (count === 0) this.rows.sink.skip(table, 'empty')
    })
  }

  #addValue(common: BaseRecord, cell: Cell, column: TableColumn): void {
    const reason = Number.isNaN(common.time)
      ? 'without a time'
      : cell === null
        ? 'without a number'
        : findSkipReason(cell, column)
    if (reason) this.rows.sink.skip(common.kind, reason)
    else {
      const { factor, stream, type } = column
      this.rows.sink.addRecord({ ...common, type, stream, content: scaleValue(cell as number, factor) })
    }
  }

  async #readWords(
    table: string,
    { column, stream, type, words: wordsByNumber }: NonNullable<ReturnType<typeof wordTables.get>>
  ): Promise<void> {
    await this.rows.read(table, [column], (common, [cell]) => {
      const word = wordsByNumber.get(cell)
      if (Number.isNaN(common.time)) this.rows.sink.skip(table, 'without a time')
      else if (word === undefined) this.rows.sink.skip(table, unknownKind)
      else this.rows.sink.addRecord({ ...common, type, stream, content: word })
    })
  }

  /** Reads a table of blood pressures; halves are skipped. */
  async #readPressures(table: string): Promise<void> {
    const range = { absent: unsetNumbers, range: [1, 400] as const }
    await this.rows.read(table, ['systolic', 'diastolic'], (common, [systolic, diastolic]) => {
      const reason = Number.isNaN(common.time)
        ? 'without a time'
        : systolic === null || diastolic === null
          ? 'half of a measurement whose other half is missing'
          : (findSkipReason(systolic, range) ?? findSkipReason(diastolic, range))
      if (reason) this.rows.sink.skip(table, reason)
      else
        this.rows.sink.addRecord({
          ...common,
          type: 'blood-pressure/mmhg-bpm',
          stream: 'Blood pressure',
          content: { systolic, diastolic }
        })
    })
  }

  /** Reads a table of samples, whose source is in their parent rows. */
  async #readSamples(table: string, column: TableColumn & { readonly parent: string }): Promise<void> {
    const { parent } = column
    this.#readTables.add(parent)
    const parents = new ParentRows(this.rows.sink)
    const groups = await this.rows.read(parent, [], ({ source, time }, _cells, id) =>
      parents.add(id, source, time)
    )
    if (groups > 0) this.rows.sink.skip(parent, 'a group of records that are in the file themselves', groups)
    const names = ['parent_key', 'epoch_millis', column.column]
    await readRows(this.rows.database, table, names, this.rows.sink, ([key, time, cell]) =>
      this.#addValue(
        { kind: table, source: parents.find(key)?.source ?? '', time: toTime(time) },
        cell,
        column
      )
    )
  }
}
