/** The streams of one user, stored in a table and cached as a tree in memory, together with the system streams. */
import type { Database } from 'better-sqlite3'
import type { Stream } from '../../schemas/stream.js'
import { StoreDamaged, translateError } from '../errors.js'
import { Numbers } from './numbers.js'
import { column, statement } from '../sqlite/statements.js'
import { firstOther, getSystemNumber, type SystemTree } from '../streams/system-streams.js'
import { isFollowedId } from '../../schemas/mirrors/followed-ids.js'
import type { StreamNode } from '../streams/node.js'

/** Shared by all nodes without children, which most are. */
const noChildren: ReadonlySet<Node> = new Set()

class Node implements StreamNode {
  parent: Node | undefined
  children = noChildren

  constructor(
    readonly number: number,
    public text: string,
    public stream = JSON.parse(text) as Stream
  ) {}

  /** A getter instead of a field, which would take memory in each of many nodes. */
  get system(): undefined {
    return undefined
  }
}

interface Tree {
  /** Characters of all texts, and of those of copies. */
  textLength: number
  copiedLength: number
  readonly roots: Set<Node>
  readonly byId: Map<string, Node>
  readonly byNumber: Map<number, Node>
}

export class StreamRepository {
  readonly #numbers: Numbers
  #tree: Tree | undefined
  #undefinedNumbers: ReadonlySet<number> | undefined
  #version = 0
  /** Whether the tree may differ from what is committed. */
  #hasChanged = true

  constructor(
    private readonly db: Database,
    private readonly system: SystemTree
  ) {
    this.#numbers = new Numbers(db, 'stream')
  }

  /** Changes with every change of a stream, so that data derived from the tree can be cached by version. */
  get version(): number {
    return this.#version
  }

  /** Number of the user's own streams. */
  get count(): number {
    return this.#load().byId.size
  }

  /** Characters of the JSON texts of the user's own streams, without copies of other people's. */
  get ownTextLength(): number {
    const { copiedLength, textLength } = this.#load()
    return textLength - copiedLength
  }

  /** Characters of the JSON texts of copies of other people's streams. */
  get copiedTextLength(): number {
    return this.#load().copiedLength
  }

  /** Finds a stream by its id, system streams included. */
  find(id: string): StreamNode | undefined {
    return this.#load().byId.get(id) ?? this.system.byId.get(id)
  }

  /** Returns whether an id is the id of a tag stream or of their parent; the stream need not exist. */
  isTagId(id: string): boolean {
    return this.system.isTagId(id)
  }

  /** Finds a stream by its number, which is negative for system streams. */
  findByNumber(number: number): StreamNode | undefined {
    return this.#load().byNumber.get(number) ?? this.system.byNumber.get(number)
  }

  /** Numbers of system streams that the settings no longer define but that still hold events. Read once, since no events can be added to them. */
  get undefinedNumbers(): ReadonlySet<number> {
    if (this.#undefinedNumbers) return this.#undefinedNumbers
    // A loose index scan: one seek per stream instead of one row per event. Without ALL, it ends in a damaged index, too.
    const sql = `WITH RECURSIVE known (number) AS (
      SELECT min(stream) FROM event_stream WHERE stream >= ?
      UNION SELECT (SELECT min(stream) FROM event_stream WHERE stream > number) FROM known WHERE number IS NOT NULL
    ) SELECT number FROM known WHERE number IS NOT NULL`
    const numbers = column(this.db, sql).all(firstOther) as number[]
    return (this.#undefinedNumbers = new Set(numbers.filter(number => !this.system.byNumber.has(number))))
  }

  /** Returns the number of a stream, including one of {@link undefinedNumbers}. Throws for unknown ids. */
  getNumber(id: string): number {
    const known = this.find(id)?.number
    if (known !== undefined) return known
    const number = getSystemNumber(id, 'other')
    if (!this.undefinedNumbers.has(number)) throw new Error('No such stream')
    return number
  }

  /** Returns the ids from a stream up to its root; empty for an unknown number. */
  getPath(number: number): string[] {
    const path: string[] = []
    for (let node = this.findByNumber(number); node; node = node.parent) path.push(node.stream.id)
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

  /**
   * Adds a stream below its `parentId`, which has to exist. Throws `UniqueViolation` of `stream.id`, or of
   * `stream.parentId` if a sibling has the same name. Removes the record of a deleted stream with its id.
   */
  insert(stream: Stream): StreamNode {
    const tree = this.#load()
    const text = JSON.stringify(stream)
    const number = this.#numbers.next()
    // A taken id or name changes nothing.
    this.#write('INSERT INTO stream (number, id, body) VALUES (?, ?, ?)', number, stream.id, text)
    this.#hasChanged = true
    this.#numbers.markUsed(number)
    // The id is in use again: clients must not treat the new stream as deleted.
    this.#write('DELETE FROM stream_deletion WHERE id = ?', stream.id)
    const node = new Node(number, text, stream)
    tree.byId.set(stream.id, node)
    tree.byNumber.set(node.number, node)
    addLength(tree, stream.id, text.length)
    attachToParent(tree, node)
    this.#version++
    return node
  }

  /** Replaces an existing stream; a changed `parentId` moves it. Throws `UniqueViolation` of `stream.parentId` for a taken name. */
  update(stream: Stream): StreamNode {
    const tree = this.#load()
    const node = tree.byId.get(stream.id)
    if (!node) throw new Error('No such stream')
    const text = JSON.stringify(stream)
    this.#write('UPDATE stream SET body = ? WHERE number = ?', text, node.number)
    this.#hasChanged = true
    detachFromParent(tree, node)
    addLength(tree, stream.id, text.length - node.text.length)
    node.stream = stream
    node.text = text
    attachToParent(tree, node)
    this.#version++
    return node
  }

  /**
   * Removes a stream without children and events, and records its deletion. Throws if there is no such stream.
   * Does not check that it is empty.
   */
  remove(id: string, deleted: number): void {
    const tree = this.#load()
    const node = tree.byId.get(id)
    if (!node) throw new Error('No such stream')
    const path = this.getPath(node.number)
    this.#write('DELETE FROM stream WHERE number = ?', node.number)
    this.#write(
      'INSERT OR REPLACE INTO stream_deletion (id, deleted, path) VALUES (?, ?, ?)',
      id,
      deleted,
      JSON.stringify(path)
    )
    this.#hasChanged = true
    detachFromParent(tree, node)
    tree.byId.delete(id)
    tree.byNumber.delete(node.number)
    addLength(tree, id, -node.text.length)
    this.#version++
  }

  /** Returns when the stream with this id was deleted, in seconds; `undefined` if there is no record of it. */
  getDeletionTime(id: string): number | undefined {
    return column(this.db, 'SELECT deleted FROM stream_deletion WHERE id = ?').get(id) as number | undefined
  }

  /** To be called when a transaction begins: until a stream changes, the cached tree is what is committed. */
  begin(): void {
    this.#hasChanged = false
  }

  /**
   * Drops the cached tree, which may hold what was rolled back, unless no stream has changed in the transaction: reading hundreds of
   * thousands again takes a second.
   */
  invalidate(): void {
    this.#numbers.invalidate()
    if (!this.#hasChanged) return
    this.#tree = undefined
    this.#version++
  }

  /** Copies the cached tree of another repository of the same file, if any: reading it again takes much longer. */
  copyCache(other: StreamRepository): void {
    if (!other.#tree) return
    const nodes = Array.from(
      other.#tree.byId.values(),
      ({ number, stream, text }) => new Node(number, text, stream)
    )
    this.#tree = buildTree(nodes)
    this.#version++
  }

  /** Takes the cached tree of another repository of the same file, which is no longer used. */
  takeCache(other: StreamRepository): void {
    this.#tree = other.#tree
    this.#version++
  }

  #write(sql: string, ...values: unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error)
    }
  }

  #load(): Tree {
    if (this.#tree) return this.#tree
    const rows = statement(this.db, 'SELECT number, body FROM stream').all() as {
      number: number
      body: string
    }[]
    return (this.#tree = this.#parse(rows))
  }

  /** Throws `StoreDamaged` if the streams do not form a tree: walking up from a stream below itself would not end. */
  #parse(rows: readonly { readonly number: number; readonly body: string }[]): Tree {
    let tree: Tree
    try {
      tree = buildTree(rows.map(({ number, body }) => new Node(number, body)))
    } catch (error) {
      throw new StoreDamaged(this.db.name, 'has a stream that cannot be read', error)
    }
    const reached = [...tree.roots]
    for (const node of reached) for (const child of node.children) reached.push(child)
    if (reached.length !== rows.length)
      throw new StoreDamaged(this.db.name, 'has streams that are there twice, or lie below themselves')
    return tree
  }
}

/** Builds the tree of streams from its nodes, in any order. */
function buildTree(nodes: readonly Node[]): Tree {
  const tree: Tree = {
    roots: new Set(),
    byId: new Map(),
    byNumber: new Map(),
    textLength: 0,
    copiedLength: 0
  }
  for (const node of nodes) {
    tree.byId.set(node.stream.id, node)
    tree.byNumber.set(node.number, node)
    addLength(tree, node.stream.id, node.text.length)
  }
  for (const node of nodes) attachToParent(tree, node)
  return tree
}

function addLength(tree: Tree, id: string, length: number): void {
  tree.textLength += length
  if (isFollowedId(id)) tree.copiedLength += length
}

function attachToParent(tree: Tree, node: Node): void {
  node.parent = node.stream.parentId === null ? undefined : tree.byId.get(node.stream.parentId)
  const { parent } = node
  if (!parent) tree.roots.add(node)
  else if (parent.children === noChildren) parent.children = new Set([node])
  else (parent.children as Set<Node>).add(node)
}

function detachFromParent(tree: Tree, node: Node): void {
  const { parent } = node
  if (!parent) tree.roots.delete(node)
  else if (parent.children !== noChildren) (parent.children as Set<Node>).delete(node)
}
