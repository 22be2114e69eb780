/** Asks the node that serves a user to release the account. If the shard moves in the meantime, asks the new node too. */
import { setTimeout as wait } from 'node:timers/promises'
import { EngineUnavailable, type Engine } from '../../../cluster/engine.js'
import {
  parsePlacement,
  shardCount,
  shardKey,
  type ShardPlacement
} from '../../../cluster/nodes/shard-placement.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { parseControlResponse, encodeControlRequest } from '../../../server/nodes/control.js'
import { BackupError } from '../backup-error.js'

/** Total time for retries, time to wait for one reply, and time between retries. */
const [totalTimeoutMs, replyTimeoutMs, retryMs] = [60_000, 30_000, 500]

/**
 * Asks the node to release the account (`letGo`), and to open the current state again (`reopen`). Does
 * nothing if no node serves the user. Rejects with {@link BackupError} if the node refuses or does not
 * respond, and with `EngineUnavailable`. Retries for some time, also if another node takes over in the
 * meantime.
 */
export async function requestFromServingNode(
  engine: Pick<Engine, 'register' | 'send'>,
  username: string,
  what: 'letGo' | 'reopen'
): Promise<void> {
  const key = shardKey(createFixedShards(shardCount).indexOf(username))
  const findServingNode = async (): Promise<ShardPlacement | undefined> => {
    const register = await engine.register.get(key)
    return register && parsePlacement(register)
  }
  const endMs = performance.now() + totalTimeoutMs
  for (let placed = await findServingNode(); placed;) {
    const problem = await sendRequest(engine, placed.node, username, what)
    const now = await findServingNode()
    if (problem === undefined && now?.node === placed.node && now.incarnation === placed.incarnation) return
    if (problem !== undefined && performance.now() > endMs) throw new BackupError(problem)
    if (problem !== undefined) await wait(retryMs)
    placed = now
  }
}

/** Sends the request to a node. Returns why the request failed; `undefined` if it succeeded. */
async function sendRequest(
  engine: Pick<Engine, 'send'>,
  node: string,
  username: string,
  what: 'letGo' | 'reopen'
): Promise<string | undefined> {
  try {
    const answer = await engine.send(node, encodeControlRequest({ do: what, username }), replyTimeoutMs)
    const { message, ok } = parseControlResponse(answer)
    return ok ? undefined : `${node} could not ${descriptions[what]}: ${message}`
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    return `${node}, which serves ${username}, is not responding. Try again when it is back, or when other nodes have taken over`
  }
}

const descriptions = { letGo: 'release the account', reopen: 'open the restored account' } as const
