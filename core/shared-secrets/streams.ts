/** The streams of shared secrets in `streams.get`, once there are any. (docs/spec/shared-secrets.md#reading) */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { getSecretsStreamId, sharedSecretsRoot } from '../system-ids.js'

type Tree = Static<typeof StreamTree>

/**
 * Returns the topmost streams of secrets that a caller sees: for the user the root, with a stream for each
 * access below it; for an access its own. Empty if there are no secrets.
 */
export function listSecretRoots(call: Call): Tree[] {
  const { caller, store } = call
  if (!store.sharedSecrets.has(caller.isPersonal ? undefined : caller.accessId)) return []
  const children = listBelow(call)
  if (!caller.isPersonal) return children.map(child => ({ ...child, parentId: null }))
  const created = Math.min(...children.map(child => child.created))
  return [{ ...createStream(sharedSecretsRoot, 'Shared secrets', null, created), children }]
}

/**
 * Returns the streams below a stream of secrets; none below that of an access. Error: `forbidden` for streams
 * that the caller does not see.
 */
export function listSecretStreams(call: Call, parentId: string): Tree[] {
  const { caller } = call
  if (parentId === sharedSecretsRoot) return listBelow(call)
  return caller.may('list', parentId) ? [] : fail('forbidden')
}

function listBelow({ caller, store }: Call): Tree[] {
  const accesses = store.sharedSecrets.listAccesses()
  const seen = caller.isPersonal ? accesses : accesses.filter(({ access }) => access === caller.access?.id)
  return seen.map(({ access, created }) =>
    createStream(getSecretsStreamId(access), access, sharedSecretsRoot, created)
  )
}

function createStream(id: string, name: string, parentId: string | null, created: number): Tree {
  return {
    id,
    name,
    parentId,
    created,
    createdBy: 'system',
    modified: created,
    modifiedBy: 'system',
    children: []
  }
}
