/** Reads bodies that must be declared as JSON, from callers that have not been authenticated. */
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { fail } from '../../../core/errors.js'
import { getNetwork } from '../../../core/security/network.js'
import type { PageContext } from '../exchange.js'
import { getMediaType, needsReservation, readJsonBody } from './body.js'

/**
 * Reads the body. Errors: `unsupported-content-type` unless it is declared as JSON, which pages of other origins cannot
 * do without a CORS preflight request, and the errors of {@link readJsonBody}. For a body that is large or of unknown
 * length, memory is reserved on behalf of the network of `ip`; the state of the request holds the reservation.
 */
export async function readDeclaredBody(
  ctx: PageContext,
  services: SharedServices,
  ip: string
): Promise<unknown> {
  if (getMediaType(ctx.req) !== 'application/json')
    fail('unsupported-content-type', 'The body must be JSON (application/json)')
  if (needsReservation(ctx.req))
    ctx.state.reservation = services.uploadBuffers.anonymous.admit(getNetwork(ip))
  return await readJsonBody(ctx.req, services, ctx.state.reservation)
}
