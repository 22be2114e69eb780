/** Creates one stream. (docs/spec/streams.md#creating) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, KeyValue, Name, orNull } from '../../../schemas/scalars.js'
import { Stream } from '../../../schemas/stream.js'
import type { Steps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { anyAccess } from '../../auth/allow.js'
import { mergeLimitedClientData } from '../../validation/client-data.js'
import { addStream, insertStream } from '../../streams/ended-permissions.js'
import { fail } from '../../errors.js'
import { createId, toSlug } from '../../ids.js'
import { methodInSteps, type Call } from '../../call/method.js'
import { acceptProtectedFields, trackingFields } from '../../validation/protected-fields.js'
import { writeStream } from '../../streams/write-stream.js'
import { assertParent } from '../../streams/placement.js'
import { isCmcId } from '../../cmc-ids.js'
import { assertNotSecretsStream } from '../../shared-secrets/rules.js'
import { isSystemId } from '../../system-ids.js'
import { restoreTagStream } from '../../streams/tags.js'

const Params = Type.Object(
  {
    id: orNull(Identifier),
    name: Name,
    parentId: orNull(Identifier),
    clientData: orNull(KeyValue),
    trashed: orNull(Type.Boolean()),
    ...acceptProtectedFields(trackingFields)
  },
  closed
)
type Params = Static<typeof Params>

/**
 * Creates a stream and returns it, without `children`: older clients fail on an empty list of children here.
 * The id of a tag that was deleted restores its stream.
 */
export const create = methodInSteps({
  id: 'streams.create',
  summary: 'Create a stream',
  params: Params,
  result: Type.Object({ stream: Stream }),
  mode: 'write',
  allow: anyAccess,
  run: createInSteps,
  // Adding a stream reports that it takes long.
  isLong: () => false
})

/**
 * Creates the stream; one of a tag, which the owner restores from a backup, as it was. Errors: `item-already-exists`,
 * `invalid-item-id`, `unknown-referenced-resource`, `invalid-operation`, `forbidden`.
 */
function* createInSteps(call: Call, params: Params): Steps<{ stream: Stream }> {
  const { id: requested, name, parentId, clientData, trashed } = params
  const { caller, changes, now, store } = call
  assertNotSecretsStream(requested, parentId)
  if (typeof parentId === 'string' && parentId === requested)
    fail('invalid-operation', 'A stream cannot be its own parent')
  const tag = typeof requested === 'string' && (yield* restoreTagStream(call, requested, parentId ?? null))
  if (tag) return { stream: tag }
  assertParent(call, parentId ?? null)
  const id = typeof requested === 'string' ? resolveId(store, requested) : createId()
  const at = store.stamp(now)
  const data = mergeLimitedClientData(call, undefined, clientData)
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
  yield* insertStream(call, stream, () => writeStream(store.streams, stream, () => addStream(call, stream)))
  changes.add('streams', [id])
  return { stream }
}

/**
 * Returns the id of the new stream, in which characters that ids cannot have are replaced. Throws
 * `invalid-item-id` for reserved ids.
 */
function resolveId({ streams }: UserStore, requested: string): string {
  const id = isSystemId(requested) || isCmcId(requested) ? requested : toSlug(requested)
  if (isSystemId(id) || streams.isTagId(id)) fail('invalid-item-id', `The ID "${requested}" is reserved`)
  return id
}
