/** Streams and events as resources, which users attach to a conversation without calling a tool. */
import { isAuditId } from '../../core/audit-ids.js'
import { truncate } from '../../core/exports/chunks.js'
import type { AssistantCalls, AssistantResult } from './assistant-calls.js'

/** A resource in the list. */
interface Resource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType: string
}

interface Stream {
  readonly id: string
  readonly name: string
  readonly children?: readonly Stream[]
}

const mimeType = 'application/json'
/** Maximum number of streams listed; further streams are found by reading their parents. */
const maxStreams = 500
/** Maximum length of a name, and of the names above it, in characters: each resource below repeats them. */
const [maxNameLength, maxPathLength] = [200, 1000]
/** Number of latest events in a stream's resource. */
const maxEvents = 20

/** Templates of resource URIs. */
export const resourceTemplates = [
  {
    uriTemplate: 'coffer:///streams/{id}',
    name: 'Stream',
    description: 'Contents of a stream by type, and its latest events',
    mimeType
  },
  { uriTemplate: 'coffer:///events/{id}', name: 'Event', description: 'One event', mimeType }
]

/**
 * Lists the streams that the access may see, without those of the audit log: audit records have their own
 * tool. Returns an empty list if it may see none; streams beyond the maximum number are omitted.
 */
export async function listResources(calls: AssistantCalls): Promise<Resource[]> {
  const result = await calls.call('streams.get', {})
  if (!result.ok) return []
  const resources: Resource[] = []
  const add = (streams: readonly Stream[], parentPath: string): void => {
    for (const { children = [], id, name } of streams) {
      if (resources.length >= maxStreams) return
      if (isAuditId(id)) continue
      const above = parentPath.length > maxPathLength ? '…' : parentPath
      const own = truncate(name, maxNameLength)
      const path = above === '' ? own : `${above} / ${own}`
      resources.push({ uri: `coffer:///streams/${encodeURIComponent(id)}`, name: path, mimeType })
      add(children, path)
    }
  }
  add((result.value['streams'] ?? []) as readonly Stream[], '')
  return resources
}

/** Reads a resource; resolves with `undefined` if the URI names none that the access may read. */
export async function readResource(calls: AssistantCalls, uri: string): Promise<string | undefined> {
  const [, kind, name = ''] = /^coffer:\/\/\/(streams|events)\/([^/]{1,1000})$/.exec(uri) ?? []
  const id = decodeId(name)
  if (kind === undefined || id === undefined) return undefined
  const parts: readonly Promise<AssistantResult>[] =
    kind === 'events'
      ? [calls.call('events.getOne', { id })]
      : [
          calls.call('streams.facts', { streams: [id] }),
          calls.call('events.get', { streams: [id], limit: maxEvents })
        ]
  const value = {}
  for (const result of await Promise.all(parts)) {
    if (!result.ok) return undefined
    Object.assign(value, result.value)
  }
  return JSON.stringify(value)
}

function decodeId(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
