/** Mappings of connections: how fields of any JSON become events. (docs/api/connections.md#any-json) */
import type { Arrivals } from '../../schemas/connection.js'
import type { ReceivedMappings } from '../../schemas/received-mapping.js'
import { isZone } from '../../schemas/zones.js'
import type { StoredConnection } from '../../storage/connections/connection-repository.js'
import type { Steps } from '../../storage/steps.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call } from '../call/method.js'
import { KnownMeasures } from '../measures/known-measures.js'
import { Caller } from '../permissions/caller.js'
import { refuseParams } from '../validation/params.js'
import { addArrivals } from './arrivals.js'
import { storeRecords } from './intake.js'
import type { IntakeMethods } from './intake-context.js'

/**
 * Checks what the schema of a mapping does not. Error: `invalid-parameters-format` for an unknown type, measure or time zone, and for
 * the mapping of a dialect that has none. `path`: where the mapping stands in the params.
 */
export function checkMapping(
  call: Pick<Call, 'caller' | 'services' | 'store'>,
  dialect: DialectInfo,
  mapping: ReceivedMappings | null | undefined,
  path: string
): void {
  if (!mapping) return
  const refuse = (code: string, message: string): never => refuseParams([{ code, message, path }])
  if (!dialect.readWaiting) refuse('INVALID', `Connections of the dialect "${dialect.id}" take no mapping`)
  const known = new KnownMeasures(call)
  for (const { measure, type, zone } of Array.isArray(mapping) ? mapping : [mapping]) {
    if (!call.services.eventTypes.isKnown(type)) refuse('INVALID', `Unknown type "${type}"`)
    if (measure !== undefined && known.find(measure)?.types.includes(type) !== true)
      refuse('INVALID', `No measure "${measure}" of the type "${type}"`)
    if (zone !== undefined && !isZone(zone)) refuse('INVALID', 'The time zone is unknown')
  }
}

/**
 * Stores what has waited for the mapping of a connection. Returns the connection without waiting bodies;
 * unchanged if it has no mapping, nothing waits, or its access has ended.
 */
export function* storeWaiting(
  call: Call,
  methods: IntakeMethods,
  dialect: DialectInfo,
  { arrivals, connection }: StoredConnection
): Steps<StoredConnection> {
  if (!connection.mapping || !dialect.readWaiting || arrivals.waiting.length === 0)
    return { arrivals, connection }
  // The events are those of the connection, as if they arrived now.
  const access = call.store.accesses.find(connection.accessId)
  if (!access) return { arrivals, connection }
  const own = { ...call, caller: new Caller(call.store, access) }
  let counted: Arrivals = { ...arrivals, waiting: [] }
  for (const waiting of arrivals.waiting) {
    const { notUnderstood, records } = dialect.readWaiting(waiting, connection)
    const refused = yield* storeRecords(own, methods, connection, dialect.format, { records }, new Map())
    for (const counts of [notUnderstood, refused])
      counted = addArrivals(counted, counted.lastHeard ?? call.now, 0, counts)
  }
  return { connection, arrivals: counted }
}
