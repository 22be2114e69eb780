/** Limits the size of records: names, texts and depths are chosen by the author of the file. */
import type { SkipReason } from '../skip-reasons.js'
import type { ImportedRecord, Sink, SourceFile } from '../record.js'

/** Maximum length of names of kinds, sources and streams, in characters. */
const maxNameLength = 200
/** Maximum length of a record, in characters. */
export const maxRecordLength = 200_000
/** Maximum depth of nested values in a record. */
const maxDepth = 50
/** Maximum number of a record's numeric members, as each may become a column. */
export const maxNumericMembers = 100
/** Maximum depth of nested streams. */
const maxPathDepth = 100
/** Size of each value besides its characters. */
const valueOverhead = 8

const tooLarge = 'larger than a record can be'
const infiniteNumber = 'of a number that is too large'

/** Passes records within the limits to another sink, and counts the others as skipped. */
export class LimitingSink implements Sink {
  constructor(private readonly sink: Sink) {}

  /** Passes a record on, or skips it with the limit it exceeds. */
  addRecord(datum: ImportedRecord): void {
    if (!isWithinLimits(datum)) {
      this.skip(datum.kind, tooLarge)
      return
    }
    if (!hasFiniteNumbers(datum.content)) {
      this.skip(datum.kind, infiniteNumber)
      return
    }
    // JSON has no such number: it would become `null`, an event that is still ongoing.
    if (datum.duration !== undefined && datum.duration !== null && !Number.isFinite(datum.duration)) {
      this.skip(datum.kind, 'of an end that cannot be read')
      return
    }
    const { otherPaths, files, kind, path, source, stream } = datum
    const hasShortNames =
      areNamesShort([kind, source, stream]) &&
      areNamesShort(path) &&
      !otherPaths?.some(each => !areNamesShort(each)) &&
      !files?.some(({ fileName, type }) => !areNamesShort([fileName, type]))
    if (hasShortNames) this.sink.addRecord(datum)
    else
      this.sink.addRecord({
        ...datum,
        kind: truncateName(kind),
        source: truncateName(source),
        stream: truncateName(stream),
        path: path?.map(truncateName),
        otherPaths: otherPaths?.map(names => names.map(truncateName)),
        files: files?.map(({ fileName, key, type }) => ({
          key,
          fileName: truncateName(fileName),
          type: truncateName(type)
        }))
      })
  }

  async addFile(kind: string, key: string, source: SourceFile): Promise<void> {
    await this.sink.addFile(truncateName(kind), key, source)
  }

  skip(kind: string, reason: SkipReason, count?: number, row?: number | string): void {
    this.sink.skip(truncateName(kind), reason, count, row)
  }

  warn(...args: Parameters<Sink['warn']>): void {
    this.sink.warn(...args)
  }
}

function truncateName(text: string): string {
  return text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength)}…`
}

function areNamesShort(names: readonly string[] = []): boolean {
  return names.every(({ length }) => length <= maxNameLength)
}

/** Returns whether a record is within the limits of its texts, its content and the depth of its paths. */
function isWithinLimits({
  otherPaths,
  clientData,
  content,
  description,
  files,
  identity,
  path,
  track
}: ImportedRecord): boolean {
  const texts = (description?.length ?? 0) + (identity?.length ?? 0) + (track?.length ?? 0)
  if (texts > maxRecordLength) return false
  if (path && path.length > maxPathDepth) return false
  const isFlat =
    clientData === undefined && path === undefined && otherPaths === undefined && files === undefined
  if (isFlat && (typeof content !== 'object' || content === null))
    return typeof content !== 'string' || texts + content.length <= maxRecordLength
  if (
    countNumericMembers(content) > maxNumericMembers ||
    otherPaths?.some(({ length }) => length > maxPathDepth)
  )
    return false
  return subtractSize([content, clientData, path, otherPaths, files], maxRecordLength - texts, 0) >= 0
}

/** Returns the number of numeric members. */
function countNumericMembers(content: unknown): number {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 0
  let count = 0
  for (const name in content) if (typeof (content as Record<string, unknown>)[name] === 'number') count++
  return count
}

/** Returns true if all numbers are finite. Multiplication by a factor may have made them infinite. */
function hasFiniteNumbers(content: unknown): boolean {
  if (typeof content === 'number') return Number.isFinite(content)
  if (typeof content !== 'object' || content === null) return true
  for (const name in content) {
    const value = (content as Record<string, unknown>)[name]
    if (typeof value === 'number' && !Number.isFinite(value)) return false
  }
  return true
}

/** Returns the remaining budget after a value; negative if the value is too large or nested too deeply. */
function subtractSize(value: unknown, budget: number, depth: number): number {
  if (typeof value === 'string') return budget - value.length
  if (typeof value !== 'object' || value === null) return budget - valueOverhead
  if (depth > maxDepth) return -1
  let remaining = budget - valueOverhead
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && remaining >= 0; index++)
      remaining = subtractSize(value[index], remaining, depth + 1)
    return remaining
  }
  for (const name in value) {
    remaining = subtractSize((value as Record<string, unknown>)[name], remaining - name.length, depth + 1)
    if (remaining < 0) return remaining
  }
  return remaining
}
