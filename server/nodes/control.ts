/** Requests of `coffer cluster` to a node, and their responses. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { StandingAlarm } from './alarms.js'
import type { Reopening } from './reopening.js'
import type { Rescuing } from './rescuing.js'
import { times } from './times.js'

/** A request to a node. */
export type Control =
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
export interface Controlled {
  readonly ok: boolean
  readonly message: string
  /** The active alarms; for `tell` only. */
  readonly alarms?: readonly StandingAlarm[]
  /** The log and the copies of an account; for `copies` only. */
  readonly found?: Awaited<ReturnType<Rescuing['look']>>
}

/** The parts of a node that carry out requests. */
export interface Controllable {
  readonly lease: Pick<Lease, 'leave'>
  readonly shards: Pick<Shards, 'drain' | 'owned' | 'move'>
  readonly oversight: { alarms(): readonly StandingAlarm[] }
  readonly rescuing: Pick<Rescuing, 'look' | 'take'>
  readonly reopening: Pick<Reopening, 'letGo' | 'reopen'>
}

/** Timeout for a node to return its alarms, in milliseconds. */
const alarmsTimeoutMs = 5000
/** Polls without a shard until a leaving node is done, and polls until it reports that no other node takes its shards. */
const [requiredIdlePolls, maxPolls] = [3, 3]

/** Carries out a request of `coffer cluster`, and returns the encoded response. Never rejects. */
export async function answerControl(message: Buffer, controllable: Controllable): Promise<Uint8Array> {
  try {
    const control = JSON.parse(message.toString()) as Control
    return encodeResponse({ ok: true, ...(await execute(control, controllable)) })
  } catch (error) {
    return encodeResponse({ ok: false, message: error instanceof Error ? error.message : String(error) })
  }
}

/** Encodes a request. */
export function controlMessage(control: Control): Buffer {
  return Buffer.from(JSON.stringify(control))
}

/** Parses the response of a node. */
export function controlledIn(answer: Uint8Array): Controlled {
  return JSON.parse(Buffer.from(answer).toString()) as Controlled
}

/** Requests the active alarms of a node. Resolves with `undefined` if it does not respond. */
export async function alarmsAt(
  engine: Pick<Engine, 'send'>,
  node: string
): Promise<readonly StandingAlarm[] | undefined> {
  try {
    return controlledIn(await engine.send(node, controlMessage({ do: 'tell' }), alarmsTimeoutMs)).alarms
  } catch {
    return undefined
  }
}

async function execute(
  control: Control,
  { lease, oversight, reopening, rescuing, shards }: Controllable
): Promise<Omit<Controlled, 'ok'>> {
  switch (control.do) {
    case 'move':
      await shards.move(control.shard, control.to, true)
      return { message: `Shard ${control.shard} is on ${control.to}` }
    case 'drain':
      lease.leave()
      await moveShardsAway(shards)
      return { message: 'All shards have been moved away' }
    case 'tell':
      return { message: '', alarms: oversight.alarms() }
    case 'copies':
      return { message: '', found: await rescuing.look(control.username) }
    case 'rescue':
      return { message: await rescuing.take(control.username, control.place, control.isLossAccepted) }
    case 'letGo':
      await reopening.letGo(control.username)
      return { message: '' }
    case 'reopen':
      await reopening.reopen(control.username)
      return { message: '' }
    default:
      throw new Error('This node does not support this command. Upgrade its software')
  }
}

/**
 * Moves all shards away. Other nodes that do not know yet that this node leaves may still hand it shards, so it is done only
 * after several polls without any. Rejects if no other node can take them.
 */
async function moveShardsAway(shards: Pick<Shards, 'drain' | 'owned'>): Promise<void> {
  let idlePolls = 0
  for (let polls = 1; idlePolls < requiredIdlePolls; polls++) {
    const remaining = await shards.drain()
    idlePolls = shards.owned.length === 0 ? idlePolls + 1 : 0
    if (polls > maxPolls) assertNoneLeft(remaining)
    await wait(times.pollMs)
  }
}

/** Throws if shards remain that no other node can take. */
function assertNoneLeft(remaining: number): void {
  if (remaining === 0) return
  const subject = remaining === 1 ? '1 shard stays' : `shards not moved: ${remaining}`
  throw new Error(`${subject}, because no other node can take them. They move as soon as one can`)
}

function encodeResponse(controlled: Controlled): Buffer {
  return Buffer.from(JSON.stringify(controlled))
}
