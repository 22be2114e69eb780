/** Asks the node that serves a user to let go of the account, whoever that is by the time it answers. */
import { setTimeout as wait } from 'node:timers/promises'
import { EngineUnavailable, type Engine } from '../../../cluster/engine.js'
import {
  parsePlacement,
  shardCount,
  shardKey,
  type ShardPlacement
} from '../../../cluster/nodes/shard-placement.js'
import { fixedShards } from '../../../core/call/shard.js'
import { controlledIn, controlMessage } from '../../../server/nodes/control.js'
import { BackupError } from '../backup-error.js'

/** For how long a node is asked that does not answer, one answer is waited for, and the time in between, in milliseconds. */
const [patienceMs, answerMs, pauseMs] = [60_000, 30_000, 500]

/**
 * `letGo`: what it holds of the account; `reopen`: the same, and to open what is there then. Where nobody serves the user, nothing
 * has to be let go. Rejects with {@link BackupError} if the node refuses or does not answer, and with `EngineUnavailable`.
 */
export async function askServing(
  engine: Pick<Engine, 'register' | 'send'>,
  username: string,
  what: 'letGo' | 'reopen'
): Promise<void> {
  const key = shardKey(fixedShards(shardCount).indexOf(username))
  const serving = async (): Promise<ShardPlacement | undefined> => {
    const register = await engine.register.get(key)
    return register && parsePlacement(register)
  }
  const endMs = performance.now() + patienceMs
  for (let placed = await serving(); placed;) {
    const problem = await problemOf(engine, placed.node, username, what)
    const now = await serving()
    if (problem === undefined && now?.node === placed.node && now.incarnation === placed.incarnation) return
    if (problem !== undefined && performance.now() > endMs) throw new BackupError(problem)
    if (problem !== undefined) await wait(pauseMs)
    placed = now
  }
}

/** What is against it; `undefined` if it has been done. */
async function problemOf(
  engine: Pick<Engine, 'send'>,
  node: string,
  username: string,
  what: 'letGo' | 'reopen'
): Promise<string | undefined> {
  try {
    const answer = await engine.send(node, controlMessage({ do: what, username }), answerMs)
    const { message, ok } = controlledIn(answer)
    return ok ? undefined : `${node} could not ${words[what]}: ${message}`
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error
    return `${node}, which serves ${username}, is not responding. Try again when it is back, or when other nodes have taken over`
  }
}

const words = { letGo: 'release the account', reopen: 'open the restored account' } as const
