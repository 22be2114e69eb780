/** Requests of `coffer cluster` to a node, and their responses. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { ActiveAlarm } from './active-alarms.js'
import type { AccountRescue, RestoredAccounts } from './account-recovery.js'
import { timings } from './timings.js'

/** A request to a node. */
export type ControlRequest =
  | { readonly do: 'move'; readonly shard: number; readonly to: string }
  | { readonly do: 'drain' }
  | { readonly do: 'tell' }
  | { readonly do: 'copies'; readonly username: string }
  | {
      readonly do: 'rescue'
      readonly username: string
      readonly place: string
      readonly isLossAccepted: boolean
    }
  | { readonly do: 'letGo' | 'reopen'; readonly username: string }

/** The response: whether the request succeeded, and the result or the error as text. */
export interface ControlResponse {
  readonly ok: boolean
  readonly message: string
  /** The active alarms; for `tell` only. */
  readonly alarms?: readonly ActiveAlarm[]
  /** The log and the copies of an account; for `copies` only. */
  readonly found?: Awaited<ReturnType<AccountRescue['inspect']>>
}

/** The parts of a node that carry out requests. */
export interface ControlTargets {
  readonly lease: Pick<Lease, 'leave'>
  readonly shards: Pick<Shards, 'drain' | 'owned' | 'move'>
  readonly monitor: { alarms(): readonly ActiveAlarm[] }
  readonly accountRescue: Pick<AccountRescue, 'inspect' | 'restore'>
  readonly restoredAccounts: Pick<RestoredAccounts, 'release' | 'reopen'>
}

/** Timeout for a node to return its alarms, in milliseconds. */
const alarmsTimeoutMs = 5000
/** Polls without a shard until a leaving node is done, and polls until it reports that no other node takes its shards. */
const [requiredIdlePolls, maxPolls] = [3, 3]

/** Carries out a request of `coffer cluster`, and returns the encoded response. Never rejects. */
export async function answerControlRequest(message: Buffer, targets: ControlTargets): Promise<Uint8Array> {
  try {
    const request = JSON.parse(message.toString()) as ControlRequest
    return encodeResponse({ ok: true, ...(await executeRequest(request, targets)) })
  } catch (error) {
    return encodeResponse({ ok: false, message: error instanceof Error ? error.message : String(error) })
  }
}

/** Encodes a request. */
export function encodeControlRequest(request: ControlRequest): Buffer {
  return Buffer.from(JSON.stringify(request))
}

/** Parses the response of a node. */
export function parseControlResponse(answer: Uint8Array): ControlResponse {
  return JSON.parse(Buffer.from(answer).toString()) as ControlResponse
}

/** Requests the active alarms of a node. Resolves with `undefined` if it does not respond. */
export async function requestAlarms(
  engine: Pick<Engine, 'send'>,
  node: string
): Promise<readonly ActiveAlarm[] | undefined> {
  try {
    return parseControlResponse(
      await engine.send(node, encodeControlRequest({ do: 'tell' }), alarmsTimeoutMs)
    ).alarms
  } catch {
    return undefined
  }
}

/** Executes a request and returns what it has found or done. Rejects if it fails, or is of a newer version. */
async function executeRequest(
  request: ControlRequest,
  { lease, monitor, restoredAccounts, accountRescue, shards }: ControlTargets
): Promise<Omit<ControlResponse, 'ok'>> {
  switch (request.do) {
    case 'move':
      await shards.move(request.shard, request.to, true)
      return { message: `Shard ${request.shard} is on ${request.to}` }
    case 'drain':
      lease.leave()
      await moveShardsAway(shards)
      return { message: 'All shards have been moved away' }
    case 'tell':
      return { message: '', alarms: monitor.alarms() }
    case 'copies':
      return { message: '', found: await accountRescue.inspect(request.username) }
    case 'rescue':
      return { message: await accountRescue.restore(request.username, request.place, request.isLossAccepted) }
    case 'letGo':
      await restoredAccounts.release(request.username)
      return { message: '' }
    case 'reopen':
      await restoredAccounts.reopen(request.username)
      return { message: '' }
    default:
      throw new Error('This node does not support this command. Upgrade its software')
  }
}

/**
 * Moves all shards away. Other nodes that do not know yet that this node leaves may still hand it shards, so moving is
 * done only after several polls without any shard. Rejects if no other node can take them.
 */
async function moveShardsAway(shards: Pick<Shards, 'drain' | 'owned'>): Promise<void> {
  let idlePolls = 0
  for (let polls = 1; idlePolls < requiredIdlePolls; polls++) {
    const remaining = await shards.drain()
    idlePolls = shards.owned.length === 0 ? idlePolls + 1 : 0
    if (polls > maxPolls) assertNoneLeft(remaining)
    await wait(timings.pollMs)
  }
}

/** Throws if shards remain that no other node can take. */
function assertNoneLeft(remaining: number): void {
  if (remaining === 0) return
  const subject = remaining === 1 ? '1 shard stays' : `shards not moved: ${remaining}`
  throw new Error(`${subject}, because no other node can take them. They move as soon as one can`)
}

function encodeResponse(response: ControlResponse): Buffer {
  return Buffer.from(JSON.stringify(response))
}
