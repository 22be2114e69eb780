/** Serialises large values in steps, with the same result as `JSON.stringify` or {@link toCanonicalJson}. */
import { toCanonicalJson, toCanonicalMembers } from './canonical.js'
import { getKnownSize } from './depth.js'
import { isHighSurrogate } from './json-text.js'
import type { Steps } from '../../storage/steps.js'

/** Number of characters of JSON above which a value is large. */
export const largeSize = 256 * 1024
/** Weight that one step writes: characters of texts, plus a few for every value. */
const stepWeight = 64 * 1024
/** Weight of a value besides its characters. */
const valueWeight = 8

/** How values are written. */
export interface JsonForm {
  /** Returns the text of a value as a whole. */
  text(value: unknown): string
  /** Returns the keys of an object, in order. */
  keys(object: object): readonly string[]
  /** Returns some of its members, without the braces. */
  members(object: Readonly<Record<string, unknown>>, keys: readonly string[]): string
}

/** Writes as `JSON.stringify` does. */
export const plainForm = createForm(JSON.stringify)

/** Writes as `JSON.stringify` does, but numbers beyond the range of a double as numbers, so that they are read again as they were. */
export const exactForm = createForm(value => {
  const text = JSON.stringify(value)
  return text.includes('null') ? toExactJson(value) : text
})

/** Writes as {@link toCanonicalJson} does. */
export const canonicalForm: JsonForm = {
  text: toCanonicalJson,
  keys: object => Object.keys(object).toSorted(),
  members: toCanonicalMembers
}

/** Returns a form that writes each value with a function, and an object's keys in their order. */
function createForm(toText: (value: unknown) => string): JsonForm {
  return {
    text: value => toText(value),
    keys: Object.keys,
    members: (object, keys) =>
      keys
        .filter(key => object[key] !== undefined)
        .map(key => `${JSON.stringify(key)}:${toText(object[key])}`)
        .join(',')
  }
}

function toExactJson(value: unknown): string {
  if (value === Infinity || value === -Infinity) return value > 0 ? '1e999' : '-1e999'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(toExactJson).join(',')}]`
  return `{${exactForm.members(value as Readonly<Record<string, unknown>>, Object.keys(value))}}`
}

/** Returns whether a value is so large that {@link writeJson} writes it in steps. */
export function isLong(value: unknown): boolean {
  return computeWeight(value) > stepWeight
}

/** Returns whether the values of an object, of params for instance, are large enough together to be written in steps. */
export function hasLargeValues(object: object): boolean {
  let size = 0
  for (const value of Object.values(object)) size += getKnownSize(value)
  return size > largeSize
}

/** Writes a value in chunks. `keys`: the keys of an object to write; all if absent. */
export function* writeJson(
  value: unknown,
  form: JsonForm,
  put: (chunk: string) => void,
  keys?: readonly string[]
): Steps<void> {
  if (typeof value === 'string' && value.length > stepWeight) yield* writeLongText(value, form, put)
  else if (typeof value !== 'object' || value === null || (!keys && !isLong(value))) put(form.text(value))
  else if (Array.isArray(value)) yield* writeList(value, form, put)
  else yield* writeObject(value as Record<string, unknown>, form, put, keys ?? form.keys(value))
}

/** Lengths of JSON texts, by the containers that they stand for. */
export type JsonLengths = Map<object, number>

/** Values that one step of {@link measureJson} counts. */
const countedPerStep = 2000

/**
 * Returns the number of characters of the JSON text of a value that was parsed from JSON. `known`: lengths
 * counted before. Adds the lengths of its containers to `known`.
 */
export function measureJson(value: unknown, known: JsonLengths): Steps<number> {
  let countedValues = 0
  return lengthOf(value)

  function* lengthOf(container: unknown): Steps<number> {
    if (typeof container !== 'object' || container === null) return JSON.stringify(container).length
    const before = known.get(container)
    if (before !== undefined) return before
    const isList = Array.isArray(container)
    const items: readonly unknown[] = isList ? container : Object.values(container)
    // Brackets, and commas between the items.
    let length = 2 + Math.max(0, items.length - 1)
    if (!isList) for (const key of Object.keys(container)) length += JSON.stringify(key).length + 1
    for (const item of items) {
      const isContainer = typeof item === 'object' && item !== null
      length += isContainer ? yield* lengthOf(item) : JSON.stringify(item).length
      if (++countedValues % countedPerStep === 0) yield
    }
    known.set(container, length)
    return length
  }
}

/** Writes a long text without splitting surrogate pairs. */
function* writeLongText(text: string, form: JsonForm, put: (chunk: string) => void): Steps<void> {
  put('"')
  for (let from = 0; from < text.length;) {
    let to = from + stepWeight
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++
    put(form.text(text.slice(from, to)).slice(1, -1))
    from = to
    yield
  }
  put('"')
}

/** Writes a list in steps: small items in groups, large ones by themselves. */
function* writeList(items: readonly unknown[], form: JsonForm, put: (chunk: string) => void): Steps<void> {
  put('[')
  const putNext = joinWithCommas(put)
  for (let from = 0; from < items.length;) {
    const to = findGroupEnd(from, items.length, index => items[index])
    // The items of a group, without its brackets.
    if (to > from) putNext(form.text(items.slice(from, to)).slice(1, -1))
    else {
      // Only the comma.
      putNext('')
      yield
      yield* writeJson(items[from], form, put)
    }
    from = Math.max(to, from + 1)
    yield
  }
  put(']')
}

/** Writes an object in steps: short members in groups, long ones by themselves. */
function* writeObject(
  object: Readonly<Record<string, unknown>>,
  form: JsonForm,
  put: (chunk: string) => void,
  keys: readonly string[]
): Steps<void> {
  put('{')
  const putNext = joinWithCommas(put)
  for (let from = 0; from < keys.length;) {
    const to = findGroupEnd(from, keys.length, index => object[keys[index]!])
    const written = form.members(object, keys.slice(from, to))
    if (written !== '') putNext(written)
    if (to === from) {
      putNext(`${form.text(keys[from])}:`)
      yield
      yield* writeJson(object[keys[from]!], form, put)
    }
    from = Math.max(to, from + 1)
    yield
  }
  put('}')
}

/** Returns a function that writes a chunk, after a comma unless it is the first. */
function joinWithCommas(put: (chunk: string) => void): (chunk: string) => void {
  let separator = ''
  return chunk => {
    put(separator + chunk)
    separator = ','
  }
}

/** Returns the end of the group of values that one step may write; `from` if the first one is too large by itself. */
function findGroupEnd(from: number, end: number, at: (index: number) => unknown): number {
  let room = stepWeight
  let to = from
  for (; to < end; to++) {
    const size = computeWeight(at(to), room)
    if (size > room) break
    room -= size
  }
  return to
}

/** Returns the weight of a value; counting stops once it exceeds `max`. */
function computeWeight(value: unknown, max = stepWeight): number {
  if (typeof value === 'string') return valueWeight + value.length
  if (typeof value !== 'object' || value === null) return valueWeight
  if (getKnownSize(value) > max) return max + 1
  let size = valueWeight
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size <= max; index++)
      size += computeWeight(value[index], max - size)
    return size
  }
  for (const key of Object.keys(value)) {
    size += key.length + computeWeight((value as Readonly<Record<string, unknown>>)[key], max - size)
    if (size > max) break
  }
  return size
}
