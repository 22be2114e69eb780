/** The methods that assistants may call, as tools of the Model Context Protocol. */
import type { AnyMethod, UserMethod } from '../../core/call/method.js'

/** A JSON Schema as plain JSON. */
type JsonSchema = Readonly<Record<string, unknown>>

/** A tool, and the method that it calls. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly openWorldHint: false
  }
  readonly method: string
}

/** Methods about data, not about passwords, tokens or the account. */
const offeredMethods = /^(?:events|streams|hfs|measures|audit)\.|^(?:getAccessInfo|accesses\.getOne)$/
/** Methods with files or thousands of data points, which are of no use to an assistant. */
const excludedMethods = new Set([
  'events.addAttachment',
  'events.export',
  'events.getAttachment',
  'hfs.add',
  'hfs.addBatch'
])

/** Descriptions of params whose names do not say enough. */
const hints: Readonly<Record<string, string>> = {
  streams:
    'Stream IDs, including their substreams. An object {any, all, not} of such lists narrows the selection. Default: all',
  types: 'Event types such as "mass/kg". "mass/*" selects all types of a class. Default: all',
  fromTime: 'Seconds since the Unix epoch',
  toTime: 'Seconds since the Unix epoch',
  time: 'Seconds since the Unix epoch. Default: now',
  duration: 'Seconds',
  limit: 'Maximum number of items',
  state: 'Whether items in the trash are included',
  modifiedSince: 'Only items changed since this time, in seconds since the Unix epoch',
  content: 'When reading: conditions on the content. When writing: the content, as defined by the event type',
  text: 'Words to search for in notes, descriptions and file names',
  type: 'Event type, such as "mass/kg" or "note/txt"',
  streamIds: 'IDs of the streams of the event',
  update: 'The fields to change. Other fields are not affected',
  parts: 'Number of equal intervals to divide the range into',
  measure: 'ID of a measure, such as "weight" or "steps"',
  measures: 'IDs of measures. Default: all',
  other: 'ID of the measure to compare with',
  maxLag:
    'Largest shift in days, from 0 to 3: by how many days the other measure is later or earlier. Default: 3',
  from: 'First local date, such as 2026-03-29',
  to: 'Last local date. For a week, the default is yesterday',
  zone: 'IANA time zone, such as "Europe/Zurich". Default: UTC',
  unit: 'Event type in which numbers are given, such as "mass/lb". Default: the first type of the measure',
  eventId: 'ID of one event. Otherwise give streamId and type, for all events of a type in a stream',
  before: 'Number of days before each event. Default: 14',
  after: 'Number of days after each event. Default: 14',
  field: 'Path of the number in content that is an object',
  sample: 'Aggregates the series into this many intervals',
  fromDeltaTime: 'Seconds since the time of the series event',
  toDeltaTime: 'Seconds since the time of the series event'
}

/**
 * Returns the tools, starting with those that only read. Only methods that assistants may call become tools.
 */
export function createTools(definitions: readonly AnyMethod[]): readonly Tool[] {
  return definitions
    .filter((method): method is UserMethod => method.mode === 'read' || method.mode === 'write')
    .filter(({ id, allow }) => offeredMethods.test(id) && !excludedMethods.has(id) && allow.needsAccess)
    .map(createTool)
    .toSorted((a, b) => Number(b.annotations.readOnlyHint) - Number(a.annotations.readOnlyHint))
}

/**
 * Describes a method as a tool. Only methods that create or start something count as not destructive among the
 * writes.
 */
function createTool({ id, mode, params, summary }: UserMethod): Tool {
  const { properties = {}, ...schema } = JSON.parse(JSON.stringify(params)) as {
    properties?: Record<string, JsonSchema>
  }
  const describedProperties = Object.entries(properties)
    .filter(([name]) => name !== 'auth')
    .map(([name, property]) => [name, addHint(name, removeNull(property))] as const)
  return {
    name: id.replaceAll('.', '_'),
    title: summary,
    description: `${summary}.`,
    inputSchema: { ...schema, type: 'object', properties: Object.fromEntries(describedProperties) },
    annotations: {
      readOnlyHint: mode === 'read',
      destructiveHint: mode === 'write' && !/\.(?:create|start)$/.test(id),
      openWorldHint: false
    },
    method: id
  }
}

function addHint(name: string, property: JsonSchema): JsonSchema {
  const hint = hints[name]
  return hint === undefined || 'description' in property ? property : { ...property, description: hint }
}

/** Removes `null` from a schema: `null` means that a param is omitted, and assistants can omit it. */
function removeNull(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property as { anyOf?: readonly JsonSchema[] }
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? []
  return only && others.length === 0 ? { ...rest, ...only } : property
}
