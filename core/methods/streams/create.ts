/** Creates one stream. (docs/spec/streams.md#creating) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, KeyValue, Name, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import type { Steps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { anyAccess } from '../../auth/allow.js'
import { modestClientData } from '../../validation/client-data.js'
import { addStream, insertInSteps } from '../../streams/ended-permissions.js'
import { fail } from '../../errors.js'
import { newId, toSlug } from '../../ids.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { protectedFields, trackingFields } from '../../validation/protected-fields.js'
import { orConflict } from '../../streams/conflict.js'
import { assertParent } from '../../streams/place.js'
import { isSystemId } from '../../system-ids.js'
import { broughtBack } from '../../streams/tags.js'

const Params = Type.Object(
  {
    id: orNull(Identifier),
    name: Name,
    parentId: orNull(Identifier),
    clientData: orNull(KeyValue),
    trashed: orNull(Type.Boolean()),
    ...protectedFields(trackingFields)
  },
  closed
)
type Params = Static<typeof Params>

/** Accesses that are processed without yielding to other work. */
const few = 1000

/** Returns the stream, without `children`: older clients fail on an empty list of them here. */
export const create = methodInSteps({
  id: 'streams.create',
  summary: 'Create a stream',
  params: Params,
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run: created,
  isLong: ({ accesses, streams }, { id }) =>
    typeof id === 'string' && streams.deletedAt(likelyId(id)) !== undefined && accesses.hasMore(few)
})

function* created(call: Call, params: Params): Steps<{ stream: Stream }> {
  const { id: wanted, name, parentId, clientData, trashed } = params
  const { caller, changes, now, store } = call
  if (typeof parentId === 'string' && parentId === wanted)
    fail('invalid-operation', 'A stream cannot be its own parent')
  const tag = typeof wanted === 'string' && broughtBack(call, wanted, parentId ?? null)
  if (tag) return { stream: tag }
  assertParent(call, parentId ?? null)
  const id = typeof wanted === 'string' ? ownId(store, wanted) : newId()
  const at = store.stamp(now)
  const data = modestClientData(call, undefined, clientData)
  const stream: Stream = {
    id,
    name,
    parentId: parentId ?? null,
    ...(data && { clientData: data }),
    ...(trashed && { trashed }),
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  }
  yield* insertInSteps(call, stream, () => orConflict(store.streams, stream, () => addStream(call, stream)))
  changes.add('streams', [id])
  return { stream }
}

/** As {@link ownId}; what is wrong with it is found later. */
function likelyId(wanted: string): string {
  try {
    return toSlug(wanted)
  } catch {
    return wanted
  }
}

/** The id that a client's wish leads to. */
function ownId({ streams }: UserStore, wanted: string): string {
  const id = isSystemId(wanted) ? wanted : toSlug(wanted)
  if (isSystemId(id) || streams.isTagId(id))
    fail('invalid-item-id', `The id "${wanted}" is reserved for the service`)
  return id
}
