/** Reads the last message of a subject from the leader of its stream: other replicas may lag behind. */
import type { NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable, type Entry } from '../engine.js'
import type { Connected } from './connection.js'
import type { DamagedCopies } from './damaged-copies.js'
import { translateRefusal, callApi, JetStreamError, errorCodes } from './jetstream.js'

/** What reading messages needs. */
export interface ReadContext extends Connected {
  /** Receives copies that turn out to be damaged. */
  readonly damaged?: DamagedCopies
}

/** Minimum time between two requests to a server to hand over a stream, in milliseconds. */
const minReplaceIntervalMs = 30_000
/** When servers were last asked to hand over streams, by connection. */
const replacedAt = new WeakMap<NatsConnection, Map<string, number>>()

interface Stored {
  readonly message: { readonly seq: number; readonly data?: string }
}

interface StreamInfo {
  readonly cluster?: { readonly leader?: string }
  readonly state: { readonly subjects?: Readonly<Record<string, number>> }
}

/**
 * Reads the last message of a subject; `undefined` if there is none. Rejects with `EngineUnavailable`. If the
 * leader of the stream cannot read that message, another server is made the leader, and this rejects as well.
 */
export async function lastMessage(
  context: ReadContext,
  stream: string,
  subject: string
): Promise<Entry | undefined> {
  const last = await readLast(context, stream, subject)
  if (last) return last
  // A leader omits a message that is corrupted on its disk, but still counts it.
  const leader = await findCountingLeader(context, stream, subject)
  if (leader === undefined) return undefined
  // The message may have arrived just now.
  const again = await readLast(context, stream, subject)
  if (again) return again
  await replaceLeader(context, stream, leader)
  throw new EngineUnavailable(new Error(`${leader}, the leader of ${stream}, cannot read its replica`))
}

/** Reads the last message of a subject; `undefined` if there is none. Rejects with `EngineUnavailable`. */
async function readLast(
  { connection, timeoutMs }: ReadContext,
  stream: string,
  subject: string
): Promise<Entry | undefined> {
  try {
    const question = `STREAM.MSG.GET.${stream}`
    const { message } = await callApi<Stored>(connection, question, { last_by_subj: subject }, timeoutMs)
    return { subject, sequence: message.seq, bytes: Buffer.from(message.data ?? '', 'base64') }
  } catch (error) {
    if (!(error instanceof JetStreamError)) throw error
    if (error.code === errorCodes.messageNotFound) return undefined
    throw new EngineUnavailable(error)
  }
}

/**
 * Makes another server lead a stream, and records the previous leader as damaged. The next read shows whether that
 * helped. Limited in frequency: if no server can read the message, retries must not interrupt the stream for others.
 */
async function replaceLeader(
  { connection, damaged, timeoutMs }: ReadContext,
  stream: string,
  leader: string
): Promise<void> {
  damaged?.record({ stream, server: leader })
  const times = replacedAt.get(connection) ?? new Map<string, number>()
  replacedAt.set(connection, times)
  const copy = `${leader} ${stream}`
  if (performance.now() - (times.get(copy) ?? -Infinity) < minReplaceIntervalMs) return
  await translateRefusal(callApi(connection, `STREAM.LEADER.STEPDOWN.${stream}`, {}, timeoutMs))
  times.set(copy, performance.now())
}

/** Returns the leader of a stream, as it reports itself, if its index counts messages of a subject. */
async function findCountingLeader(
  { connection, timeoutMs }: ReadContext,
  stream: string,
  subject: string
): Promise<string | undefined> {
  const wanted = { subjects_filter: subject }
  const pending = callApi<StreamInfo>(connection, `STREAM.INFO.${stream}`, wanted, timeoutMs)
  const { cluster, state } = await translateRefusal(pending)
  return state.subjects?.[subject] ? cluster?.leader : undefined
}
