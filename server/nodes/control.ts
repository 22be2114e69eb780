/** What operators ask a node for, by `coffer cluster`. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { StandingAlarm } from './alarms.js'
import type { Reopening } from './reopening.js'
import type { Rescuing } from './rescuing.js'
import { times } from './times.js'

/** What a node can be asked for. */
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

/** Whether it has been done, and why not otherwise. */
export interface Controlled {
  readonly ok: boolean
  readonly message: string
  /** The alarms that stand, if the node was asked for what it has to tell. */
  readonly alarms?: readonly StandingAlarm[]
  /** What there is of an account, if that was asked for. */
  readonly found?: Awaited<ReturnType<Rescuing['look']>>
}

/** What a node does it with. */
export interface Controllable {
  readonly lease: Pick<Lease, 'leave'>
  readonly shards: Pick<Shards, 'drain' | 'owned' | 'move'>
  readonly oversight: { alarms(): readonly StandingAlarm[] }
  readonly rescuing: Pick<Rescuing, 'look' | 'take'>
  readonly reopening: Pick<Reopening, 'letGo' | 'reopen'>
}

/** Time within which a node tells of its alarms, in milliseconds. */
const patienceMs = 5000
/** Polls without a shard after which a node that leaves has none, and polls until it says that nobody takes those that it has. */
const [settledPolls, patientPolls] = [3, 3]

/** Answers a message of `coffer cluster`. Never rejects. */
export async function answerControl(message: Buffer, controllable: Controllable): Promise<Uint8Array> {
  try {
    return answerOf({ ok: true, ...(await done(controlIn(message), controllable)) })
  } catch (error) {
    return answerOf({ ok: false, message: error instanceof Error ? error.message : String(error) })
  }
}

/** The message that asks for something. */
export function controlMessage(control: Control): Buffer {
  return Buffer.from(JSON.stringify(control))
}

/** What a node has answered. */
export function controlledIn(answer: Uint8Array): Controlled {
  return JSON.parse(Buffer.from(answer).toString()) as Controlled
}

/** The alarms of a node, who may be asked by anybody; `undefined` if it does not answer. */
export async function alarmsAt(
  engine: Pick<Engine, 'send'>,
  node: string
): Promise<readonly StandingAlarm[] | undefined> {
  try {
    return controlledIn(await engine.send(node, controlMessage({ do: 'tell' }), patienceMs)).alarms
  } catch {
    return undefined
  }
}

function controlIn(message: Buffer): Control {
  return JSON.parse(message.toString()) as Control
}

async function done(
  control: Control,
  { lease, oversight, reopening, rescuing, shards }: Controllable
): Promise<Omit<Controlled, 'ok'>> {
  switch (control.do) {
    case 'move':
      await shards.move(control.shard, control.to, true)
      return { message: `Shard ${control.shard} is on ${control.to}` }
    case 'drain':
      lease.leave()
      await movedAway(shards)
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
 * Moves all shards away. Whoever has not heard yet that this node leaves may still give it one: none has come for some polls in the
 * end. Rejects if there is nobody to take them.
 */
async function movedAway(shards: Pick<Shards, 'drain' | 'owned'>): Promise<void> {
  let without = 0
  for (let polls = 1; without < settledPolls; polls++) {
    const staying = await shards.drain()
    without = shards.owned.length === 0 ? without + 1 : 0
    if (polls > patientPolls) assertNoneLeft(staying)
    await wait(times.pollMs)
  }
}

/** Throws if nobody can take the shards of a node that leaves. */
function assertNoneLeft(left: number): void {
  if (left === 0) return
  const those = left === 1 ? '1 shard stays' : `shards not moved: ${left}`
  throw new Error(`${those}, because no other node can take them. They move as soon as one can`)
}

function answerOf(controlled: Controlled): Buffer {
  return Buffer.from(JSON.stringify(controlled))
}
