/**
 * Streams of the service's own: account fields and what marks their values. They are made from the settings, the same for
 * every account, and never stored; only their numbers are, in events. (docs/spec/accounts.md#system-streams)
 */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import type { StreamNode, SystemKind, SystemStream } from './node.js'

/** The streams of the service's own, each after the one above it. */
export interface SystemStreams {
  readonly list: readonly SystemStream[]
  /** The event that holds a value of an account field in force; `undefined` if there is no such field. */
  readonly eventOf: (field: string, content: unknown, origin: Origin) => Event | undefined
  /** Whether an id is that of a stream of tags, or of the one above them: the service alone makes them. */
  readonly isTagId: (id: string) => boolean
}

/** When a value was given, when that was written down, and by whom. */
export interface Origin {
  readonly time: number
  readonly at: number
  readonly by: string
}

/** On the value of a field that is in force. */
export const activeId = ':_system:active'
/** On values that no other account may have. */
export const uniqueId = ':_system:unique'

const prefix = /^:(?:_system|system):/

/** The name of the account field that a stream is for. */
export function fieldOf(streamId: string): string {
  return streamId.replace(prefix, '')
}

/**
 * The number by which events refer to a system stream. It follows from the id, so it stays whatever becomes of the
 * settings: below 0 for streams of the account, beyond all numbers of users' streams for others.
 */
export function systemNumber(id: string, kind: SystemKind): number {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6)
  return kind === 'other' ? firstOther + number : -1 - number
}

/** The lowest number of streams that are much like a user's own. */
export const firstOther = 2 ** 48

class SystemNode implements StreamNode {
  readonly number: number
  readonly text: string
  readonly children = new Set<SystemNode>()

  constructor(
    readonly system: SystemStream,
    readonly parent: SystemNode | undefined
  ) {
    this.number = systemNumber(system.stream.id, system.kind)
    this.text = JSON.stringify(system.stream)
    parent?.children.add(this)
  }

  get stream(): Stream {
    return this.system.stream
  }
}

/** System streams as part of every account's tree. */
export interface SystemTree {
  readonly roots: readonly StreamNode[]
  readonly byId: ReadonlyMap<string, StreamNode>
  readonly byNumber: ReadonlyMap<number, StreamNode>
  /** The streams of account fields by the name of the field. */
  readonly byField: ReadonlyMap<string, StreamNode>
  /** See {@link SystemStreams}. */
  readonly isTagId: (id: string) => boolean
}

const trees = new WeakMap<SystemStreams, SystemTree>()

/** The tree of system streams: one for all accounts. */
export function systemTree(streams: SystemStreams): SystemTree {
  let tree = trees.get(streams)
  if (!tree) trees.set(streams, (tree = grow(streams)))
  return tree
}

function grow({ isTagId, list }: SystemStreams): SystemTree {
  const byId = new Map<string, SystemNode>()
  for (const each of list) {
    const { id, parentId } = each.stream
    byId.set(id, new SystemNode(each, parentId === null ? undefined : byId.get(parentId)))
  }
  const nodes = [...byId.values()]
  return {
    roots: nodes.filter(({ parent }) => !parent),
    byId,
    byNumber: new Map(nodes.map(node => [node.number, node])),
    byField: new Map(
      nodes.filter(({ system }) => system.kind === 'account').map(node => [fieldOf(node.stream.id), node])
    ),
    isTagId
  }
}
