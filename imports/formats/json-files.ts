/** Reads JSON files: objects of lists one by one, and members of objects. */
import type { FileHead, Sink, SourceFile } from '../record.js'
import { readText } from '../text/decode.js'
import { ObjectScanner, parseJson, type OnObject } from '../text/object-scanner.js'
import { parseNumber } from '../text/units.js'

export type Json = Readonly<Record<string, unknown>>

/** Returns true if a file begins like JSON. */
export function isJson({ text }: FileHead): boolean {
  return /^\s*[[{]/.test(text)
}

/** Selects top-level objects: the objects of the outermost list, or one object per line. */
export function isTopLevel(path: readonly string[]): boolean {
  return path.length === 0
}

/**
 * Calls `onObject` with the objects of wanted lists, and with the objects that {@link ObjectScanner} treats
 * as frames; counts invalid ones as skipped. Returns true if the file is complete. Warns if the file is cut
 * off, and counts objects that are too large as skipped.
 */
export async function readObjects(
  source: SourceFile,
  head: FileHead,
  sink: Pick<Sink, 'skip' | 'warn'>,
  isWanted: (path: readonly string[]) => boolean,
  onObject: (object: Json, path: readonly string[], frameCount: number) => void,
  isFrame?: (path: readonly string[]) => boolean
): Promise<boolean> {
  const onText: OnObject = (text, path, frames) => {
    const value = parseJson(text)
    if (isObject(value)) onObject(value, path, frames)
    else sink.skip('object', 'no valid JSON')
  }
  const scanner = new ObjectScanner(isWanted, onText, isFrame)
  for await (const chunk of readText(source, head)) {
    scanner.write(chunk)
  }
  scanner.finish()
  if (scanner.skippedCount > 0) sink.skip('object', 'larger than a record can be', scanner.skippedCount)
  if (scanner.isCutOff) sink.warn('The file is cut off: what is whole was read')
  return !scanner.isCutOff
}

/** Returns whether a value is a JSON object, neither null nor an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Counts as skipped the non-empty members of an object that are not read, by name. Scores of a maker have a
 * reason of their own.
 */
export function skipUnread(
  sink: Pick<Sink, 'skip'>,
  kind: string,
  object: unknown,
  isRead: (member: string) => boolean
): void {
  for (const [member, value] of Object.entries(isObject(object) ? object : {})) {
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    if (isEmpty || isRead(member)) continue
    const isScore = /score|contributors|readiness/i.test(member)
    sink.skip(
      `${kind} ${member}`,
      isScore ? 'a score of its maker, which is no measurement' : 'of a kind without a type here'
    )
  }
}

/** Converts a table to a map for lookups by names from files, which may equal inherited members such as `constructor`. */
export function toLookupMap<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table))
}

/** Returns a nested member; `undefined` if it does not exist. */
export function getMember(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  return found
}

/** Returns a nested text; `undefined` if there is none. */
export function getText(value: unknown, ...path: readonly string[]): string | undefined {
  const found = getMember(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** Returns a nested id, which may be a number. Returns `undefined` if there is none. */
export function getId(value: unknown, ...path: readonly string[]): string | undefined {
  const found = getMember(value, ...path)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
}

/** Returns a nested number, also if it is written as text; `undefined` if there is none. */
export function getNumber(value: unknown, ...path: readonly string[]): number | undefined {
  const found = getMember(value, ...path)
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined
  return typeof found === 'string' ? parseNumber(found) : undefined
}

/** Returns the members with these names that are numbers. Others are omitted. */
export function getNumbers(value: unknown, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap(name => {
      const found = getNumber(value, name)
      return found === undefined ? [] : [[name, found] as const]
    })
  )
}

/** Returns a nested list; an empty one if there is none. */
export function getList(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = getMember(value, ...path)
  return Array.isArray(found) ? found : []
}
