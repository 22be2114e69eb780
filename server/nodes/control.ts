/** What operators ask a node for, by `coffer cluster`. */
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Shards } from '../../cluster/nodes/shards.js'

/** What a node can be asked for. */
export type Control =
  { readonly do: 'move'; readonly shard: number; readonly to: string } | { readonly do: 'drain' }

/** Whether it has been done, and why not otherwise. */
export interface Controlled {
  readonly ok: boolean
  readonly message: string
}

/** Answers a message of `coffer cluster`. Never rejects. */
export async function answerControl(
  message: Buffer,
  {
    lease,
    shards
  }: { readonly lease: Pick<Lease, 'leave'>; readonly shards: Pick<Shards, 'drain' | 'mine' | 'move'> }
): Promise<Uint8Array> {
  try {
    return answerOf({ ok: true, message: await done(controlIn(message), lease, shards) })
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

function controlIn(message: Buffer): Control {
  return JSON.parse(message.toString()) as Control
}

async function done(
  control: Control,
  lease: Pick<Lease, 'leave'>,
  shards: Pick<Shards, 'drain' | 'mine' | 'move'>
): Promise<string> {
  if (control.do === 'move') {
    await shards.move(control.shard, control.to, true)
    return `Shard ${control.shard} is on ${control.to}`
  }
  lease.leave()
  await shards.drain()
  const left = shards.mine.length
  if (left === 0) return 'All shards have been moved away'
  const those = left === 1 ? '1 shard stays' : `${left} shards stay`
  throw new Error(`${those} for want of another node that can take them: they move as soon as there is one`)
}

function answerOf(controlled: Controlled): Buffer {
  return Buffer.from(JSON.stringify(controlled))
}
