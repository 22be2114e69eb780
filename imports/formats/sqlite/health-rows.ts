/** Rows of Health Connect, with what all of them have: their app and device, and their times. */
import type { Datum, Sink } from '../../record.js'
import type { Database } from '../../sqlite/database.js'
import type { Cell } from '../../sqlite/payload.js'
import { scaled } from '../../text/units.js'
import { eachRow, textIn, timeIn } from './rows.js'

export const apps = 'application_info_table'
export const devices = 'device_info_table'
/** Names of apps and devices that are kept. */
const mostNames = 10_000

export type Common = Pick<Datum, 'kind' | 'source' | 'time' | 'duration'>

export class HealthRows {
  readonly #apps = new Map<Cell, string>()
  readonly #devices = new Map<Cell, string>()

  constructor(
    readonly database: Database,
    readonly sink: Sink
  ) {}

  /** Reads the names of apps and devices, which all others need. */
  async readSources(): Promise<void> {
    const about = 'about the file or the device, not a measurement'
    const counts = [
      await this.#names(apps, ['row_id', 'app_name', 'package_name'], this.#apps),
      await this.#names(devices, ['row_id', 'model', 'manufacturer'], this.#devices)
    ]
    for (const [at, count] of counts.entries())
      if (count > 0) this.sink.leftOut([apps, devices][at]!, about, count)
  }

  async #names(table: string, columns: readonly string[], names: Map<Cell, string>): Promise<number> {
    return await eachRow(this.database, table, columns, this.sink, ([id, name, other]) => {
      if (names.size < mostNames) names.set(id, textIn(name) ?? textIn(other) ?? '')
    })
  }

  /** The app that has brought a record, and what it was measured with. */
  #source(app: Cell, device: Cell): string {
    const [name, model] = [this.#apps.get(app) ?? '', this.#devices.get(device) ?? '']
    return model === '' || name === '' ? name || model : `${name}, ${model}`
  }

  /** Reads the rows of a table with what all of them have. */
  async read(
    table: string,
    columns: readonly string[],
    onRow: (common: Common, cells: readonly Cell[], id: Cell) => void
  ): Promise<number> {
    const isSpan = this.database.has(table, 'start_time')
    const names = [
      'row_id',
      'app_info_id',
      'device_info_id',
      isSpan ? 'start_time' : 'time',
      'end_time',
      ...columns
    ]
    return await eachRow(
      this.database,
      table,
      names,
      this.sink,
      ([id, app, device, start, end, ...cells]) => {
        const time = timeIn(start)
        const length = isSpan ? timeIn(end) - time : 0
        const common = { kind: table, source: this.#source(app, device), time }
        onRow(length > 0 ? { ...common, duration: scaled(length) } : common, cells, id)
      }
    )
  }
}
