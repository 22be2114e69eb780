/** Reads Strava's account export: a table of activities, with a file for most of them. */
import type { ImportedRecord, Format, Sink, SourceFile } from '../../record.js'
import { parseUnambiguousTime } from '../../text/cell-times.js'
import { readHead, readText } from '../../text/decode.js'
import { RowScanner } from '../../text/row-scanner.js'

/** Format of activities without a file, which come from the table alone. */
export const strava: Pick<Format, 'id' | 'name'> = { id: 'strava', name: 'Strava' }

const kind = 'row of activities.csv'
const joinedReason = 'part of a measurement that is brought in as one'
/** Maximum number of rows in memory, and of characters of their texts. */
const maxRows = 50_000
const [maxNameLength, maxDescriptionLength] = [200, 2000]
const activityFile = /^activities\/[^/]+\.(?:fit|gpx|tcx)(?:\.gz)?$/i
/** A row of the table, whose first columns are the same in every language. */
interface Activity {
  readonly id: string
  readonly date: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly seconds: number
  readonly file: string
}

export class StravaExport {
  /** Activities by the name of their file in the archive. */
  readonly #byFile = new Map<string, Activity>()
  readonly #withoutFile: Activity[] = []
  #skippedCount = 0

  private constructor(
    private readonly folder: string,
    private readonly files: ReadonlySet<string>
  ) {}

  /**
   * Finds the table among the files of an archive. Each file is readable until the next one is requested.
   * Returns `undefined` if there is no table, or it names no file of the archive.
   */
  static async find(openFiles: () => AsyncIterable<SourceFile>): Promise<StravaExport | undefined> {
    let table: string | undefined
    const files = new Set<string>()
    for await (const { name } of openFiles()) {
      if (/(?:^|\/)activities\.csv$/i.test(name)) table ??= name
      else if (/(?:^|\/)activities\/[^/]+$/.test(name)) files.add(name)
    }
    if (table === undefined || files.size === 0) return undefined
    const stravaExport = new StravaExport(table.slice(0, -'activities.csv'.length), files)
    for await (const entry of openFiles())
      if (entry.name === table) {
        await stravaExport.#read(entry)
        break
      }
    return stravaExport.#byFile.size > 0 ? stravaExport : undefined
  }

  /** Returns true if a file is the table. */
  isTable(name: string): boolean {
    return name === `${this.folder}activities.csv`
  }

  /** Returns the activity that a file belongs to. Returns `undefined` if the table does not name the file. */
  findActivity(name: string): Activity | undefined {
    return this.#byFile.get(name)
  }

  /** Adds the activities without a file. Counts rows that were too long or too many as skipped. */
  addActivities(sink: Sink): void {
    for (const activity of this.#withoutFile) sink.addRecord(toRecord(activity))
    if (this.#skippedCount > 0) sink.skip(kind, 'larger than a record can be', this.#skippedCount)
  }

  async #read(source: SourceFile): Promise<void> {
    let isHeader = true
    const scanner = new RowScanner(',', cells => {
      if (isHeader) isHeader = false
      else if (cells.length > 6) this.#addRow(cells.map(cell => cell.trim()))
    })
    for await (const chunk of readText(source, await readHead(source))) scanner.write(chunk)
    scanner.finish()
    this.#skippedCount += scanner.brokenCount
  }

  /** Adds a row of the table: by its file, if the archive contains that. */
  #addRow(cells: readonly string[]): void {
    const [id = '', date = '', name = '', type = '', description = '', seconds = ''] = cells
    const activity: Activity = {
      id: id.slice(0, maxNameLength),
      date: date.slice(0, maxNameLength),
      name: name.slice(0, maxNameLength),
      type: type.slice(0, maxNameLength),
      description: description.slice(0, maxDescriptionLength),
      seconds: Number(seconds),
      file: this.folder + (cells.find(cell => activityFile.test(cell)) ?? '')
    }
    if (this.#byFile.size + this.#withoutFile.length >= maxRows) this.#skippedCount++
    else if (this.files.has(activity.file) && !this.#byFile.has(activity.file))
      this.#byFile.set(activity.file, activity)
    else this.#withoutFile.push(activity)
  }
}

/** Adds the table's description to the activity in its file. */
export class StravaSink implements Sink {
  #count = 0

  constructor(
    private readonly sink: Sink,
    private readonly activity: Activity
  ) {}

  /** True if the file contained the activity. If not, {@link StravaSink.end} adds it from the table. */
  get hasActivity(): boolean {
    return this.#count > 0
  }

  /** Passes a record on; an activity with the description of the table. */
  addRecord(record: ImportedRecord): void {
    if (record.type !== 'activity/plain') {
      this.sink.addRecord(record)
      return
    }
    this.#count++
    // Keeps the identity from the file, which may have been imported on its own.
    const { clientData, description } = getDescription(this.activity)
    this.sink.addRecord({
      ...record,
      description: description ?? record.description,
      clientData: { ...record.clientData, ...clientData }
    })
  }

  /**
   * Adds the activity from the table if its file did not contain it; otherwise counts the row of the table as
   * joined. Must be called after the activity's file has been read.
   */
  end(): void {
    if (this.hasActivity) this.sink.skip(kind, joinedReason)
    else this.sink.addRecord(toRecord(this.activity))
  }

  skip(...args: Parameters<Sink['skip']>): void {
    this.sink.skip(...args)
  }

  addFile(...args: Parameters<Sink['addFile']>): Promise<void> {
    return this.sink.addFile(...args)
  }

  warn(...args: Parameters<Sink['warn']>): void {
    this.sink.warn(...args)
  }
}

/** Returns the record of an activity in the export's table. */
function toRecord(activity: Activity): ImportedRecord {
  const { date, id, seconds } = activity
  return {
    kind,
    source: '',
    type: 'activity/plain',
    stream: 'Activities',
    // The time is in UTC.
    time: parseUnambiguousTime(date, undefined),
    duration: seconds > 0 ? seconds : undefined,
    identity: id,
    ...getDescription(activity)
  }
}

function getDescription({
  description,
  id,
  name,
  type
}: Activity): Pick<ImportedRecord, 'description' | 'clientData'> {
  const text = [name || type, description].filter(Boolean).join(': ')
  return {
    description: text || undefined,
    clientData: { 'strava:activity': { id, type, name, description } }
  }
}
