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
    'Stream ids; streams below them count, too. An object {any, all, not} of such lists narrows further. Default: all',
  types: 'Event types such as "mass/kg"; "mass/*" stands for all of a class. Default: all',
  fromTime: 'Seconds since the Unix epoch',
  toTime: 'Seconds since the Unix epoch',
  time: 'Seconds since the Unix epoch; now if left out',
  duration: 'Seconds',
  limit: 'Items at most',
  state: 'Whether items in the trash are included',
  modifiedSince: 'Only what has changed since, in seconds since the Unix epoch',
  content: 'For reading: conditions on the content. For writing: what the type of the event asks for',
  text: 'Words that are looked for in notes, descriptions and file names',
  type: 'Event type, such as "mass/kg" or "note/txt"',
  streamIds: 'Ids of the streams that the event belongs to',
  update: 'The fields to change; others stay as they are',
  parts: 'Into how many equal parts the range is divided',
  field: 'Path of the number in contents that are objects',
  sample: 'Sums up the series in so many parts',
  fromDeltaTime: 'Seconds since the time of the event that holds the series',
  toDeltaTime: 'Seconds since the time of the event that holds the series'
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
