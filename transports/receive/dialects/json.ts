/** Receives any JSON, form or query, as the mapping of the connection says. (docs/api/connections.md#any-json) */
import { fail } from '../../../core/errors.js'
import { parseUnambiguousTime } from '../../../imports/text/cell-times.js'
import { findMeasure, parseNumber, scaleValue } from '../../../imports/text/units.js'
import { numericalTypes } from '../../../schemas/event-types/directory.js'
import type { ReceivedMapping, ReceivedMappings } from '../../../schemas/received-mapping.js'
import { convertUnit } from '../../../schemas/units.js'
import type { ConnectionSettings, Dialect, Reading, ReceivedRecord } from '../dialect.js'
import { parseJsonBody, ReadingBuilder, toPosition } from '../reading-builder.js'

/** Types whose content is one number. */
const numberTypes: ReadonlySet<string> = new Set([...numericalTypes, 'ratio/percent'])

const positionType = 'position/wgs84'

/** Maximum levels of nesting of a body: what is kept must be written as JSON again. */
const maxDepth = 50

export const json: Dialect = {
  id: 'json',
  name: 'JSON',
  hasTokenInUrl: true,
  read({ body, connection, now, query }) {
    const content = parseBody(body, query)
    return connection.mapping === undefined
      ? { records: [], received: 1, notUnderstood: new Map(), unmapped: [content] }
      : readMapped(content, connection, now)
  },
  readWaiting: ({ body, time }, connection, maxItems) => readMapped(body, connection, time, maxItems),
  answer: (_request, { received }: Reading) => ({ status: 200, body: { status: 'ok', received } })
}

/**
 * Reads a body as the mapping says, whose schema was checked when it was stored. `now`: when the body arrived, in seconds. `maxItems`:
 * how many items of each list are read.
 */
function readMapped(
  body: unknown,
  connection: ConnectionSettings,
  now: number,
  maxItems = Infinity
): Reading {
  const mappings = connection.mapping as ReceivedMappings
  const reading = new ReadingBuilder()
  const lists = new Map<string, readonly unknown[]>()
  /** Contents of the same stream, source, type and time. */
  const contents = new Map<string, Set<string>>()
  for (const mapping of Array.isArray(mappings) ? mappings : [mappings]) {
    const pointer = mapping.items ?? ''
    let items = lists.get(pointer)
    if (!items) {
      items = listItems(resolve(body, pointer)).slice(0, maxItems)
      lists.set(pointer, items)
      reading.received += items.length
    }
    for (const item of items) {
      const record = toRecord(item, mapping, connection, now)
      if (record) addItem(reading, contents, record)
      else reading.skip(mapping.value === '' ? 'value' : getLastName(mapping.value))
    }
  }
  return reading
}

/** Adds the record of an item. Others of the same time are identified by their content, so that they are stored beside it. */
function addItem(reading: ReadingBuilder, contents: Map<string, Set<string>>, record: ReceivedRecord): void {
  const { content, source, stream, time, type } = record
  const key = JSON.stringify([stream, source, type, time])
  const text = JSON.stringify(content)
  const known = contents.get(key)
  if (!known) contents.set(key, new Set([text]))
  else if (known.has(text)) return
  else known.add(text)
  reading.add(known ? { ...record, identity: undefined } : record)
}

/** Returns the body as a value: of JSON, a form, or else the query. */
function parseBody(body: Buffer, query: Readonly<Record<string, string>>): unknown {
  const text = body
    .toString()
    .replace(/^\uFEFF/, '')
    .trim()
  if (text === '')
    return Object.keys(query).length > 0 ? query : fail('invalid-request-structure', 'The body is empty')
  // Types of contents are often wrong.
  const isJson = /^(?:[[{"\d-]|true|false|null)/.test(text) && !/^[\w.-]+=/.test(text)
  if (isJson) {
    const parsed = parseJsonBody(body)
    if (isDeeper(parsed, maxDepth))
      fail('invalid-request-structure', `The body is nested deeper than ${maxDepth} levels`)
    return parsed
  }
  if (!/^[^=&\s]+=/.test(text)) fail('invalid-request-structure', 'The body is neither JSON nor a form')
  return Object.fromEntries(new URLSearchParams(text))
}

/** Returns true if a value has more levels of nesting than `limit`. */
function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return limit === 0 || Object.values(value).some(each => isDeeper(each, limit - 1))
}

function listItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Returns the value at a JSON pointer; `undefined` if there is none. */
function resolve(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

function getLastName(pointer: string): string {
  return pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
}

/** Returns the record of an item; `undefined` if its value or its time is missing or invalid. */
function toRecord(
  item: unknown,
  mapping: ReceivedMapping,
  connection: ConnectionSettings,
  now: number
): ReceivedRecord | undefined {
  const text = (pointer: string | undefined): string | undefined => {
    const found = pointer === undefined ? undefined : resolve(item, pointer)
    return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
  }
  const time = mapping.time === undefined ? now : readTime(text(mapping.time), mapping.zone)
  const found = resolve(item, mapping.value)
  const value =
    mapping.fields === undefined
      ? toContent(found, mapping.type, toUnit(mapping.unit, text))
      : toObject(found, mapping.type, mapping.fields)
  if (time === undefined || value === undefined) return undefined
  const end = mapping.end === undefined ? undefined : readTime(text(mapping.end), mapping.zone)
  const duration = end === undefined ? parseNumber(text(mapping.duration)) : end - time
  return {
    kind: getLastName(mapping.value) || 'value',
    source: text(mapping.source) || connection.name,
    type: mapping.type,
    ...(mapping.measure !== undefined && { measure: mapping.measure }),
    stream: mapping.stream ?? (getLastName(mapping.value) || 'Values'),
    time,
    ...(duration !== undefined && duration > 0 && { duration }),
    ...value,
    ...(mapping.time === undefined
      ? { isEvent: true, isUndated: true }
      : { identity: '', isFrequent: mapping.type === positionType || undefined }),
    ...(mapping.zone !== undefined && { zone: mapping.zone }),
    description: text(mapping.description)
  }
}

/** Returns the unit that a mapping names, or that the item names. */
function toUnit(
  unit: string | undefined,
  text: (pointer: string | undefined) => string | undefined
): string | undefined {
  return unit?.startsWith('/') ? text(unit) : unit
}

function readTime(text: string | undefined, zone: string | undefined): number | undefined {
  const time = text === undefined ? NaN : parseUnambiguousTime(text, zone)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the content of an event whose members are numbers of several fields; `undefined` if one is missing, or no number. */
function toObject(
  value: unknown,
  type: string,
  fields: Readonly<Record<string, string>>
): Pick<ReceivedRecord, 'content'> | undefined {
  if (numberTypes.has(type)) return undefined
  const content: Record<string, number> = {}
  for (const [name, pointer] of Object.entries(fields)) {
    const number = toNumber(resolve(value, pointer))
    if (number === undefined) return undefined
    content[name] = number
  }
  if (type !== positionType) return { content }
  const position = toPosition({ ...content, latitude: content['latitude'], longitude: content['longitude'] })
  return position && { content: position }
}

function toNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' ? parseNumber(value) : undefined
  return number === undefined || !Number.isFinite(number) ? undefined : number
}

/** Returns the content of an event, converted to the unit of its type. */
function toContent(
  value: unknown,
  type: string,
  unit: string | undefined
): Pick<ReceivedRecord, 'content' | 'clientData'> | undefined {
  if (value === undefined || value === null) return undefined
  if (!numberTypes.has(type)) return { content: value }
  const number = toNumber(value)
  if (number === undefined) return undefined
  if (unit === undefined) return { content: number }
  const measure = findMeasure(unit)
  if (!measure) return undefined
  const content = convertUnit(scaleValue(number, measure.factor), measure.type, type, true)
  if (content === undefined) return undefined
  return content === number
    ? { content }
    : { content, clientData: { 'json:original': { value: number, unit } } }
}
