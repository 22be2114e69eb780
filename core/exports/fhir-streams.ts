/** Streams whose events are resources of FHIR, for apps that ask for resources instead of streams. (docs/api/fhir.md#smart-app-launch) */
import type { Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { RequestedStreamPermission } from '../accesses/granting.js'
import type { Call } from '../call/method.js'
import { resolveEventScope } from '../events/scope.js'
import { listScopedResources, type ScopedResources } from '../oauth/smart-scope.js'
import { findEventCoding, getOriginal } from './fhir-observation.js'
import { isObject } from '../validation/is-object.js'
import { StreamNames, type StreamPlace } from './stream-names.js'

/** Maximum number of streams. */
const maxStreams = 100
/** Type of the events that keep an imported resource, whatever its category is. */
const originalType = 'clinical/fhir'
/** Type of the events that hold responses to forms. */
const responseType = 'questionnaire/response'
/** Types of the events that are documents. */
export const documentTypes: readonly string[] = ['file/attached', 'file/attached-multiple']

/**
 * Finds the streams that hold what scopes ask for, and proposes to read them. In steps: there may be
 * thousands of streams. The user decides. At most 100; none if the scopes ask for no such resources.
 */
export function* findFhirStreams(call: Call, scopes: readonly string[]): Steps<RequestedStreamPermission[]> {
  const scoped = listScopedResources(scopes)
  if (
    !scoped.hasDocuments &&
    !scoped.hasResponses &&
    scoped.observations !== 'all' &&
    scoped.observations.size === 0
  )
    return []
  const names = new StreamNames()
  const found = new Map<string, string>()
  const run = call.store.events.createFacts(resolveEventScope(call, undefined, false))
  while (!run.isDone && found.size < maxStreams) {
    // Other work runs between two steps, and may close the file.
    let store = call.services.accounts.openStore(call.account)
    for (const { stream, type } of store.events.nextFacts(run, body => body)) {
      const node = store.streams.findByNumber(stream)
      if (!node || node.system || found.has(node.stream.id)) continue
      const isFound =
        type === originalType
          ? holdsOriginal(store, stream, scoped)
          : isWanted(type, names.place({ ...call, store }, node.stream.id), scoped)
      if (isFound) found.set(node.stream.id, node.stream.name)
      // Resources may be large, and names long.
      yield
      store = call.services.accounts.openStore(call.account)
    }
    yield
  }
  return Array.from(found, ([streamId, defaultName]) => ({ streamId, level: 'read' as const, defaultName }))
    .toSorted((a, b) => a.defaultName.localeCompare(b.defaultName))
    .slice(0, maxStreams)
}

/** Returns whether events of a type in a stream are among the resources. */
function isWanted(
  type: string,
  place: StreamPlace,
  { hasDocuments, hasResponses, observations }: ScopedResources
): boolean {
  if (documentTypes.includes(type)) return hasDocuments
  if (type === responseType) return hasResponses
  if (observations !== 'all' && observations.size === 0) return false
  const element = type.replace(/^series:/, '')
  const content = element === 'sleep/analysis' ? { analysis: 'asleep' } : undefined
  const coding = findEventCoding({ content, type: element }, [place])?.code
  if (!coding || observations === 'all') return coding !== undefined
  return observations.has(coding.category) || coding.loinc.some(([code]) => observations.has(code))
}

/** Imported resources of a stream to look at: usually, those of a stream are of one kind. */
const maxOriginals = 100

/** Returns whether one of the latest imported resources of a stream is among the resources. */
function holdsOriginal({ events }: UserStore, stream: number, scoped: ScopedResources): boolean {
  const type = events.types.find(originalType)
  if (type === undefined) return false
  const run = events.query({
    streams: [{ any: new Set([stream]), all: [], not: new Set() }],
    types: new Set([type]),
    from: undefined,
    to: undefined,
    isRunning: false,
    trashed: [0],
    order: 'DESC',
    skip: 0,
    limit: maxOriginals,
    present: body => body
  })
  const { text } = events.next(run)
  return (JSON.parse(`[${text}]`) as Event[]).some(event => {
    const original = getOriginal(event)
    return original !== undefined && isOriginalWanted(original as Resource, scoped)
  })
}

/** An imported resource: apps write any. */
type Resource = Readonly<Record<string, unknown>>

function isOriginalWanted(resource: Resource, { hasResponses, observations }: ScopedResources): boolean {
  const { category, code, resourceType } = resource
  if (resourceType === 'QuestionnaireResponse') return hasResponses
  if (resourceType !== 'Observation') return false
  if (observations === 'all') return true
  const concepts = [code, ...toList(category)]
  return concepts
    .flatMap(concept => (isObject(concept) ? toList(concept['coding']) : []))
    .some(coding => isObject(coding) && observations.has(String(coding['code'])))
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
