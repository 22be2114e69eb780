/** Summarises each stream: number of events by type, time of the first and last, and the latest. (docs/api/samples.md) */
import { Type } from 'typebox'
import { closed, Identifier, Timestamp } from '../../../schemas/scalars.js'
import type { Fact, FactsRun } from '../../../storage/event-values/facts-run.js'
import { includesAudit } from '../../audit/events.js'
import { describeQueryScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { ReaderVersion, type Reader } from '../../call/reader.js'
import { fail } from '../../errors.js'
import { insertLiveValues } from '../../events/live-values.js'
import { resolveEventScope } from '../../events/scope.js'
import type { Listing, Page } from '../../json/json-text.js'
import { omitNulls } from '../../validation/omit-nulls.js'

/**
 * Returns a fact for each type of events in the streams that the caller may read. Events in trashed streams
 * do not count. Throws `invalid-operation` for streams of the audit.
 */
export const facts = method({
  id: 'streams.facts',
  summary: 'Get the contents of each stream',
  params: Type.Object(
    {
      /** See core/events/streams-query.ts. */
      streams: Type.Optional(Type.Unknown())
    },
    closed
  ),
  result: Type.Object({
    facts: Type.Array(
      Type.Object({
        streamId: Identifier,
        type: Type.String(),
        count: Type.Integer(),
        first: Timestamp,
        last: Timestamp,
        latest: Type.Optional(Type.Unknown())
      })
    )
  }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  run(call, params) {
    const { streams } = omitNulls(params)
    if (includesAudit(streams))
      fail('invalid-operation', 'The audit cannot be counted. Use streams of the account only')
    call.auditScope = describeQueryScope(call.caller, streams, {})
    return { facts: new FactsListing(call, streams) }
  }
})

class FactsListing implements Listing<Reader> {
  readonly #permissions: ReaderVersion
  readonly #run: FactsRun

  constructor(
    private readonly call: Call,
    private readonly streams: unknown
  ) {
    this.#permissions = new ReaderVersion(call)
    this.#run = call.store.events.createFacts(resolveEventScope(call, streams, false))
  }

  next(reader: Reader): Page {
    const { call, streams } = this
    const { store } = reader
    if (this.#permissions.hasChanged(reader))
      this.#run.updateScope(resolveEventScope({ ...call, ...reader }, streams, false))
    const found = store.events.nextFacts(this.#run, body => insertLiveValues(call.services, body, store))
    const texts = found.flatMap(fact => toFactText(reader, fact) ?? [])
    return { text: texts.join(','), count: texts.length, done: this.#run.isDone }
  }
}

/** Formats a fact; `undefined` for streams that are in no tree. */
function toFactText(
  { store }: Reader,
  { count, first, last, latest, stream, type }: Fact
): string | undefined {
  const streamId = store.streams.findByNumber(stream)?.stream.id
  if (streamId === undefined) return undefined
  const shown = JSON.stringify({ streamId, type, count, first, last })
  return latest === undefined ? shown : `${shown.slice(0, -1)},"latest":${latest}}`
}
