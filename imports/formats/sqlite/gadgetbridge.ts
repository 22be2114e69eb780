/** Reads the exported database of Gadgetbridge: samples of many devices, each kind in its own table. */
import type { SkipReason } from '../../skip-reasons.js'
import type { ImportedRecord, Sink } from '../../record.js'
import type { Database, DatabaseFormat } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { parseJson } from '../../text/object-scanner.js'
import { scaleValue } from '../../text/units.js'
import { isObject } from '../json-files.js'
import { getNightContent } from '../../night-record.js'
import {
  findColumns,
  isActivityTable,
  keyColumns,
  activityKinds,
  manualMeasures,
  stageColumns,
  sleepTables,
  settingTables,
  type SampleColumn
} from './gadgetbridge-tables.js'
import { readRows, findSkipReason, skipTable, toText, toTime } from './rows.js'

const deviceTable = 'DEVICE'
/** Maximum number of remembered device names. */
const maxDevices = 10_000
const unknownKind = 'of a kind without a type here'

export const gadgetbridge: DatabaseFormat = {
  id: 'gadgetbridge',
  name: 'Gadgetbridge',
  recognises: database =>
    database.hasColumns(deviceTable, '_id', 'NAME', 'IDENTIFIER') &&
    database.tables.some(name => isActivityTable(name)),
  async read(database, sink) {
    const reader = new GadgetbridgeReader(database, sink)
    await reader.readDevices()
    for (const table of database.tables) await reader.read(table)
  }
}

class GadgetbridgeReader {
  /** Names of devices, by their ids. */
  readonly #devices = new Map<Cell, string>()

  constructor(
    private readonly database: Database,
    private readonly sink: Sink
  ) {}

  /**
   * Reads the names of devices, which records have as their source. Must be called before {@link read}.
   * Counts the rows as skipped.
   */
  async readDevices(): Promise<void> {
    const { database, sink } = this
    const count = await readRows(
      database,
      deviceTable,
      ['_id', 'NAME', 'ALIAS'],
      sink,
      ([id, name, alias]) => {
        if (this.#devices.size < maxDevices) this.#devices.set(id, toText(alias) ?? toText(name) ?? '')
      }
    )
    if (count > 0) sink.skip(deviceTable, 'about the file or the device, not a measurement', count)
  }

  /** Reads a table: adds its rows as records, or skips all of them with a reason. */
  async read(table: string): Promise<void> {
    const { database, sink } = this
    const columns = findColumns(table)
    if (table === deviceTable) return
    if (columns) await this.#readSamples(table, columns)
    else if (table === 'XIAOMI_MANUAL_SAMPLE') await this.#readManualSamples(table)
    else if (table === 'BASE_ACTIVITY_SUMMARY') await this.#readActivities(table)
    else if (sleepTables.has(table)) await this.#readNights(table)
    else {
      const isSetting = settingTables.test(table)
      await skipTable(
        database,
        table,
        sink,
        isSetting ? 'about the file or the device, not a measurement' : unknownKind
      )
    }
  }

  /** Adds each value of a row as a record; counts unknown columns as skipped, by name. */
  async #readSamples(table: string, columns: Readonly<Record<string, SampleColumn>>): Promise<void> {
    const { database, sink } = this
    const known = Object.entries(columns).filter(([name]) => database.hasColumns(table, name))
    const others = database
      .getColumns(table)
      .map(name => name.toUpperCase())
      .filter(name => !keyColumns.has(name) && !Object.hasOwn(columns, name))
    const counts = others.map(() => 0)
    const names = ['TIMESTAMP', 'DEVICE_ID', ...known.map(([name]) => name), ...others]
    await readRows(database, table, names, sink, ([timestamp, device, ...cells]) => {
      const common = { source: this.#devices.get(device) ?? '', time: toTime(timestamp) }
      for (const [index, [name, column]] of known.entries())
        this.#addValue(`${table}.${name}`, common, cells[index], column)
      for (const index of counts.keys()) if (cells[known.length + index] !== null) counts[index]!++
    })
    for (const [index, count] of counts.entries())
      if (count > 0) sink.skip(`${table}.${others[index]}`, unknownKind, count)
  }

  /** Adds a value; skips one out of range, and does nothing for an empty cell. */
  #addValue(
    kind: string,
    common: Pick<ImportedRecord, 'source' | 'time'>,
    cell: Cell,
    column: SampleColumn
  ): void {
    if (cell === null) return
    const { duration, factor, stream, type } = column
    const reason = Number.isNaN(common.time) ? 'without a time' : findSkipReason(cell, column)
    if (reason) this.sink.skip(kind, reason)
    else
      this.sink.addRecord({
        ...common,
        kind,
        type,
        stream,
        content: scaleValue(cell as number, factor),
        ...(duration !== undefined && { duration })
      })
  }

  async #readManualSamples(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'TYPE', 'VALUE']
    await readRows(this.database, table, columns, this.sink, ([timestamp, device, type, value]) => {
      const measure = manualMeasures.get(type)
      const kind = `${table}.${typeof type === 'number' ? type : 'TYPE'}`
      const common = { source: this.#devices.get(device) ?? '', time: toTime(timestamp) }
      if (!measure) this.sink.skip(kind, unknownKind)
      else if (value === null) this.sink.skip(kind, 'without a number')
      else this.#addValue(kind, common, value, measure)
    })
  }

  /** Reads a table of nights, with the minutes of each stage. */
  async #readNights(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'WAKEUP_TIME', ...stageColumns]
    await readRows(this.database, table, columns, this.sink, ([timestamp, device, wakeUp, ...lengths]) => {
      const [time, end] = [toTime(timestamp), toTime(wakeUp)]
      const stages = stageColumns.flatMap((name, index) =>
        typeof lengths[index] === 'number' ? [[name, lengths[index]]] : []
      )
      // Sum of deep, light and REM sleep, from minutes.
      const asleep = lengths.slice(1, 4).reduce<number>((sum, length) => sum + Number(length ?? NaN) * 60, 0)
      this.#addTimeRange(table, time, end, {
        source: this.#devices.get(device) ?? '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: getNightContent(asleep, end - time),
        identity: `${end}`,
        ...(stages.length > 0 && { clientData: { 'gadgetbridge:sleep': Object.fromEntries(stages) } })
      })
    })
  }

  /** Reads a table of activities, without their tracks, which are in other files. */
  async #readActivities(table: string): Promise<void> {
    const columns = [
      'START_TIME',
      'END_TIME',
      'DEVICE_ID',
      'NAME',
      'ACTIVITY_KIND',
      'SUMMARY_DATA',
      'GPX_TRACK'
    ]
    await readRows(
      this.database,
      table,
      columns,
      this.sink,
      ([start, finish, device, name, kind, summary, track]) => {
        const [time, end] = [toTime(start), toTime(finish)]
        const data = parseJson(toText(summary) ?? '')
        const type = activityKinds.get(kind)
        this.#addTimeRange(table, time, end, {
          source: this.#devices.get(device) ?? '',
          type: 'activity/plain',
          stream: 'Activities',
          identity: `${end} ${String(kind)}`,
          description: toText(name) ?? type,
          clientData: {
            'gadgetbridge:activity': {
              ...(typeof kind === 'number' && { kind }),
              ...(type !== undefined && { type }),
              ...(isObject(data) && { summary: data }),
              ...(toText(track) !== undefined && { file: toText(track)!.split('/').at(-1) })
            }
          }
        })
      }
    )
  }

  /** Adds a record with a duration. Skips it if its time is missing or its end is before its start. */
  #addTimeRange(
    kind: string,
    time: number,
    end: number,
    record: Omit<ImportedRecord, 'kind' | 'time' | 'duration'>
  ): void {
    const reason: SkipReason | undefined = Number.isNaN(time)
      ? 'without a time'
      : end >= time
        ? undefined
        : 'of an end that cannot be read'
    if (reason) this.sink.skip(kind, reason)
    else this.sink.addRecord({ ...record, kind, time, duration: scaleValue(end - time) })
  }
}
