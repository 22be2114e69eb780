/** Streams and events as resources: what people attach to a conversation without a tool being called. */
import { isAuditId } from '../../core/audit-ids.js'
import type { Data, Told } from './data.js'

/** A resource as it is listed. */
interface Listed {
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
/** Streams listed at most; others are found by reading their parents. */
const mostStreams = 500
/** Events told of a stream: its latest. */
const mostEvents = 20

/** Forms of addresses. */
export const templates = [
  {
    uriTemplate: 'coffer:///streams/{id}',
    name: 'Stream',
    description: 'Contents of a stream by type, and its latest events',
    mimeType
  },
  { uriTemplate: 'coffer:///events/{id}', name: 'Event', description: 'One event', mimeType }
]

/** Lists the streams that the access sees. Records of the audit are no events of a stream: there is a tool for them. */
export async function listResources(data: Data): Promise<Listed[]> {
  const told = await data.call('streams.get', {})
  if (!told.ok) return []
  const listed: Listed[] = []
  const add = (streams: readonly Stream[], place: string): void => {
    for (const { children = [], id, name } of streams) {
      if (listed.length >= mostStreams) return
      if (isAuditId(id)) continue
      const path = place === '' ? name : `${place} / ${name}`
      listed.push({ uri: `coffer:///streams/${encodeURIComponent(id)}`, name: path, mimeType })
      add(children, path)
    }
  }
  add((told.value['streams'] ?? []) as readonly Stream[], '')
  return listed
}

/** Reads a resource; `undefined` if there is none at that address. */
export async function readResource(data: Data, uri: string): Promise<string | undefined> {
  const [, kind, name = ''] = /^coffer:\/\/\/(streams|events)\/([^/]{1,1000})$/.exec(uri) ?? []
  const id = decoded(name)
  if (kind === undefined || id === undefined) return undefined
  const parts: readonly Promise<Told>[] =
    kind === 'events'
      ? [data.call('events.getOne', { id })]
      : [
          data.call('streams.facts', { streams: [id] }),
          data.call('events.get', { streams: [id], limit: mostEvents })
        ]
  const value = {}
  for (const told of await Promise.all(parts)) {
    if (!told.ok) return undefined
    Object.assign(value, told.value)
  }
  return JSON.stringify(value)
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
