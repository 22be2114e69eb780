/** Runs the first pass over a file: counts its records. */
import { inEnglish, noticeOf, type Message, type Notice, type Values } from '../messages.js'
import type { Datum, Sink, TableView } from '../record.js'
import type { Reason } from '../reasons.js'
import type { Counted, Counts, Form, Look as Review } from '../protocol.js'
import { isPlausible } from '../text/times.js'
import { fileType, NamedFiles, unnamed } from './files.js'
import { Lanes } from './lanes.js'

/** Limit of lanes and names that are reported; others are counted under one name. */
const maxNames = 500
const otherNames = '…'
/** Limit of skipped kinds per reason. */
const maxKinds = 100
const maxWarnings = 50
const maxTables = 20
const cellOverhead = 4
/** Limit of all previewed tables, in characters. */
const maxTablesLength = 300_000
/** Limit of lanes that are remembered for the next reading of the same file. */
const maxRememberedLanes = 500
/** Limit of reported table rows per reason. */
const maxRows = 5
const unreadableTime = 'of a time that cannot be read'
const tooManyLanes = 'beyond the number of sources and tracks that one file may have'

/** Counts by name, up to a number of different names. */
export class Count {
  readonly #counts = new Map<string, number>()

  constructor(private readonly maxDifferent = maxNames) {}

  add(name: string, count = 1): void {
    const previous = this.#counts.get(name)
    if (previous !== undefined) this.#counts.set(name, previous + count)
    else if (this.#counts.size < this.maxDifferent) this.#counts.set(name, count)
    else this.#counts.set(otherNames, (this.#counts.get(otherNames) ?? 0) + count)
  }

  get told(): Counts {
    const counts = Object.create(null) as Counts
    for (const [name, count] of this.#counts) counts[name] = count
    return counts
  }
}

/** Counts records by kind, lane, source and type. */
export class Counter implements Sink {
  readonly lanes = new Lanes()
  readonly #records = new Count()
  readonly #skipped = new Count()
  /** Counts of skipped kinds, by reason. */
  readonly #skippedKinds = new Map<Reason, Count>()
  /** Skipped rows of tables, by reason. */
  readonly #skippedRows = new Map<string, (number | string)[]>()
  readonly #sources = new Count()
  readonly #types = new Count()
  readonly #files = new NamedFiles<undefined>()
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

  datum(record: Datum): void {
    this.#countRecord(record.kind, 1)
    if (!isPlausible(record.time)) {
      this.#skipped.add(unreadableTime)
      return
    }
    const lane = this.lanes.of(this.#format, record)
    if (!lane) {
      this.#skipped.add(tooManyLanes)
      return
    }
    const { time } = record
    lane.count++
    lane.contents.add(record.content)
    if (time < lane.from) lane.from = time
    if (time > lane.to) lane.to = time
    if (time < this.#from) this.#from = time
    if (time > this.#to) this.#to = time
    this.#sources.add(record.source)
    this.#types.add(record.type)
    this.#files.add(record, undefined)
  }

  file(kind: string, key: string): Promise<void> {
    if (this.#files.take(key)) {
      this.#countRecord(kind, 1)
      this.#types.add(fileType)
    } else this.leftOut(kind, unnamed)
    return Promise.resolve()
  }

  leftOut(kind: string, reason: Reason, count = 1, row?: number | string): void {
    this.#countRecord(kind, count)
    this.#skipped.add(reason, count)
    let kinds = this.#skippedKinds.get(reason)
    if (!kinds) this.#skippedKinds.set(reason, (kinds = new Count(maxKinds)))
    kinds.add(kind, count)
    if (row === undefined) return
    const rows = this.#skippedRows.get(reason)
    if (!rows) {
      if (this.#skippedRows.size < maxNames) this.#skippedRows.set(reason, [row])
    } else if (rows.length < maxRows && rows.at(-1) !== row) rows.push(row)
  }

  warn(message: Message, values?: Values): void {
    const notice = noticeOf(message, values)
    if (this.#warnings.size < maxWarnings) this.#warnings.set(inEnglish(notice), notice)
  }

  table(view: TableView): void {
    if (this.#tables.length >= maxTables || this.#tables.some(({ header }) => header === view.header)) return
    const { columns, sample } = view
    const size = [...columns, ...sample.flat()].reduce((sum, { length }) => sum + length + cellOverhead, 0)
    if (this.#tablesLength + size > maxTablesLength) return
    this.#tablesLength += size
    this.#tables.push(view)
  }

  /** Returns the review of the file. */
  look(forms: Readonly<Record<string, Form>>, names: (format: string) => string): Review {
    const [format = 'none'] = [...this.#formats].toSorted((a, b) => b[1] - a[1]).map(([id]) => id)
    const isEmpty = this.#from === Infinity
    return {
      format,
      formatName: names(format),
      records: this.#records.told,
      leftOut: this.#skipped.told,
      ...(this.#skippedKinds.size > 0 && {
        leftOutKinds: Object.fromEntries(
          [...this.#skippedKinds].map(([reason, { told: counts }]) => [reason, counts])
        )
      }),
      ...(this.#skippedRows.size > 0 && { leftOutRows: Object.fromEntries(this.#skippedRows) }),
      sources: this.#sources.told,
      types: this.#types.told,
      lanes: this.lanes.list(forms).slice(0, maxNames),
      from: isEmpty ? null : this.#from,
      to: isEmpty ? null : this.#to,
      warnings: [...this.#warnings.keys()],
      notices: [...this.#warnings.values()],
      tables: this.#tables
    }
  }

  /** Returns the result to remember for the same bytes; `undefined` if it is too large. */
  counted(getReview: Review): Counted | undefined {
    const lanes = this.lanes.counted(maxRememberedLanes)
    return lanes && { look: getReview, lanes }
  }

  #countRecord(kind: string, by: number): void {
    this.#records.add(kind, by)
    if (this.#format !== '') this.#formats.set(this.#format, (this.#formats.get(this.#format) ?? 0) + by)
  }
}
