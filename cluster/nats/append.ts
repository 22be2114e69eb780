/** Appends a message to a stream after the last one of its subject. */
import { setTimeout as wait } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { Conflict, EngineUnavailable } from '../engine.js'
import { JetStreamError, publish, errorCodes } from './jetstream.js'

/** Time before a retry while an earlier message of the subject is pending, in milliseconds. */
const retryMs = 20

/**
 * Appends a message, and resolves with its sequence. Rejects with `Conflict` if the last message of the subject is not
 * the expected one, with `EngineUnavailable` if the outcome is unknown.
 */
export async function appendAfter(
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
      if (error.code === errorCodes.wrongLast && hasLaterMessage(error, expected)) throw new Conflict(subject)
      // An earlier message is pending. Once its outcome is known, this one is appended or refused permanently.
      if (error.code !== errorCodes.wrongLastInFlight || performance.now() > deadline)
        throw new EngineUnavailable(error)
    }
    await wait(retryMs)
  }
}

/**
 * Returns whether the error says that the log has a later message than expected. An earlier message means that the leader
 * has not read its whole log yet.
 */
function hasLaterMessage({ message }: JetStreamError, expected: number): boolean {
  const [, last] = /wrong last sequence: (\d+)/.exec(message) ?? []
  return last !== undefined && Number(last) > expected
}
