/** Compares a measure before and after events. (docs/api/measure-methods.md#before-and-after) */
import { Type } from 'typebox'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { describeMergedScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { fail, quoteText } from '../../errors.js'
import { assertReadable, getStreamIds } from '../../events/event-permissions.js'
import { Around, AroundListing, listStreamsOfPerson, type Span } from '../../measures/around-events.js'
import { KnownMeasures, TypeName } from '../../measures/known-measures.js'
import { describeHiddenState } from '../../measures/order-sources.js'
import { assertNoAudit, MeasureId } from '../../measures/params.js'
import { omitNulls } from '../../validation/omit-nulls.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'

/** Numbers of days. */
const Days = Type.Integer({ minimum: 1, maximum: 90 })
const defaultDays = 14

/**
 * Returns the comparison of the days before and after one event, or all events of a type in a stream; 14 days
 * unless given. Throws `invalid-parameters-format` for measures of words, or unless exactly one of both is
 * given.
 */
export const around = method({
  id: 'measures.around',
  summary: 'Compare a measure before and after events',
  params: Type.Object(
    {
      measure: MeasureId,
      /** One event, */
      eventId: orNull(Identifier),
      /** or all events of a type in a stream and below it. */
      streamId: orNull(Identifier),
      type: orNull(TypeName),
      before: orNull(Days),
      after: orNull(Days),
      /** Name of the time zone whose days these are. */
      zone: orNull(Type.String())
    },
    closed
  ),
  result: Type.Object({ around: Type.Array(Around) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeHiddenState,
  run(call, all) {
    const params = omitNulls(all)
    const { after = defaultDays, before = defaultDays, eventId, streamId, type, zone = 'UTC' } = params
    assertZone(zone, '#/zone')
    const [measure] = new KnownMeasures(call).require([params.measure])
    if (measure!.kind === 'category')
      refuseParams([
        {
          code: 'INVALID',
          message: `must be a measure with numbers; "${measure!.id}" has words`,
          path: '#/measure'
        }
      ])
    if (
      (eventId === undefined) === (streamId === undefined) ||
      (streamId === undefined) !== (type === undefined)
    )
      refuseParams([{ code: 'INVALID', message: 'must be given, or streamId and type', path: '#/eventId' }])
    if (streamId !== undefined) assertNoAudit([streamId])
    const { streamIds, ...events } =
      eventId === undefined
        ? { streamId: streamId!, type: type!, streamIds: [streamId!] }
        : findSpan(call, eventId)
    const streams = listStreamsOfPerson(call, streamIds)
    call.auditScope = describeMergedScope(call.caller, streams, {})
    return { around: new AroundListing(call, { measure: measure!, events, streams, before, after, zone }) }
  }
})

/** Returns when an event was, and its streams. Errors: `unknown-referenced-resource`, `forbidden`. */
function findSpan(call: Call, id: string): Span & { readonly streamIds: readonly string[] } {
  const found = call.store.events.findText(id)
  if (!found) fail('unknown-referenced-resource', `No event ${quoteText(id)}`, { eventId: id })
  assertReadable(call, found)
  const { duration, time } = JSON.parse(found.body) as Span
  return { time, duration, streamIds: getStreamIds(call.store, found.streams) }
}
