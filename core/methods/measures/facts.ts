/** Summarises each measure: the latest value, first and last times, counts, and sources. (docs/api/measure-methods.md#facts) */
import { Type } from 'typebox'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import type { MeasureFact } from '../../../storage/measures/facts-run.js'
import type { Steps } from '../../../storage/steps.js'
import { describeMergedScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import { KnownMeasures, type MeasureForm } from '../../measures/known-measures.js'
import { readLatest } from '../../measures/latest.js'
import { describeHiddenState, orderSources } from '../../measures/order-sources.js'
import { assertNoAudit, MeasureIds } from '../../measures/params.js'
import { groupInSteps, Pauses } from '../../measures/pauses.js'
import { RunListing, type StartedRun } from '../../measures/run-listing.js'
import { createMeasureScope } from '../../measures/scope.js'
import { createSharedKey } from '../../measures/share-read.js'
import { omitNulls } from '../../validation/omit-nulls.js'

const Fact = Type.Object({
  measure: Type.String(),
  count: Type.Integer(),
  first: Timestamp,
  last: Timestamp,
  latest: Type.Object({
    time: Timestamp,
    streamId: Identifier,
    type: Type.String(),
    duration: orNull(Type.Number()),
    content: Type.Optional(Type.Unknown()),
    value: Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Union([Type.Number(), Type.Null()]))])),
    unit: Type.Optional(Type.String())
  }),
  sources: Type.Array(
    Type.Object({
      streamId: Identifier,
      type: Type.String(),
      count: Type.Integer(),
      first: Timestamp,
      last: Timestamp
    })
  )
})

/** Returns a fact for each measure that has data, in the order of `measures.get`. */
export const facts = method({
  id: 'measures.facts',
  summary: 'Get the latest value and the sources of each measure',
  params: Type.Object(
    {
      measures: orNull(MeasureIds),
      /** Counts only what has been created since this time. */
      createdSince: orNull(Timestamp),
      /** See core/events/streams-query.ts. */
      streams: Type.Optional(Type.Unknown())
    },
    closed
  ),
  result: Type.Object({ facts: Type.Array(Fact) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeHiddenState,
  run(call, params) {
    const { createdSince, measures, streams } = omitNulls(params)
    const known = new KnownMeasures(call)
    const requested = measures ? known.require([...new Set(measures)]) : known.list()
    assertNoAudit(streams)
    call.auditScope = describeMergedScope(call.caller, streams, {})
    return {
      facts: new RunListing(call, streams, (reading, scope) =>
        startFacts(reading, requested, { createdSince, scopeText: scope, streams })
      )
    }
  }
})

/** Starts collecting the facts of measures; `finish` yields one text for each measure that has data. */
function startFacts(
  call: Call,
  requested: readonly MeasureForm[],
  {
    createdSince,
    scopeText,
    streams
  }: {
    readonly createdSince: number | undefined
    readonly scopeText: string
    readonly streams: unknown
  }
): StartedRun<readonly MeasureFact[]> {
  const scope = createMeasureScope(call, new KnownMeasures(call), streams)
  const types = new Set(requested.flatMap(measure => measure.types))
  return {
    run: call.store.measures.createFacts(
      { scope, isRequested: type => types.has(type), createdSince },
      createSharedKey(call, scopeText, ['facts', [...types], createdSince])
    ),
    *finish(getReader, found) {
      const byMeasure = yield* groupInSteps(found, ({ measure }) => measure)
      for (const [key, measure] of requested.entries()) {
        const own = yield* orderFacts(getReader, measure, byMeasure.get(measure.id) ?? [])
        if (own.length === 0) continue
        const text = yield* formatFact(() => ({ ...call, ...getReader() }), measure, own)
        yield { key, text }
      }
    }
  }

  /** Orders the facts by source, and within a source by type. Pauses: a measure may have thousands of sources. */
  function* orderFacts(
    getReader: () => Reader,
    { id }: MeasureForm,
    own: readonly MeasureFact[]
  ): Steps<(MeasureFact & { readonly streamId: string })[]> {
    const pauses = new Pauses()
    const bySource: { stream: number; each: MeasureFact[]; count: number }[] = []
    for (const [stream, each] of yield* groupInSteps(own, ({ source }) => source)) {
      bySource.push({ stream, each, count: each.reduce((sum, { count }) => sum + count, 0) })
      if (pauses.isDue(1)) yield
    }
    const ordered: (MeasureFact & { readonly streamId: string })[] = []
    for (const { each, streamId } of yield* orderSources(getReader, scope, id, bySource)) {
      for (const fact of each.toSorted((a, b) => (a.type < b.type ? -1 : 1)))
        ordered.push({ ...fact, streamId })
      if (pauses.isDue(1)) yield
    }
    return ordered
  }
}

/** Formats the facts of one measure as JSON, with its latest value; in steps. */
function* formatFact(
  getCall: () => Call,
  measure: MeasureForm,
  own: readonly (MeasureFact & { readonly streamId: string })[]
): Steps<string> {
  const pauses = new Pauses()
  let newest = own[0]!
  let count = 0
  let least = Infinity
  const sources: string[] = []
  for (const fact of own) {
    const { first, last, streamId, type } = fact
    if (last > newest.last) newest = fact
    if (first < least) least = first
    count += fact.count
    sources.push(JSON.stringify({ streamId, type, count: fact.count, first, last }))
    if (pauses.isDue(1)) yield
  }
  const { content, duration, time, ...number } = readLatest(getCall(), measure, newest)
  const { last, streamId, type } = newest
  const shown = JSON.stringify({ time, streamId, type, duration, ...number })
  const latest = content === undefined ? shown : `${shown.slice(0, -1)},"content":${content}}`
  const head = JSON.stringify({ measure: measure.id, count, first: least, last })
  return `${head.slice(0, -1)},"latest":${latest},"sources":[${sources.join(',')}]}`
}
