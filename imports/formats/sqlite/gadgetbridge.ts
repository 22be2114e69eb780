/** Reads the exported database of Gadgetbridge: samples of many devices, each kind in its own table. */
import type { Reason } from '../../reasons.js'
import type { Datum, Sink } from '../../record.js'
import type { Database, DatabaseFormat } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { parsed } from '../../text/json.js'
import { scaled } from '../../text/units.js'
import { isObject } from '../json-files.js'
import { nightContent } from '../sleep.js'
import {
  columnsOf,
  isActivity,
  keys,
  kinds,
  manual,
  parts,
  sessions,
  settings,
  type Column
} from './gadgetbridge-tables.js'
import { eachRow, faultOf, leaveOut, textIn, timeIn } from './rows.js'

const deviceTable = 'DEVICE'
/** Limit of remembered device names. */
const maxDevices = 10_000
const unknownKind = 'of a kind without a type here'

export const gadgetbridge: DatabaseFormat = {
  id: 'gadgetbridge',
  name: 'Gadgetbridge',
  recognises: database =>
    database.has(deviceTable, '_id', 'NAME', 'IDENTIFIER') && database.tables.some(name => isActivity(name)),
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

  async readDevices(): Promise<void> {
    const { database, sink } = this
    const count = await eachRow(
      database,
      deviceTable,
      ['_id', 'NAME', 'ALIAS'],
      sink,
      ([id, name, alias]) => {
        if (this.#devices.size < maxDevices) this.#devices.set(id, textIn(alias) ?? textIn(name) ?? '')
      }
    )
    if (count > 0) sink.leftOut(deviceTable, 'about the file or the device, not a measurement', count)
  }

  async read(table: string): Promise<void> {
    const { database, sink } = this
    const columns = columnsOf(table)
    if (table === deviceTable) return
    if (columns) await this.#readSamples(table, columns)
    else if (table === 'XIAOMI_MANUAL_SAMPLE') await this.#readManualSamples(table)
    else if (table === 'BASE_ACTIVITY_SUMMARY') await this.#readActivities(table)
    else if (sessions.has(table)) await this.#readNights(table)
    else {
      const isSetting = settings.test(table)
      await leaveOut(
        database,
        table,
        sink,
        isSetting ? 'about the file or the device, not a measurement' : unknownKind
      )
    }
  }

  /** Adds each value of a row as a record; counts unknown columns as skipped, by name. */
  async #readSamples(table: string, columns: Readonly<Record<string, Column>>): Promise<void> {
    const { database, sink } = this
    const known = Object.entries(columns).filter(([name]) => database.has(table, name))
    const others = database
      .columns(table)
      .map(name => name.toUpperCase())
      .filter(name => !keys.has(name) && !Object.hasOwn(columns, name))
    const counts = others.map(() => 0)
    const names = ['TIMESTAMP', 'DEVICE_ID', ...known.map(([name]) => name), ...others]
    await eachRow(database, table, names, sink, ([timestamp, device, ...cells]) => {
      const common = { source: this.#devices.get(device) ?? '', time: timeIn(timestamp) }
      for (const [index, [name, column]] of known.entries())
        this.#addValue(`${table}.${name}`, common, cells[index], column)
      for (const index of counts.keys()) if (cells[known.length + index] !== null) counts[index]!++
    })
    for (const [index, count] of counts.entries())
      if (count > 0) sink.leftOut(`${table}.${others[index]}`, unknownKind, count)
  }

  #addValue(kind: string, common: Pick<Datum, 'source' | 'time'>, cell: Cell, column: Column): void {
    if (cell === null) return
    const { duration, factor, stream, type } = column
    const reason = Number.isNaN(common.time) ? 'without a time' : faultOf(cell, column)
    if (reason) this.sink.leftOut(kind, reason)
    else
      this.sink.datum({
        ...common,
        kind,
        type,
        stream,
        content: scaled(cell as number, factor),
        ...(duration !== undefined && { duration })
      })
  }

  async #readManualSamples(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'TYPE', 'VALUE']
    await eachRow(this.database, table, columns, this.sink, ([timestamp, device, type, value]) => {
      const measure = manual.get(type)
      const kind = `${table}.${typeof type === 'number' ? type : 'TYPE'}`
      const common = { source: this.#devices.get(device) ?? '', time: timeIn(timestamp) }
      if (!measure) this.sink.leftOut(kind, unknownKind)
      else if (value === null) this.sink.leftOut(kind, 'without a number')
      else this.#addValue(kind, common, value, measure)
    })
  }

  async #readNights(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'WAKEUP_TIME', ...parts]
    await eachRow(this.database, table, columns, this.sink, ([timestamp, device, wakeUp, ...lengths]) => {
      const [time, end] = [timeIn(timestamp), timeIn(wakeUp)]
      const stages = parts.flatMap((name, index) =>
        typeof lengths[index] === 'number' ? [[name, lengths[index]]] : []
      )
      // Sum of deep, light and REM sleep, from minutes.
      const asleep = lengths.slice(1, 4).reduce<number>((sum, length) => sum + Number(length ?? NaN) * 60, 0)
      this.#addTimeRange(table, time, end, {
        source: this.#devices.get(device) ?? '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: nightContent(asleep, end - time),
        identity: `${end}`,
        ...(stages.length > 0 && { clientData: { 'gadgetbridge:sleep': Object.fromEntries(stages) } })
      })
    })
  }

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
    await eachRow(
      this.database,
      table,
      columns,
      this.sink,
      ([start, finish, device, name, kind, summary, track]) => {
        const [time, end] = [timeIn(start), timeIn(finish)]
        const data = parsed(textIn(summary) ?? '')
        const type = kinds.get(kind)
        this.#addTimeRange(table, time, end, {
          source: this.#devices.get(device) ?? '',
          type: 'activity/plain',
          stream: 'Activities',
          identity: `${end} ${String(kind)}`,
          description: textIn(name) ?? type,
          clientData: {
            'gadgetbridge:activity': {
              ...(typeof kind === 'number' && { kind }),
              ...(type !== undefined && { type }),
              ...(isObject(data) && { summary: data }),
              ...(textIn(track) !== undefined && { file: textIn(track)!.split('/').at(-1) })
            }
          }
        })
      }
    )
  }

  #addTimeRange(
    kind: string,
    time: number,
    end: number,
    record: Omit<Datum, 'kind' | 'time' | 'duration'>
  ): void {
    const reason: Reason | undefined = Number.isNaN(time)
      ? 'without a time'
      : end >= time
        ? undefined
        : 'of an end that cannot be read'
    if (reason) this.sink.leftOut(kind, reason)
    else this.sink.datum({ ...record, kind, time, duration: scaled(end - time) })
  }
}
