/** Appends a message to a stream behind the last one of its subject. */
import { setTimeout as wait } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { Conflict, EngineUnavailable } from '../engine.js'
import { JetStreamError, publish, errorCodes } from './jetstream.js'

/** Time before another try while an earlier message of the subject is under way, in milliseconds. */
const retryMs = 20

/**
 * Appends a message, and resolves with its sequence. Rejects with `Conflict` if the last one of the subject is not the expected
 * one, with `EngineUnavailable` if it is not known what has become of it.
 */
export async function appendBehind(
  connection: NatsConnection,
  stream: string,
  subject: string,
  bytes: Uint8Array,
  expected: number,
  timeoutMs: number
): Promise<number> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await publish(connection, stream, subject, bytes, expected, timeoutMs)
    } catch (error) {
      if (!(error instanceof JetStreamError)) throw error
      if (error.code === errorCodes.wrongLast && isBehind(error, expected)) throw new Conflict(subject)
      // Whether an earlier message arrives is settled soon: then this one follows it, or is refused for good.
      if (error.code !== errorCodes.wrongLastInFlight || performance.now() > deadline)
        throw new EngineUnavailable(error)
    }
    await wait(retryMs)
  }
}

/** Whether the log goes on behind the expected message; a leader that has not read its own log to the end says otherwise. */
function isBehind({ message }: JetStreamError, expected: number): boolean {
  const [, last] = /wrong last sequence: (\d+)/.exec(message) ?? []
  return last !== undefined && Number(last) > expected
}
