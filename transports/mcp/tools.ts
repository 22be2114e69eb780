/** The methods that assistants may call, as tools of the Model Context Protocol. */
import type { AnyMethod, UserMethod } from '../../core/call/method.js'

/** A JSON Schema as plain JSON. */
type JsonSchema = Readonly<Record<string, unknown>>

/** A tool, and the method that it stands for. */
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

/** What is about data, not about passwords, tokens or the account. */
const offered = /^(?:events|streams|hfs|audit)\.|^getAccessInfo$/
/** Methods that take or answer files or points by the thousand, which do not go through an assistant. */
const left = new Set([
  'events.addAttachment',
  'events.export',
  'events.getAttachment',
  'hfs.add',
  'hfs.addBatch'
])

/** What the names of params do not say. */
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
  field: 'Path of the number in content that is an object',
  sample: 'Aggregates the series into this many intervals',
  fromDeltaTime: 'Seconds since the time of the series event',
  toDeltaTime: 'Seconds since the time of the series event'
}

/** Returns the tools, those that only read first. */
export function toolsOf(definitions: readonly AnyMethod[]): readonly Tool[] {
  return definitions
    .filter((method): method is UserMethod => method.mode === 'read' || method.mode === 'write')
    .filter(({ id, allow }) => offered.test(id) && !left.has(id) && allow.needsAccess)
    .map(toolOf)
    .toSorted((a, b) => Number(b.annotations.readOnlyHint) - Number(a.annotations.readOnlyHint))
}

function toolOf({ id, mode, params, summary }: UserMethod): Tool {
  const { properties = {}, ...schema } = JSON.parse(JSON.stringify(params)) as {
    properties?: Record<string, JsonSchema>
  }
  const described = Object.entries(properties)
    .filter(([name]) => name !== 'auth')
    .map(([name, property]) => [name, withHint(name, withoutNull(property))] as const)
  return {
    name: id.replaceAll('.', '_'),
    title: summary,
    description: `${summary}.`,
    inputSchema: { ...schema, type: 'object', properties: Object.fromEntries(described) },
    annotations: {
      readOnlyHint: mode === 'read',
      destructiveHint: mode === 'write' && !/\.(?:create|start)$/.test(id),
      openWorldHint: false
    },
    method: id
  }
}

function withHint(name: string, property: JsonSchema): JsonSchema {
  const hint = hints[name]
  return hint === undefined || 'description' in property ? property : { ...property, description: hint }
}

/** `null` stands for a param that is left out; assistants leave it out. */
function withoutNull(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property as { anyOf?: readonly JsonSchema[] }
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? []
  return only && others.length === 0 ? { ...rest, ...only } : property
}
