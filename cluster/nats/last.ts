/** Reads the last message of a subject from the leader of its stream: other replicas may lag behind. */
import type { NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable, type Entry } from '../engine.js'
import { ask, JetStreamError, refusal } from './jetstream.js'

interface Stored {
  readonly message: { readonly seq: number; readonly data?: string }
}

/** The last message of a subject; `undefined` if there is none. Rejects with `EngineUnavailable`. */
export async function lastMessage(
  connection: NatsConnection,
  stream: string,
  subject: string,
  timeoutMs: number
): Promise<Entry | undefined> {
  try {
    const question = `STREAM.MSG.GET.${stream}`
    const { message } = await ask<Stored>(connection, question, { last_by_subj: subject }, timeoutMs)
    return { subject, sequence: message.seq, bytes: Buffer.from(message.data ?? '', 'base64') }
  } catch (error) {
    if (!(error instanceof JetStreamError)) throw error
    if (error.code === refusal.messageNotFound) return undefined
    throw new EngineUnavailable(error)
  }
}
