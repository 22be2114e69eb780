/** The first pass: counts what a file holds. */
import { inEnglish, noticeOf, type Message, type Notice, type Values } from '../messages.js'
import type { Datum, Sink, TableView } from '../record.js'
import type { Reason } from '../reasons.js'
import type { Counted, Counts, Form, Look } from '../protocol.js'
import { isPlausible } from '../text/times.js'
import { fileType, NamedFiles, unnamed } from './files.js'
import { Lanes } from './lanes.js'

/** Lanes and names that are told of; the rest is counted under one name. */
const mostNames = 500
const others = '…'
/** Of those that are left out, for each reason. */
const mostKinds = 100
const mostWarnings = 50
const mostTables = 20
const ofCell = 4
/** Characters of all tables that are shown. */
const longestTables = 300_000
/** Lanes that are remembered for the next reading of the same file. */
const mostRemembered = 500
/** Rows of tables that are told for each reason. */
const mostRows = 5
const implausible = 'of a time that cannot be read'
const beyond = 'beyond the number of sources and tracks that one file may have'

/** Counts by name, of which so many are told apart at most. */
export class Count {
  readonly #counts = new Map<string, number>()

  constructor(private readonly most = mostNames) {}

  add(name: string, by = 1): void {
    const known = this.#counts.get(name)
    if (known !== undefined) this.#counts.set(name, known + by)
    else if (this.#counts.size < this.most) this.#counts.set(name, by)
    else this.#counts.set(others, (this.#counts.get(others) ?? 0) + by)
  }

  get told(): Counts {
    const counts = Object.create(null) as Counts
    for (const [name, count] of this.#counts) counts[name] = count
    return counts
  }
}

export class Counter implements Sink {
  readonly lanes = new Lanes()
  readonly #records = new Count()
  readonly #leftOut = new Count()
  /** What is left out, by reason. */
  readonly #kinds = new Map<Reason, Count>()
  /** Of tables, by reason. */
  readonly #rows = new Map<string, (number | string)[]>()
  readonly #sources = new Count()
  readonly #types = new Count()
  readonly #files = new NamedFiles<undefined>()
  readonly #formats = new Map<string, number>()
  /** In English. */
  readonly #warnings = new Map<string, Notice>()
  readonly #tables: TableView[] = []
  #tablesSize = 0
  #from = Infinity
  #to = -Infinity

  #format = ''

  /** The format of the file that is read next. */
  begin(format: string): void {
    this.#format = format
    // Named even if nothing is counted.
    if (!this.#formats.has(format)) this.#formats.set(format, 0)
  }

  datum(datum: Datum): void {
    this.#counted(datum.kind, 1)
    if (!isPlausible(datum.time)) {
      this.#leftOut.add(implausible)
      return
    }
    const lane = this.lanes.of(this.#format, datum)
    if (!lane) {
      this.#leftOut.add(beyond)
      return
    }
    const { time } = datum
    lane.count++
    lane.contents.add(datum.content)
    if (time < lane.from) lane.from = time
    if (time > lane.to) lane.to = time
    if (time < this.#from) this.#from = time
    if (time > this.#to) this.#to = time
    this.#sources.add(datum.source)
    this.#types.add(datum.type)
    this.#files.add(datum, undefined)
  }

  file(kind: string, key: string): Promise<void> {
    if (this.#files.take(key)) {
      this.#counted(kind, 1)
      this.#types.add(fileType)
    } else this.leftOut(kind, unnamed)
    return Promise.resolve()
  }

  leftOut(kind: string, reason: Reason, by = 1, row?: number | string): void {
    this.#counted(kind, by)
    this.#leftOut.add(reason, by)
    let kinds = this.#kinds.get(reason)
    if (!kinds) this.#kinds.set(reason, (kinds = new Count(mostKinds)))
    kinds.add(kind, by)
    if (row === undefined) return
    const rows = this.#rows.get(reason)
    if (!rows) {
      if (this.#rows.size < mostNames) this.#rows.set(reason, [row])
    } else if (rows.length < mostRows && rows.at(-1) !== row) rows.push(row)
  }

  warn(message: Message, values?: Values): void {
    const notice = noticeOf(message, values)
    if (this.#warnings.size < mostWarnings) this.#warnings.set(inEnglish(notice), notice)
  }

  table(view: TableView): void {
    if (this.#tables.length >= mostTables || this.#tables.some(({ header }) => header === view.header)) return
    const { columns, sample } = view
    const size = [...columns, ...sample.flat()].reduce((sum, { length }) => sum + length + ofCell, 0)
    if (this.#tablesSize + size > longestTables) return
    this.#tablesSize += size
    this.#tables.push(view)
  }

  drained(): undefined {
    return undefined
  }

  look(forms: Readonly<Record<string, Form>>, names: (format: string) => string): Look {
    const [format = 'none'] = [...this.#formats].toSorted((a, b) => b[1] - a[1]).map(([id]) => id)
    const isEmpty = this.#from === Infinity
    return {
      format,
      formatName: names(format),
      records: this.#records.told,
      leftOut: this.#leftOut.told,
      ...(this.#kinds.size > 0 && {
        leftOutKinds: Object.fromEntries([...this.#kinds].map(([reason, { told }]) => [reason, told]))
      }),
      ...(this.#rows.size > 0 && { leftOutRows: Object.fromEntries(this.#rows) }),
      sources: this.#sources.told,
      types: this.#types.told,
      lanes: this.lanes.list(forms).slice(0, mostNames),
      from: isEmpty ? null : this.#from,
      to: isEmpty ? null : this.#to,
      warnings: [...this.#warnings.keys()],
      notices: [...this.#warnings.values()],
      tables: this.#tables
    }
  }

  /** What may be recalled for the same bytes; `undefined` if that is too much to remember. */
  counted(look: Look): Counted | undefined {
    const lanes = this.lanes.counted(mostRemembered)
    return lanes && { look, lanes }
  }

  #counted(kind: string, by: number): void {
    this.#records.add(kind, by)
    if (this.#format !== '') this.#formats.set(this.#format, (this.#formats.get(this.#format) ?? 0) + by)
  }
}
