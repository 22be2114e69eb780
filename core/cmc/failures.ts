/** Errors of consent and messages: `invalid-operation` with an id in the data. (docs/spec/consent.md#errors) */
import { fail } from '../errors.js'

/** Refuses a call with `invalid-operation` and the id of a reason. */
export function refuse(id: string, message: string, data: object = {}): never {
  fail('invalid-operation', message, { id, ...data })
}

/**
 * Refuses a call that needs the server of a peer, which cannot be reached. The error is `invalid-operation`
 * with the id `cmc-peer-unavailable`.
 */
export function refusePeerUnavailable(): never {
  refuse('cmc-peer-unavailable', 'The server of the other account cannot be reached. Try again later')
}

/** Refuses a malformed event with `invalid-operation` and the id `cmc-invalid-event-content`. */
export function refuseContent(eventType: string, errors: readonly string[]): never {
  refuse('cmc-invalid-event-content', `The content of ${eventType} is invalid: ${errors.join('; ')}`, {
    eventType,
    errors
  })
}

/** Thrown to end the work of a trigger: the trigger then says why. */
export class TriggerFailed extends Error {
  constructor(
    readonly reason: string,
    readonly detail?: unknown
  ) {
    super(reason)
  }
}

/** Thrown if a peer cannot be reached at the moment. */
export class PeerUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfter?: number
  ) {
    super(message)
  }
}
