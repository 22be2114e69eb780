/** Strava's export of an account: a table of activities beside a file for most of them, which tell of one another. */
import type { Datum, Format, Sink, Source } from '../../record.js'
import { certainTime } from '../../text/cell-times.js'
import { headOf, textsOf } from '../../text/decode.js'
import { RowScanner } from '../../text/rows.js'

/** How it is called where an activity has no file, so that it comes from the table alone. */
export const strava: Pick<Format, 'id' | 'name'> = { id: 'strava', name: 'Strava' }

const kind = 'row of activities.csv'
const part = 'part of a measurement that is brought in as one'
/** Rows that are kept in memory, and characters of their texts. */
const mostRows = 50_000
const [longestName, longestDescription] = [200, 2000]
const file = /^activities\/[^/]+\.(?:fit|gpx|tcx)(?:\.gz)?$/i
/** A row of the table. Its first columns are the same in every language. */
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
  /** By the names of their files in the archive. */
  readonly #byFile = new Map<string, Activity>()
  readonly #others: Activity[] = []
  #left = 0

  private constructor(
    private readonly folder: string,
    private readonly files: ReadonlySet<string>
  ) {}

  /** Finds the table among the files of an archive, each open until the next one is taken. */
  static async find(open: () => AsyncIterable<Source>): Promise<StravaExport | undefined> {
    let table: string | undefined
    const files = new Set<string>()
    for await (const { name } of open()) {
      if (/(?:^|\/)activities\.csv$/i.test(name)) table ??= name
      else if (/(?:^|\/)activities\/[^/]+$/.test(name)) files.add(name)
    }
    if (table === undefined || files.size === 0) return undefined
    const found = new StravaExport(table.slice(0, -'activities.csv'.length), files)
    for await (const entry of open())
      if (entry.name === table) {
        await found.#read(entry)
        break
      }
    return found.#byFile.size > 0 ? found : undefined
  }

  /** Whether a file is the table. */
  isTable(name: string): boolean {
    return name === `${this.folder}activities.csv`
  }

  /** The activity that a file is of. */
  activityIn(name: string): Activity | undefined {
    return this.#byFile.get(name)
  }

  /** Gives out activities without a file. */
  give(sink: Sink): void {
    for (const activity of this.#others) sink.datum(datumOf(activity))
    if (this.#left > 0) sink.leftOut(kind, 'larger than a record can be', this.#left)
  }

  async #read(source: Source): Promise<void> {
    let isHeader = true
    const scanner = new RowScanner(',', cells => {
      if (isHeader) isHeader = false
      else if (cells.length > 6) this.#row(cells.map(cell => cell.trim()))
    })
    for await (const piece of textsOf(source, await headOf(source))) scanner.write(piece)
    scanner.end()
    this.#left += scanner.broken
  }

  #row(cells: readonly string[]): void {
    const [id = '', date = '', name = '', type = '', description = '', seconds = ''] = cells
    const activity: Activity = {
      id: id.slice(0, longestName),
      date: date.slice(0, longestName),
      name: name.slice(0, longestName),
      type: type.slice(0, longestName),
      description: description.slice(0, longestDescription),
      seconds: Number(seconds),
      file: this.folder + (cells.find(cell => file.test(cell)) ?? '')
    }
    if (this.#byFile.size + this.#others.length >= mostRows) this.#left++
    else if (this.files.has(activity.file) && !this.#byFile.has(activity.file))
      this.#byFile.set(activity.file, activity)
    else this.#others.push(activity)
  }
}

/** A sink for the file of an activity, which is told with the track. */
export class StravaSink implements Sink {
  #count = 0

  constructor(
    private readonly sink: Sink,
    private readonly activity: Activity
  ) {}

  /** Whether the file held the activity; if not, {@link StravaSink.end} gives it out as the table has it. */
  get isTold(): boolean {
    return this.#count > 0
  }

  datum(datum: Datum): void {
    if (datum.type !== 'activity/plain') {
      this.sink.datum(datum)
      return
    }
    this.#count++
    // Its identity stays that of the file, which may have been brought in by itself.
    const { clientData, description } = tellingOf(this.activity)
    this.sink.datum({
      ...datum,
      description: description ?? datum.description,
      clientData: { ...datum.clientData, ...clientData }
    })
  }

  /** Counts the row of the table. To be called once the file has been read. */
  end(): void {
    if (this.isTold) this.sink.leftOut(kind, part)
    else this.sink.datum(datumOf(this.activity))
  }

  leftOut(...given: Parameters<Sink['leftOut']>): void {
    this.sink.leftOut(...given)
  }

  file(...given: Parameters<Sink['file']>): Promise<void> {
    return this.sink.file(...given)
  }

  warn(...given: Parameters<Sink['warn']>): void {
    this.sink.warn(...given)
  }

  drained(): Promise<void> | undefined {
    return this.sink.drained()
  }
}

function datumOf(activity: Activity): Datum {
  const { date, id, seconds } = activity
  return {
    kind,
    source: '',
    type: 'activity/plain',
    stream: 'Activities',
    // In UTC.
    time: certainTime(date, undefined),
    duration: seconds > 0 ? seconds : undefined,
    identity: id,
    ...tellingOf(activity)
  }
}

function tellingOf({ description, id, name, type }: Activity): Pick<Datum, 'description' | 'clientData'> {
  const told = [name || type, description].filter(Boolean).join(': ')
  return {
    description: told || undefined,
    clientData: { 'strava:activity': { id, type, name, description } }
  }
}
