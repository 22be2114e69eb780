/** Reads rows of Health Connect with their common columns: app, device and times. */
import type { ImportedRecord, Sink } from '../../record.js'
import type { Database } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { scaleValue } from '../../text/units.js'
import { readRows, toText, toTime } from './rows.js'

export const appTable = 'application_info_table'
export const deviceTable = 'device_info_table'
/** Maximum number of remembered names of apps and devices. */
const maxNames = 10_000

export type BaseRecord = Pick<ImportedRecord, 'kind' | 'source' | 'time' | 'duration'>

export class HealthRows {
  readonly #apps = new Map<Cell, string>()
  readonly #devices = new Map<Cell, string>()

  constructor(
    readonly database: Database,
    readonly sink: Sink
  ) {}

  /**
   * Reads the names of apps and devices, which all other tables refer to. Counts their rows as skipped. Must
   * be called before {@link read}.
   */
  async readSources(): Promise<void> {
    const about = 'about the file or the device, not a measurement'
    const counts = [
      await this.#readNames(appTable, ['row_id', 'app_name', 'package_name'], this.#apps),
      await this.#readNames(deviceTable, ['row_id', 'model', 'manufacturer'], this.#devices)
    ]
    for (const [index, count] of counts.entries())
      if (count > 0) this.sink.skip([appTable, deviceTable][index]!, about, count)
  }

  /** Adds the names in a table to `names`, by row id. Returns the number of rows. */
  async #readNames(table: string, columns: readonly string[], names: Map<Cell, string>): Promise<number> {
    return await readRows(this.database, table, columns, this.sink, ([id, name, other]) => {
      if (names.size < maxNames) names.set(id, toText(name) ?? toText(other) ?? '')
    })
  }

  /** Returns the source of a record: the app that stored it and the device that measured it. */
  #getSource(app: Cell, device: Cell): string {
    const [name, model] = [this.#apps.get(app) ?? '', this.#devices.get(device) ?? '']
    return model === '' || name === '' ? name || model : `${name}, ${model}`
  }

  /** Calls `onRow` with each row of a table and its common columns; returns the number of rows. */
  async read(
    table: string,
    columns: readonly string[],
    onRow: (common: BaseRecord, cells: readonly Cell[], id: Cell) => void
  ): Promise<number> {
    const hasTimeRange = this.database.hasColumns(table, 'start_time')
    const names = [
      'row_id',
      'app_info_id',
      'device_info_id',
      hasTimeRange ? 'start_time' : 'time',
      'end_time',
      ...columns
    ]
    return await readRows(
      this.database,
      table,
      names,
      this.sink,
      ([id, app, device, start, end, ...cells]) => {
        const time = toTime(start)
        const duration = hasTimeRange ? toTime(end) - time : 0
        const common = { kind: table, source: this.#getSource(app, device), time }
        onRow(duration > 0 ? { ...common, duration: scaleValue(duration) } : common, cells, id)
      }
    )
  }
}
