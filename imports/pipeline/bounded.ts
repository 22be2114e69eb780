/** Keeps what readers find within what a record may be: whoever made the file has chosen names, texts and depths. */
import type { Reason } from '../reasons.js'
import type { Datum, Sink, Source } from '../record.js'

/** Characters of names of kinds, sources and streams. */
const longestName = 200
/** Characters that one record may have in all. */
export const longestRecord = 200_000
/** Deepest nesting within a record. */
const deepest = 50
/** Numbers by name that a record may have: each may become a column. */
export const mostNumbers = 100
/** Streams above one another. */
const deepestPath = 100
/** What each value of a record counts besides its characters. */
const ofValue = 8

const tooLarge = 'larger than a record can be'
const endless = 'of a number that is too large'

/** A sink that gives on to another what is of a reasonable size, and counts the rest as left out. */
export class Bounded implements Sink {
  constructor(private readonly sink: Sink) {}

  datum(datum: Datum): void {
    if (!isBounded(datum)) {
      this.leftOut(datum.kind, tooLarge)
      return
    }
    if (!hasFinite(datum.content)) {
      this.leftOut(datum.kind, endless)
      return
    }
    // JSON has no such number: it would be an event that is still going on.
    if (datum.duration !== undefined && datum.duration !== null && !Number.isFinite(datum.duration)) {
      this.leftOut(datum.kind, 'of an end that cannot be read')
      return
    }
    const { also, files, kind, path, source, stream } = datum
    const isShort =
      areShort([kind, source, stream]) &&
      areShort(path) &&
      !also?.some(each => !areShort(each)) &&
      !files?.some(({ fileName, type }) => !areShort([fileName, type]))
    if (isShort) this.sink.datum(datum)
    else
      this.sink.datum({
        ...datum,
        kind: nameOf(kind),
        source: nameOf(source),
        stream: nameOf(stream),
        path: path?.map(nameOf),
        also: also?.map(names => names.map(nameOf)),
        files: files?.map(({ fileName, key, type }) => ({
          key,
          fileName: nameOf(fileName),
          type: nameOf(type)
        }))
      })
  }

  async file(kind: string, key: string, source: Source): Promise<void> {
    await this.sink.file(nameOf(kind), key, source)
  }

  leftOut(kind: string, reason: Reason, count?: number, row?: number | string): void {
    this.sink.leftOut(nameOf(kind), reason, count, row)
  }

  warn(...given: Parameters<Sink['warn']>): void {
    this.sink.warn(...given)
  }

  drained(): Promise<void> | undefined {
    return this.sink.drained()
  }
}

function nameOf(text: string): string {
  return text.length <= longestName ? text : `${text.slice(0, longestName)}…`
}

function areShort(names: readonly string[] = []): boolean {
  return names.every(({ length }) => length <= longestName)
}

function isBounded({ also, clientData, content, description, files, identity, path, track }: Datum): boolean {
  const texts = (description?.length ?? 0) + (identity?.length ?? 0) + (track?.length ?? 0)
  if (texts > longestRecord) return false
  if (path && path.length > deepestPath) return false
  const isFlat = clientData === undefined && path === undefined && also === undefined && files === undefined
  if (isFlat && (typeof content !== 'object' || content === null))
    return typeof content !== 'string' || texts + content.length <= longestRecord
  if (numbersIn(content) > mostNumbers || also?.some(({ length }) => length > deepestPath)) return false
  return measured([content, clientData, path, also, files], longestRecord - texts, 0) >= 0
}

/** How many numbers by name there are. */
function numbersIn(content: unknown): number {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 0
  let count = 0
  for (const name in content) if (typeof (content as Record<string, unknown>)[name] === 'number') count++
  return count
}

/** Whether a number, or each of those by name, can be written down: factors may take them beyond. */
function hasFinite(content: unknown): boolean {
  if (typeof content === 'number') return Number.isFinite(content)
  if (typeof content !== 'object' || content === null) return true
  for (const name in content) {
    const value = (content as Record<string, unknown>)[name]
    if (typeof value === 'number' && !Number.isFinite(value)) return false
  }
  return true
}

/** What is left of the room once a value is in it; negative if it does not fit, or is nested too deeply. */
function measured(value: unknown, room: number, depth: number): number {
  if (typeof value === 'string') return room - value.length
  if (typeof value !== 'object' || value === null) return room - ofValue
  if (depth > deepest) return -1
  let left = room - ofValue
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = measured(value[at], left, depth + 1)
    return left
  }
  for (const name in value) {
    left = measured((value as Record<string, unknown>)[name], left - name.length, depth + 1)
    if (left < 0) return left
  }
  return left
}
