/** The streams of a copy. (docs/api/mirrors.md#the-copy) */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { measureKey, noMeasure, readMeasureMark } from '../../schemas/measures/measure.js'
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import { maxNameLength } from '../../schemas/scalars.js'
import { UniqueViolation } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamNode } from '../../storage/streams/node.js'
import type { Call } from '../call/method.js'
import { addStream, endPermissions } from '../streams/ended-permissions.js'
import { listSubtree } from '../streams/tree.js'
import { truncateText } from '../truncate-text.js'
import { isObject } from '../validation/is-object.js'

/** Maximum number of streams of a copy, and of levels below its root. */
const maxStreams = 10_000
const maxDepth = 50
/** Maximum number of items of an answer that are read, with malformed and repeated ones. */
const maxItems = 2 * maxStreams
/** Key in the client data of what is copied. */
export const followedKey = 'coffer:followed'

/** Returns the id that a copied event has at the other server; `undefined` for other events. */
export function findOrigin({ clientData }: Pick<Event, 'clientData'>): string | undefined {
  const mark = clientData?.[followedKey]
  return isObject(mark) && typeof mark['id'] === 'string' ? mark['id'] : undefined
}

/** A stream as it is to be copied. */
export interface WantedStream {
  readonly id: string
  /** Its id at the other server. */
  readonly remoteId: string
  readonly name: string
  readonly parentId: string
  readonly trashed: boolean
  /** The measure with which it is marked: without it, what it holds would be taken for another measure. */
  readonly mark: string | undefined
}

/** Returns the id of the copy of a stream. */
export function getCopyId({ streamId }: Pick<Mirror, 'streamId'>, remoteId: string): string {
  const isPlain = /^[A-Za-z0-9._-][A-Za-z0-9._~-]*$/.test(remoteId) && remoteId.length <= 400
  const hash = isPlain ? '' : createHash('sha256').update(remoteId).digest('hex').slice(0, 24)
  return `${streamId}:${isPlain ? remoteId : `~${hash}`}`
}

/**
 * Returns the streams of an answer, each after its parent. Those of the service, and malformed ones, are
 * omitted with all below; streams deeper than the limit are placed at it, and those beyond the maximum number
 * are omitted.
 */
export function planStreams(mirror: Mirror, roots: readonly unknown[]): WantedStream[] {
  const wanted = new Map<string, WantedStream>()
  let left = maxItems
  let level = [{ items: roots, parentId: mirror.streamId }]
  for (let depth = 1; level.length > 0 && wanted.size < maxStreams; depth++) {
    const next: typeof level = []
    for (const { items, parentId } of level)
      for (const item of items.slice(0, left)) {
        left--
        const stream = toWanted(mirror, item, parentId)
        if (!stream || wanted.has(stream.id) || wanted.size >= maxStreams) continue
        wanted.set(stream.id, stream)
        const children = (item as Readonly<Record<string, unknown>>)['children']
        if (Array.isArray(children) && children.length > 0)
          next.push({ items: children, parentId: depth < maxDepth ? stream.id : parentId })
      }
    level = next
  }
  return [...wanted.values()]
}

/** Returns the stream of the copy for one of the original; `undefined` if that has no valid id. */
function toWanted(mirror: Mirror, item: unknown, parentId: string): WantedStream | undefined {
  if (!isObject(item)) return undefined
  const { clientData, id, name, trashed } = item
  if (typeof id !== 'string' || id === '' || id.length > 1024 || /^[:.]/.test(id)) return undefined
  const mark = isObject(clientData) ? readMeasureMark(clientData) : undefined
  const text = typeof name === 'string' ? truncateText(name, maxNameLength - 100) : ''
  return {
    id: getCopyId(mirror, id),
    remoteId: id,
    name: text === '' ? truncateText(id, 200) : text,
    parentId,
    trashed: trashed === true,
    // Measures of the person's own are none here, whatever the keeper's own are called.
    mark: mark === undefined || findMeasure(mark) ? mark : noMeasure
  }
}

/** Returns the streams of a copy that are not as wanted, each after its parent. */
export function findOutdated(
  { store }: Pick<Call, 'store'>,
  wanted: readonly WantedStream[]
): WantedStream[] {
  return wanted.filter(each => {
    const stream = store.streams.find(each.id)?.stream
    return !stream || !isSame(stream, each)
  })
}

function isSame(stream: Stream, wanted: WantedStream): boolean {
  const { mark, name, parentId, trashed } = wanted
  return (
    stream.parentId === parentId &&
    (stream.trashed === true) === trashed &&
    readMeasureMark(stream.clientData) === mark &&
    (stream.name === name || stream.name === getOtherName(wanted))
  )
}

/** The name of a stream whose sibling has the same. */
function getOtherName({ id, name }: Pick<WantedStream, 'id' | 'name'>): string {
  return `${name} (${createHash('sha256').update(id).digest('hex').slice(0, 8)})`
}

/** Creates the root of a copy, with the name of the person. Error: `invalid-operation` for too many streams. */
export function insertRoot(call: Call, { person, streamId }: Mirror): void {
  const { host, username } = person
  const root = { id: streamId, name: `${username}@${host}` }
  insertNamed(call, root, { parentId: null, clientData: { [followedKey]: { username, host } } })
}

/**
 * Creates a stream of a copy, or changes it to be as wanted. Its parent is as wanted. If a sibling has its
 * name, gets another one. Error: `invalid-operation` for too many streams.
 */
export function writeStream(call: Call, wanted: WantedStream): void {
  const { changes, now, store } = call
  const { id, mark, name, parentId, remoteId, trashed } = wanted
  const clientData = { [followedKey]: { id: remoteId }, ...(mark !== undefined && { [measureKey]: mark }) }
  const before = store.streams.find(id)?.stream
  if (!before)
    return insertNamed(call, wanted, {
      parentId,
      clientData,
      ...(trashed && { trashed })
    })
  const { trashed: _trashed, ...rest } = before
  changes.add('streams', [id])
  const update = (free: string): void => {
    const modified = store.stamp(now)
    store.streams.update({
      ...rest,
      clientData,
      name: free,
      parentId,
      ...(trashed && { trashed }),
      modified
    })
  }
  withFreeName([name, getOtherName(wanted)], update)
  changes.add('streams', [id])
}

function insertNamed(
  call: Call,
  named: Pick<WantedStream, 'id' | 'name'>,
  rest: Pick<Stream, 'clientData' | 'parentId' | 'trashed'>
): void {
  const at = call.store.stamp(call.now)
  const by = { created: at, createdBy: 'system', modified: at, modifiedBy: 'system' }
  withFreeName([named.name, getOtherName(named)], name => {
    // Permissions on an earlier copy have ended with its streams.
    addStream(call, { id: named.id, name, ...rest, ...by })
  })
  call.changes.add('streams', [named.id])
}

/** Writes a stream under the first name, or if a sibling has that, under the second. */
function withFreeName(names: readonly [string, string], write: (name: string) => void): void {
  try {
    write(names[0])
  } catch (error) {
    if (!(error instanceof UniqueViolation) || error.field !== 'stream.parentId') throw error
    write(names[1])
  }
}

/** Returns the streams of a copy that are not among these, each after its parent. The root is not listed. */
export function listOthers(
  { store }: Pick<Call, 'store'>,
  { streamId }: Mirror,
  wanted: readonly WantedStream[]
): StreamNode[] {
  const root = store.streams.find(streamId)
  const kept = new Set([streamId, ...wanted.map(({ id }) => id)])
  return root ? listSubtree(root).filter(({ stream }) => !kept.has(stream.id)) : []
}

/**
 * Removes empty streams of a copy, each before its parent, except those that still have streams below. Also ends permissions on those that
 * are removed, for which all accesses are read once.
 */
export function* removeStreams(call: Call, nodes: readonly StreamNode[]): Steps<void> {
  const { changes, now, store } = call
  const removed = new Set<StreamNode>()
  for (const node of nodes) if ([...node.children].every(child => removed.has(child))) removed.add(node)
  const ids = [...removed].map(({ stream }) => stream.id)
  changes.add('streams', ids)
  const at = store.stamp(now)
  yield* endPermissions(call, [...removed], at)
  store.mirrors.overwriteDeleted(() => {
    for (const id of ids) store.streams.remove(id, at)
  })
}
