/** Runs the first pass over a file: counts its records. */
import { formatNotice, createNotice, type MessageText, type Notice, type MessageValues } from '../messages.js'
import type { ImportedRecord, Sink, TableView } from '../record.js'
import type { SkipReason } from '../skip-reasons.js'
import type { CountedFile, Counts, LaneForm, ImportReview as Review } from '../protocol.js'
import { isPlausible } from '../text/times.js'
import { attachmentType, PendingFiles, unnamedFile } from './pending-files.js'
import type { LanePaths } from './lane-paths.js'
import { Lanes } from './lanes.js'

/** Maximum number of lanes and names that are reported; further ones are counted together under one name. */
const maxNames = 500
const otherNames = '…'
/** Maximum number of skipped kinds per reason. */
const maxKinds = 100
const maxWarnings = 50
const maxTables = 20
const cellOverhead = 4
/** Maximum length of all previewed tables, in characters. */
const maxTablesLength = 300_000
/** Maximum number of lanes that are remembered for the next reading of the same file. */
const maxRememberedLanes = 500
/** Maximum number of reported table rows per reason. */
const maxRows = 5
const unreadableTime = 'of a time that cannot be read'
const tooManyLanes = 'beyond the number of sources and tracks that one file may have'

/** Counts by name, up to a number of different names. */
export class NameCounts {
  readonly #counts = new Map<string, number>()

  constructor(private readonly maxDifferent = maxNames) {}

  /** Adds to the count of a name. Beyond the maximum number of different names all count as others. */
  add(name: string, count = 1): void {
    const previous = this.#counts.get(name)
    if (previous !== undefined) this.#counts.set(name, previous + count)
    else if (this.#counts.size < this.maxDifferent) this.#counts.set(name, count)
    else this.#counts.set(otherNames, (this.#counts.get(otherNames) ?? 0) + count)
  }

  /** The counts so far. The object has no prototype: names come from files. */
  get counts(): Counts {
    const counts = Object.create(null) as Counts
    for (const [name, count] of this.#counts) counts[name] = count
    return counts
  }
}

/** Counts records by kind, lane, source and type. */
export class RecordCounter implements Sink {
  readonly lanes = new Lanes()
  readonly #records = new NameCounts()
  readonly #skipped = new NameCounts()
  /** Counts of skipped kinds, by reason. */
  readonly #skippedKinds = new Map<SkipReason, NameCounts>()
  /** Skipped rows of tables, by reason. */
  readonly #skippedRows = new Map<string, (number | string)[]>()
  readonly #sources = new NameCounts()
  readonly #types = new NameCounts()
  readonly #files = new PendingFiles<undefined>()
  readonly #formats = new Map<string, number>()
  /** Warnings by their English text. */
  readonly #warnings = new Map<string, Notice>()
  readonly #tables: TableView[] = []
  #tablesLength = 0
  #from = Infinity
  #to = -Infinity

  #format = ''

  /** Begins a file of a format. */
  begin(format: string): void {
    this.#format = format
    // Listed even if nothing is counted.
    if (!this.#formats.has(format)) this.#formats.set(format, 0)
  }

  /** Counts a record in its lane, or as skipped if its time is implausible or there are too many lanes. */
  addRecord(record: ImportedRecord): void {
    this.#countRecord(record.kind, 1)
    if (!isPlausible(record.time)) {
      this.#skipped.add(unreadableTime)
      return
    }
    const lane = this.lanes.ensureLane(this.#format, record)
    if (!lane) {
      this.#skipped.add(tooManyLanes)
      return
    }
    const { time } = record
    lane.count++
    // Records without a content, such as appointments, say in their description what they are.
    lane.contents.add(record.content ?? record.description)
    if (time < lane.from) lane.from = time
    if (time > lane.to) lane.to = time
    if (time < this.#from) this.#from = time
    if (time > this.#to) this.#to = time
    this.#sources.add(record.source)
    this.#types.add(record.type)
    this.#files.add(record, undefined)
    if (record.describedTracks) this.lanes.describeTracks(this.#format, record)
  }

  /** Counts a file that an earlier record names; counts others as skipped. */
  addFile(kind: string, key: string): Promise<void> {
    if (this.#files.remove(key)) {
      this.#countRecord(kind, 1)
      this.#types.add(attachmentType)
    } else this.skip(kind, unnamedFile)
    return Promise.resolve()
  }

  /** Counts skipped records by reason and kind. Remembers the first rows of each reason. */
  skip(kind: string, reason: SkipReason, count = 1, row?: number | string): void {
    this.#countRecord(kind, count)
    this.#skipped.add(reason, count)
    let kinds = this.#skippedKinds.get(reason)
    if (!kinds) this.#skippedKinds.set(reason, (kinds = new NameCounts(maxKinds)))
    kinds.add(kind, count)
    if (row === undefined) return
    const rows = this.#skippedRows.get(reason)
    if (!rows) {
      if (this.#skippedRows.size < maxNames) this.#skippedRows.set(reason, [row])
    } else if (rows.length < maxRows && rows.at(-1) !== row) rows.push(row)
  }

  /** Remembers a warning once, up to a number. */
  warn(message: MessageText, values?: MessageValues): void {
    const notice = createNotice(message, values)
    if (this.#warnings.size < maxWarnings) this.#warnings.set(formatNotice(notice), notice)
  }

  /** Keeps a table to be shown in the summary, up to a number and a size; tables of equal headers once. */
  table(view: TableView): void {
    if (this.#tables.length >= maxTables || this.#tables.some(({ header }) => header === view.header)) return
    const { columns, sample } = view
    const size = [...columns, ...sample.flat()].reduce((sum, { length }) => sum + length + cellOverhead, 0)
    if (this.#tablesLength + size > maxTablesLength) return
    this.#tablesLength += size
    this.#tables.push(view)
  }

  /** Returns the review of the file. Its format is the one with the most records; `none` without any. */
  getReview(
    forms: Readonly<Record<string, LaneForm>>,
    paths: LanePaths,
    names: (format: string) => string
  ): Review {
    const [format = 'none'] = [...this.#formats].toSorted((a, b) => b[1] - a[1]).map(([id]) => id)
    const isEmpty = this.#from === Infinity
    return {
      format,
      formatName: names(format),
      records: this.#records.counts,
      leftOut: this.#skipped.counts,
      ...(this.#skippedKinds.size > 0 && {
        leftOutKinds: Object.fromEntries(
          [...this.#skippedKinds].map(([reason, { counts }]) => [reason, counts])
        )
      }),
      ...(this.#skippedRows.size > 0 && { leftOutRows: Object.fromEntries(this.#skippedRows) }),
      sources: this.#sources.counts,
      types: this.#types.counts,
      lanes: this.lanes.list(forms, paths).slice(0, maxNames),
      from: isEmpty ? null : this.#from,
      to: isEmpty ? null : this.#to,
      warnings: [...this.#warnings.keys()],
      notices: [...this.#warnings.values()],
      tables: this.#tables
    }
  }

  /** Returns the result, to be remembered in case the same bytes are imported again; `undefined` if it is too large. */
  counted(getReview: Review): CountedFile | undefined {
    const lanes = this.lanes.toCountedLanes(maxRememberedLanes)
    return lanes && { look: getReview, lanes }
  }

  #countRecord(kind: string, by: number): void {
    this.#records.add(kind, by)
    if (this.#format !== '') this.#formats.set(this.#format, (this.#formats.get(this.#format) ?? 0) + by)
  }
}
