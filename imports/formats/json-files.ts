/** Reads JSON files: objects of lists one by one, and members of objects. */
import type { Head, Sink, Source } from '../record.js'
import { textsOf } from '../text/decode.js'
import { ObjectScanner, parsed, type OnObject } from '../text/json.js'
import { numberOf } from '../text/units.js'

export type Json = Readonly<Record<string, unknown>>

/** Returns true if a file begins like JSON. */
export function isJson({ text }: Head): boolean {
  return /^\s*[[{]/.test(text)
}

/** Selects top-level objects: those of the outermost list, or one per line. */
export function outermost(path: readonly string[]): boolean {
  return path.length === 0
}

/**
 * Calls `onObject` with the objects of wanted lists, and with those that {@link ObjectScanner} treats as frames; counts invalid
 * ones as skipped. Returns true if the file is complete.
 */
export async function eachObject(
  source: Source,
  head: Head,
  sink: Pick<Sink, 'leftOut' | 'warn'>,
  isWanted: (path: readonly string[]) => boolean,
  onObject: (object: Json, path: readonly string[], frameCount: number) => void,
  isFrame?: (path: readonly string[]) => boolean
): Promise<boolean> {
  const onText: OnObject = (text, path, frames) => {
    const value = parsed(text)
    if (isObject(value)) onObject(value, path, frames)
    else sink.leftOut('object', 'no valid JSON')
  }
  const scanner = new ObjectScanner(isWanted, onText, isFrame)
  for await (const chunk of textsOf(source, head)) {
    scanner.write(chunk)
  }
  scanner.end()
  if (scanner.skipped > 0) sink.leftOut('object', 'larger than a record can be', scanner.skipped)
  if (scanner.isCutOff) sink.warn('The file is cut off: what is whole was read')
  return !scanner.isCutOff
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Counts the non-empty members of an object that are not read as skipped, by name. */
export function leaveMembers(
  sink: Pick<Sink, 'leftOut'>,
  kind: string,
  object: unknown,
  isRead: (member: string) => boolean
): void {
  for (const [member, value] of Object.entries(isObject(object) ? object : {})) {
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    if (isEmpty || isRead(member)) continue
    const isScore = /score|contributors|readiness/i.test(member)
    sink.leftOut(
      `${kind} ${member}`,
      isScore ? 'a score of its maker, which is no measurement' : 'of a kind without a type here'
    )
  }
}

/** Converts a table to a map for lookups by names from files, which may equal inherited members such as `constructor`. */
export function byName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table))
}

/** Returns a nested member; `undefined` if it does not exist. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  return found
}

/** Returns a nested text; `undefined` if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** Returns a nested number, also if it is written as text; `undefined` if there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path)
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined
  return typeof found === 'string' ? numberOf(found) : undefined
}

/** Returns the members with these names that are numbers. */
export function numbersAt(value: unknown, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap(name => {
      const found = numberAt(value, name)
      return found === undefined ? [] : [[name, found] as const]
    })
  )
}

/** Returns a nested list; an empty one if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
