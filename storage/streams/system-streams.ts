/**
 * System streams: account fields, and marks of their values. They follow from the settings, are the same for every account,
 * and are not stored; events refer to them by number. (docs/spec/accounts.md#system-streams)
 */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import type { StreamNode, SystemKind, SystemStream } from './node.js'

/** System streams, parents before children. */
export interface SystemStreams {
  readonly list: readonly SystemStream[]
  /** Creates the event for the active value of an account field; `undefined` if there is no such field. */
  readonly createEvent: (field: string, content: unknown, origin: Origin) => Event | undefined
  /** Returns whether an id is the id of a tag stream or of their parent, which only the service creates. */
  readonly isTagId: (id: string) => boolean
}

/** When a value was set (`time`), when that is recorded (`at`), both in seconds, and by whom. */
export interface Origin {
  readonly time: number
  readonly at: number
  readonly by: string
}

/** Marks the active value of a field. */
export const activeId = ':_system:active'
/** Marks values that must be unique across accounts. */
export const uniqueId = ':_system:unique'

const prefix = /^:(?:_system|system):/

/** Returns the name of the account field that a stream is for. */
export function getFieldName(streamId: string): string {
  return streamId.replace(prefix, '')
}

/**
 * Returns the number by which events refer to a system stream. Derived from the id, so that it does not depend on the
 * settings: negative for account streams and marks, greater than any number of a user's stream for others.
 */
export function getSystemNumber(id: string, kind: SystemKind): number {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6)
  return kind === 'other' ? firstOther + number : -1 - number
}

/** The lowest number of system streams of kind `other`. */
export const firstOther = 2 ** 48

class SystemNode implements StreamNode {
  readonly number: number
  readonly text: string
  readonly children = new Set<SystemNode>()

  constructor(
    readonly system: SystemStream,
    readonly parent: SystemNode | undefined
  ) {
    this.number = getSystemNumber(system.stream.id, system.kind)
    this.text = JSON.stringify(system.stream)
    parent?.children.add(this)
  }

  get stream(): Stream {
    return this.system.stream
  }
}

/** System streams as a tree, which is part of every account's tree. */
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

/** Returns the tree of system streams, built once for all accounts. */
export function getSystemTree(streams: SystemStreams): SystemTree {
  let tree = trees.get(streams)
  if (!tree) trees.set(streams, (tree = buildTree(streams)))
  return tree
}

/** Builds the tree and its indexes. Parents come before their children in the list. */
function buildTree({ isTagId, list }: SystemStreams): SystemTree {
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
      nodes
        .filter(({ system }) => system.kind === 'account')
        .map(node => [getFieldName(node.stream.id), node])
    ),
    isTagId
  }
}
