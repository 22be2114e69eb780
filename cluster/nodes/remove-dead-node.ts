/** Forgets a node that others have declared dead, and that does not come back: another machine has taken its place. */
import type { Register } from '../engine.js'
import { nodeKey, parseNodeState } from './node-state.js'

/**
 * Returns whether there was such a node. If it comes back after all it begins another life, with nothing. Rejects with `Conflict`
 * if it comes back just now, with `EngineUnavailable`.
 */
export async function removeDeadNode(
  register: Pick<Register, 'cas' | 'get'>,
  node: string
): Promise<boolean> {
  const found = await register.get(nodeKey(node))
  const state = found && parseNodeState(found)
  if (!found || state?.state !== 'dead') return false
  // With the incarnation of the one that died, a process that was only frozen would take this for a word of its own.
  const ended = { ...state, incarnation: state.incarnation + 1, state: 'ended' }
  await register.cas(nodeKey(node), found.revision, Buffer.from(JSON.stringify(ended)))
  return true
}
