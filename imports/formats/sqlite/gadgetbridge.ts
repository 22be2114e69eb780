/** The database of Gadgetbridge, which it exports as it is: samples of many devices, each kind in a table of its own. */
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

const devices = 'DEVICE'
/** Devices whose names are kept. */
const mostDevices = 10_000
const unknown = 'of a kind without a type here'

export const gadgetbridge: DatabaseFormat = {
  id: 'gadgetbridge',
  name: 'Gadgetbridge',
  recognises: database =>
    database.has(devices, '_id', 'NAME', 'IDENTIFIER') && database.tables.some(name => isActivity(name)),
  async read(database, sink) {
    const reader = new Reader(database, sink)
    await reader.readDevices()
    for (const table of database.tables) await reader.read(table)
  }
}

class Reader {
  /** Names of devices, by their ids. */
  readonly #devices = new Map<Cell, string>()

  constructor(
    private readonly database: Database,
    private readonly sink: Sink
  ) {}

  async readDevices(): Promise<void> {
    const { database, sink } = this
    const count = await eachRow(database, devices, ['_id', 'NAME', 'ALIAS'], sink, ([id, name, alias]) => {
      if (this.#devices.size < mostDevices) this.#devices.set(id, textIn(alias) ?? textIn(name) ?? '')
    })
    if (count > 0) sink.leftOut(devices, 'about the file or the device, not a measurement', count)
  }

  async read(table: string): Promise<void> {
    const { database, sink } = this
    const columns = columnsOf(table)
    if (table === devices) return
    if (columns) await this.#samples(table, columns)
    else if (table === 'XIAOMI_MANUAL_SAMPLE') await this.#manual(table)
    else if (table === 'BASE_ACTIVITY_SUMMARY') await this.#activities(table)
    else if (sessions.has(table)) await this.#nights(table)
    else {
      const isSetting = settings.test(table)
      await leaveOut(
        database,
        table,
        sink,
        isSetting ? 'about the file or the device, not a measurement' : unknown
      )
    }
  }

  /** Each value of a row is a record of its own; columns that are not known are counted by their names. */
  async #samples(table: string, columns: Readonly<Record<string, Column>>): Promise<void> {
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
      for (const [at, [name, column]] of known.entries())
        this.#value(`${table}.${name}`, common, cells[at], column)
      for (const at of counts.keys()) if (cells[known.length + at] !== null) counts[at]!++
    })
    for (const [at, count] of counts.entries())
      if (count > 0) sink.leftOut(`${table}.${others[at]}`, unknown, count)
  }

  #value(kind: string, common: Pick<Datum, 'source' | 'time'>, cell: Cell, column: Column): void {
    if (cell === null) return
    const { duration, factor, stream, type } = column
    const fault = Number.isNaN(common.time) ? 'without a time' : faultOf(cell, column)
    if (fault) this.sink.leftOut(kind, fault)
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

  async #manual(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'TYPE', 'VALUE']
    await eachRow(this.database, table, columns, this.sink, ([timestamp, device, type, value]) => {
      const measure = manual.get(type)
      const kind = `${table}.${typeof type === 'number' ? type : 'TYPE'}`
      const common = { source: this.#devices.get(device) ?? '', time: timeIn(timestamp) }
      if (!measure) this.sink.leftOut(kind, unknown)
      else if (value === null) this.sink.leftOut(kind, 'without a number')
      else this.#value(kind, common, value, measure)
    })
  }

  async #nights(table: string): Promise<void> {
    const columns = ['TIMESTAMP', 'DEVICE_ID', 'WAKEUP_TIME', ...parts]
    await eachRow(this.database, table, columns, this.sink, ([timestamp, device, wakeUp, ...lengths]) => {
      const [time, end] = [timeIn(timestamp), timeIn(wakeUp)]
      const told = parts.flatMap((name, at) => (typeof lengths[at] === 'number' ? [[name, lengths[at]]] : []))
      // Minutes of deep, light and REM sleep.
      const asleep = lengths.slice(1, 4).reduce<number>((sum, length) => sum + Number(length ?? NaN) * 60, 0)
      this.#spanned(table, time, end, {
        source: this.#devices.get(device) ?? '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: nightContent(asleep, end - time),
        identity: `${end}`,
        ...(told.length > 0 && { clientData: { 'gadgetbridge:sleep': Object.fromEntries(told) } })
      })
    })
  }

  async #activities(table: string): Promise<void> {
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
        this.#spanned(table, time, end, {
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

  #spanned(kind: string, time: number, end: number, datum: Omit<Datum, 'kind' | 'time' | 'duration'>): void {
    const fault: Reason | undefined = Number.isNaN(time)
      ? 'without a time'
      : end >= time
        ? undefined
        : 'of an end that cannot be read'
    if (fault) this.sink.leftOut(kind, fault)
    else this.sink.datum({ ...datum, kind, time, duration: scaled(end - time) })
  }
}
