/** Lists streams as a tree. (docs/spec/streams.md#reading-the-tree) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion, orNull, Timestamp } from '../../../schemas/scalars.js'
import { StreamTree } from '../../../schemas/stream.js'
import { anyAccess } from '../../auth/allow.js'
import { isAuditId } from '../../audit-ids.js'
import { listAuditRoots, listAuditStreams } from '../../audit/streams.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import { createId } from '../../ids.js'
import type { Listing } from '../../json/json-text.js'
import { listSecretRoots, listSecretStreams } from '../../shared-secrets/streams.js'
import { insertRoots, type InsertedRoots } from '../../streams/insert-roots.js'
import type { StreamDeletion } from '../../../storage/repositories/deletion-records.js'
import type { Caller } from '../../permissions/caller.js'
import { describeMarksAbove } from '../../streams/marks.js'
import { StreamView } from '../../streams/stream-view.js'
import { isSecretsStreamId } from '../../system-ids.js'

/**
 * Returns the permitted streams by name, those in the trash only with `state: 'all'`; with `parentId` those
 * below it. If requested, also records of the streams deleted since a time.
 */
export const get = method({
  id: 'streams.get',
  summary: 'Get the stream tree',
  params: Type.Object(
    {
      parentId: orNull(Identifier),
      state: orNull(Type.Enum(['default', 'all'])),
      includeDeletionsSince: orNull(Timestamp)
    },
    closed
  ),
  result: Type.Object({
    streams: Type.Array(StreamTree),
    streamDeletions: Type.Optional(Type.Array(ItemDeletion))
  }),
  mode: 'read',
  allow: anyAccess,
  // Each call may add to the streams of the audit.
  isCacheable: ({ parentId }) => typeof parentId !== 'string' || !isAuditId(parentId),
  // The record of a deleted stream is removed when another stream takes its id.
  hiddenState(call, { includeDeletionsSince: since }) {
    const marks = describeMarksAbove(call)
    return typeof since === 'number' ? [describeDeletions(call, since), marks] : marks
  },
  run(call, { parentId, state, includeDeletionsSince }) {
    const view = new StreamView(call.store, call.caller, state === 'all')
    const streams =
      typeof parentId === 'string'
        ? listBelow(call, view, parentId)
        : insertRoots(view.roots(), listInsertedRoots(call))
    if (typeof includeDeletionsSince !== 'number') return { streams }
    return { streams, streamDeletions: listDeletions(includeDeletionsSince) }
  }
})

/** Returns the streams that are not in the tree: of the audit and, once there are any, of shared secrets. */
function listInsertedRoots(call: Call): InsertedRoots {
  const { first, last } = listAuditRoots(call)
  return { first, last: [...last, ...listSecretRoots(call)] }
}

/** Returns the streams below one. Errors: `unknown-referenced-resource`, `forbidden`. */
function listBelow(call: Call, view: StreamView, parentId: string): object {
  if (isAuditId(parentId)) return listAuditStreams(call, parentId)
  if (isSecretsStreamId(parentId)) return listSecretStreams(call, parentId)
  const { caller, store } = call
  const parent =
    store.streams.find(parentId) ??
    fail('unknown-referenced-resource', `Unknown parent stream "${parentId}"`, { parentId })
  caller.must('list', parentId)
  return view.below(parent)
}

/** Lists the deletions of streams that the caller could have listed, the latest first. */
function listDeletions(since: number): Listing<Reader> {
  let last: StreamDeletion | undefined
  return {
    next({ caller, store }) {
      const { deletions, isLast } = store.deletions.listStreams(since, last)
      last = deletions.at(-1)
      const texts = filterDeletions(caller, deletions).map(each => JSON.stringify(each))
      return { text: texts.join(','), count: texts.length, done: isLast }
    }
  }
}

/** Returns these deletions, or a value of its own each time if they are too many to be read for a validator. */
function describeDeletions({ caller, store }: Call, since: number): readonly ItemDeletion[] | string {
  const { deletions, isLast } = store.deletions.listStreams(since)
  return isLast ? filterDeletions(caller, deletions) : createId()
}

function filterDeletions(caller: Caller, deletions: readonly StreamDeletion[]): ItemDeletion[] {
  return deletions
    .filter(({ deleted, path }) => caller.couldList(path, deleted))
    .map(({ id, deleted }) => ({ id, deleted }))
}
