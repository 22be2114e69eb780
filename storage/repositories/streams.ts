/** The streams of one user: kept in a table, walked in memory; beside them those of the service, which every user has. */
import type { Database } from 'better-sqlite3'
import type { Stream } from '../../schemas/stream.js'
import { translated } from '../errors.js'
import { Numbers } from './numbers.js'
import { column, statement } from '../sqlite/statements.js'
import { firstOther, systemNumber, type SystemTree } from '../streams/system-streams.js'
import type { StreamNode } from '../streams/node.js'

/** A stream that has been deleted, with the ids from itself up to its root: who could see those may see this. */
export interface StreamDeletion {
  readonly id: string
  readonly deleted: number
  readonly path: readonly string[]
}

/** The children of those that have none: most streams. */
const none: ReadonlySet<Node> = new Set()

class Node implements StreamNode {
  parent: Node | undefined
  children = none

  constructor(
    readonly number: number,
    public text: string,
    public stream = JSON.parse(text) as Stream
  ) {}

  /** None of a user's own: it costs their many nodes nothing to say so. */
  get system(): undefined {
    return undefined
  }
}

interface Tree {
  readonly roots: Set<Node>
  readonly byId: Map<string, Node>
  readonly byNumber: Map<number, Node>
}

export class StreamRepository {
  readonly #numbers: Numbers
  #tree: Tree | undefined
  #strays: ReadonlySet<number> | undefined
  #version = 0

  constructor(
    private readonly db: Database,
    private readonly system: SystemTree
  ) {
    this.#numbers = new Numbers(db, 'stream')
  }

  /** Changes whenever any stream does: what was derived from the tree is good for one version. */
  get version(): number {
    return this.#version
  }

  find(id: string): StreamNode | undefined {
    return this.#load().byId.get(id) ?? this.system.byId.get(id)
  }

  /** Whether an id is that of a stream of tags, or of the one above them, whether there is such a stream or not. */
  isTagId(id: string): boolean {
    return this.system.isTagId(id)
  }

  byNumber(number: number): StreamNode | undefined {
    return this.#load().byNumber.get(number) ?? this.system.byNumber.get(number)
  }

  /**
   * Numbers of streams that the settings do without, although events are in them still. Looked up once: nothing more comes
   * into them.
   */
  get strays(): ReadonlySet<number> {
    if (this.#strays) return this.#strays
    // From one stream to the next, not from event to event.
    const sql = `WITH RECURSIVE known (number) AS (
      SELECT min(stream) FROM event_stream WHERE stream >= ?
      UNION ALL SELECT (SELECT min(stream) FROM event_stream WHERE stream > number) FROM known WHERE number IS NOT NULL
    ) SELECT number FROM known WHERE number IS NOT NULL`
    const numbers = column(this.db, sql).all(firstOther) as number[]
    return (this.#strays = new Set(numbers.filter(number => !this.system.byNumber.has(number))))
  }

  /** The number of a stream that events are in: of one that the settings do without, too. */
  numberOf(id: string): number {
    const known = this.find(id)?.number
    if (known !== undefined) return known
    const number = systemNumber(id, 'other')
    if (!this.strays.has(number)) throw new Error('No such stream')
    return number
  }

  /** The ids from a stream up to its root; none for a number that no stream has. */
  path(number: number): string[] {
    const path: string[] = []
    for (let at = this.byNumber(number); at; at = at.parent) path.push(at.stream.id)
    return path
  }

  /** All streams, in no particular order. */
  *list(): Generator<StreamNode, void, undefined> {
    yield* this.#load().byId.values()
    yield* this.system.byId.values()
  }

  /** The streams without a parent. */
  roots(): StreamNode[] {
    return [...this.#load().roots, ...this.system.roots]
  }

  /** Adds a stream below its `parentId`, which exists. Raises `UniqueViolation` of `stream.id`, or of `stream.parentId` when a sibling has the name. */
  insert(stream: Stream): StreamNode {
    const tree = this.#load()
    const text = JSON.stringify(stream)
    const number = this.#numbers.next()
    this.#write('INSERT INTO stream (number, id, body) VALUES (?, ?, ?)', number, stream.id, text)
    this.#numbers.taken(number)
    // The id is in use again: nobody should take the new stream for a deleted one.
    this.#write('DELETE FROM stream_deletion WHERE id = ?', stream.id)
    const node = new Node(number, text, stream)
    tree.byId.set(stream.id, node)
    tree.byNumber.set(node.number, node)
    attach(tree, node)
    this.#version++
    return node
  }

  /** Replaces a stream's fields; a changed `parentId` moves it. Raises `UniqueViolation` of `stream.parentId` when a sibling has the name. */
  update(stream: Stream): StreamNode {
    const tree = this.#load()
    const node = tree.byId.get(stream.id)
    if (!node) throw new Error('No such stream')
    const text = JSON.stringify(stream)
    this.#write('UPDATE stream SET body = ? WHERE number = ?', text, node.number)
    detach(tree, node)
    node.stream = stream
    node.text = text
    attach(tree, node)
    this.#version++
    return node
  }

  /** Removes a stream that has neither children nor events, and remembers that it was there. */
  remove(id: string, deleted: number): void {
    const tree = this.#load()
    const node = tree.byId.get(id)
    if (!node) throw new Error('No such stream')
    const path = this.path(node.number)
    this.#write('DELETE FROM stream WHERE number = ?', node.number)
    this.#write(
      'INSERT OR REPLACE INTO stream_deletion (id, deleted, path) VALUES (?, ?, ?)',
      id,
      deleted,
      JSON.stringify(path)
    )
    detach(tree, node)
    tree.byId.delete(id)
    tree.byNumber.delete(node.number)
    this.#version++
  }

  /** When the stream of an id that is free has been deleted, as long as that is remembered. */
  deletedAt(id: string): number | undefined {
    return column(this.db, 'SELECT deleted FROM stream_deletion WHERE id = ?').get(id) as number | undefined
  }

  /** Deletions after a time, newest first. */
  deletionsSince(since: number): StreamDeletion[] {
    const sql = 'SELECT id, deleted, path FROM stream_deletion WHERE deleted > ? ORDER BY deleted DESC, id'
    const rows = statement(this.db, sql).all(since) as { id: string; deleted: number; path: string }[]
    return rows.map(row => ({ ...row, path: JSON.parse(row.path) as string[] }))
  }

  /** Drops the tree in memory: it may hold what was rolled back. */
  forget(): void {
    this.#numbers.forget()
    this.#tree = undefined
    this.#version++
  }

  /** Takes a copy of what another repository has in memory of the same file, if it has: reading takes much longer. */
  copy(other: StreamRepository): void {
    if (!other.#tree) return
    const nodes = Array.from(
      other.#tree.byId.values(),
      ({ number, stream, text }) => new Node(number, text, stream)
    )
    this.#tree = treeOf(nodes)
    this.#version++
  }

  /** Takes what another repository has in memory of the same file, which is not written through it any more. */
  takeOver(other: StreamRepository): void {
    this.#tree = other.#tree
    this.#version++
  }

  #write(sql: string, ...values: unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translated(error)
    }
  }

  #load(): Tree {
    if (this.#tree) return this.#tree
    const rows = statement(this.db, 'SELECT number, body FROM stream').all() as {
      number: number
      body: string
    }[]
    return (this.#tree = treeOf(rows.map(({ number, body }) => new Node(number, body))))
  }
}

function treeOf(nodes: readonly Node[]): Tree {
  const tree: Tree = { roots: new Set(), byId: new Map(), byNumber: new Map() }
  for (const node of nodes) {
    tree.byId.set(node.stream.id, node)
    tree.byNumber.set(node.number, node)
  }
  for (const node of nodes) attach(tree, node)
  return tree
}

function attach(tree: Tree, node: Node): void {
  node.parent = node.stream.parentId === null ? undefined : tree.byId.get(node.stream.parentId)
  const { parent } = node
  if (!parent) tree.roots.add(node)
  else if (parent.children === none) parent.children = new Set([node])
  else (parent.children as Set<Node>).add(node)
}

function detach(tree: Tree, node: Node): void {
  const { parent } = node
  if (!parent) tree.roots.delete(node)
  else if (parent.children !== none) (parent.children as Set<Node>).delete(node)
}
