/** Creates one stream. (docs/spec/streams.md#creating) */
import { Type } from 'typebox'
import { closed, Identifier, KeyValue, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { anyAccess } from '../../auth/allow.js'
import { mergedClientData } from '../../validation/client-data.js'
import { insertStream } from '../../streams/ended-permissions.js'
import { fail } from '../../errors.js'
import { newId, toSlug } from '../../ids.js'
import { method } from '../../call/method.js'
import { protectedFields, trackingFields } from '../../validation/protected-fields.js'
import { orConflict } from '../../streams/conflict.js'
import { mustFitBelow } from '../../streams/place.js'
import { isSystemId } from '../../system-ids.js'
import { broughtBack } from '../../streams/tags.js'

/** The stream. Without children, of which it has none: older clients stumble over a list of them here. */
export const create = method({
  id: 'streams.create',
  summary: 'Create a stream',
  params: Type.Object(
    {
      id: orNull(Identifier),
      name: Stream.properties.name,
      parentId: orNull(Identifier),
      clientData: orNull(KeyValue),
      trashed: orNull(Type.Boolean()),
      ...protectedFields(trackingFields)
    },
    closed
  ),
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id: wanted, name, parentId, clientData, trashed }) {
    const { caller, changes, now, store } = call
    if (typeof parentId === 'string' && parentId === wanted)
      fail('invalid-operation', 'A stream cannot be its own parent')
    const tag = typeof wanted === 'string' && broughtBack(call, wanted, parentId ?? null)
    if (tag) return { stream: tag }
    mustFitBelow(call, parentId ?? null)
    const id = typeof wanted === 'string' ? ownId(store, wanted) : newId()
    const at = store.stamp(now)
    const data = mergedClientData(call, undefined, clientData)
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
    orConflict(store.streams, stream, () => insertStream(call, stream))
    changes.add('streams', [id])
    return { stream }
  }
})

/** The id that a client's wish leads to. */
function ownId({ streams }: UserStore, wanted: string): string {
  const id = isSystemId(wanted) ? wanted : toSlug(wanted)
  if (isSystemId(id) || streams.isTagId(id))
    fail('invalid-item-id', `The id "${wanted}" is reserved for the service`)
  return id
}
