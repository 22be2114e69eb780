/** Removes nodes that others have declared dead and that will not come back, for example because another machine replaces them. */
import type { Register } from '../engine.js'
import { nodeKey, parseNodeState } from './node-state.js'

/**
 * Removes a node from the cluster. Returns `false` if it is not declared dead. If it comes back later, it joins again without
 * shards. Rejects with `Conflict` if it comes back at this moment, and with `EngineUnavailable`.
 */
export async function removeDeadNode(
  register: Pick<Register, 'cas' | 'get'>,
  node: string
): Promise<boolean> {
  const found = await register.get(nodeKey(node))
  const state = found && parseNodeState(found)
  if (!found || state?.state !== 'dead') return false
  // With the incarnation of the dead node, a process that was only frozen would mistake this for its own state.
  const ended = { ...state, incarnation: state.incarnation + 1, state: 'ended' }
  await register.cas(nodeKey(node), found.revision, Buffer.from(JSON.stringify(ended)))
  return true
}
