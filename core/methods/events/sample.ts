/** Aggregates event values into buckets over a time range, for charts of any length. (docs/api/samples.md) */
import { Type, type Static } from 'typebox'
import { EventStates, EventTypes } from '../../../schemas/event.js'
import { closed, orNull, Timestamp } from '../../../schemas/scalars.js'
import type { SampleQuery, SampleRun } from '../../../storage/event-values/sample-run.js'
import { includesAudit } from '../../audit/events.js'
import { describeMergedScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { ReaderVersion, type Reader } from '../../call/reader.js'
import { fail } from '../../errors.js'
import { insertLiveValues } from '../../events/live-values.js'
import { resolveMergedScope } from '../../events/scope.js'
import { trashedByState, findTypeNumbers } from '../../events/selection.js'
import type { Listing, Page } from '../../json/json-text.js'
import { refuseParams } from '../../validation/params.js'
import { omitNulls, type WithoutNulls } from '../../validation/omit-nulls.js'

const Params = Type.Object(
  {
    /** See core/events/streams-query.ts. */
    streams: Type.Optional(Type.Unknown()),
    types: orNull(EventTypes),
    fromTime: Timestamp,
    toTime: Timestamp,
    parts: Type.Integer({ minimum: 1, maximum: 4000 }),
    /** Keys joined by dots. */
    field: orNull(Type.String({ pattern: '^[a-zA-Z0-9_:-]+(\\.[a-zA-Z0-9_:-]+)*$', maxLength: 256 })),
    state: orNull(EventStates),
    /** The token, if it is sent as a parameter; it has been read before. */
    auth: Type.Optional(Type.String())
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

const Sample = Type.Object({
  time: Timestamp,
  count: Type.Integer(),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  mean: Type.Optional(Type.Number()),
  first: Type.Optional(Type.Number()),
  last: Type.Optional(Type.Number())
})

/** Returns the non-empty buckets, in order of time. Throws `invalid-operation` for streams of the audit. */
export const sample = method({
  id: 'events.sample',
  summary: 'Aggregate numbers of events for a chart',
  params: Params,
  result: Type.Object({ samples: Type.Array(Sample) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  run(call, all) {
    const params = omitNulls(all)
    if (params.fromTime >= params.toTime)
      refuseParams([{ code: 'MINIMUM', message: 'must be later than fromTime', path: '#/toTime' }])
    if (includesAudit(params.streams))
      fail('invalid-operation', 'The audit contains no numbers. Use streams of the account only')
    const { fromTime: from, streams, toTime: to } = params
    call.auditScope = describeMergedScope(call.caller, streams, { from, to })
    return { samples: new SampleListing(call, params) }
  }
})

/** Scans all events, then returns all buckets at once. */
class SampleListing implements Listing<Reader> {
  readonly #permissions: ReaderVersion
  #run: SampleRun

  constructor(
    private readonly call: Call,
    private readonly params: Params
  ) {
    this.#permissions = new ReaderVersion(call)
    this.#run = call.store.events.createSample(buildQuery(call, params))
  }

  /** Scans on. Empty pages until all events have been scanned, then one page with all buckets. */
  next(reader: Reader): Page {
    const { call, params } = this
    const { store } = reader
    // The values aggregated so far may include ones that this reader must not see: start again.
    if (this.#permissions.hasChanged(reader))
      this.#run = store.events.createSample(buildQuery({ ...call, ...reader }, params))
    const done = store.events.continueSample(this.#run, body => insertLiveValues(call.services, body, store))
    if (!done) return { text: '', count: 0, done }
    const samples = this.#run.target.toSamples()
    return { text: JSON.stringify(samples).slice(1, -1), count: samples.length, done }
  }
}

function buildQuery(call: Call, params: Params): SampleQuery {
  const { field, fromTime, parts, state = 'default', streams, toTime, types } = params
  return {
    streams: resolveMergedScope(call, streams, state !== 'default'),
    types: findTypeNumbers(call.store, types),
    trashed: trashedByState[state],
    from: fromTime,
    to: toTime,
    buckets: parts,
    field
  }
}
