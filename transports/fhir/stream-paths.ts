/** Names of streams, by which measurements are recognised. */
import type { Event } from '../../schemas/event.js'
import type { UserCalls } from '../user-calls.js'

/** A stream as the access sees it. */
interface Node {
  readonly id: string
  readonly name: string
  readonly children?: readonly Node[]
}

/** Maximum number of names of a path. */
const maxNames = 20

/** The names of an event's first stream and of its ancestors, as far as the access may see them. */
export class StreamPaths {
  readonly #paths = new Map<string, readonly string[]>()

  constructor(roots: readonly Node[]) {
    const waiting = roots.map(node => ({ node, above: [] as readonly string[] }))
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const path = [...next.above, next.node.name].slice(-maxNames)
      this.#paths.set(next.node.id, path)
      for (const node of next.node.children ?? []) waiting.push({ node, above: path })
    }
  }

  /** Returns the names from the root to the stream; its id if it is not listed. */
  get({ streamIds }: Pick<Event, 'streamIds'>): readonly string[] {
    const id = streamIds[0] ?? ''
    return this.#paths.get(id) ?? [id]
  }
}

/** Reads the streams that the access may list. */
export async function readStreamPaths(calls: UserCalls): Promise<StreamPaths> {
  const { streams } = await calls.call<{ streams: readonly Node[] }>('streams.get', { state: 'all' })
  return new StreamPaths(streams)
}
