/** Integrity values: digests of events and accesses as clients get them. (docs/spec/integrity.md#values) */
import { createHash, hash } from 'node:crypto'
import type { Access } from '../schemas/access.js'
import type { Attachment } from '../schemas/event.js'
import type { Digests } from '../storage/repositories/policies.js'
import { toWireAccess } from './access-ids.js'
import { toCanonicalMembers, stringifyIfCanonical } from './json/canonical.js'
import { canonicalForm, plainForm, writeJson } from './json/writer.js'
import type { Settings } from './settings/settings.js'
import type { Steps } from '../storage/steps.js'

type Algorithm = Settings['integrity']['algorithm']

/** Properties of an access that are derived, or depend on where and when it is read. */
const excluded = new Set(['integrity', 'lastUsed', 'calls', 'apiEndpoint'])

/** An event, an earlier version of an event, or the record of a deleted event. */
type EventLike = Readonly<Record<string, unknown>>

/**
 * Returns the properties of an event that are covered, in order. The properties are listed one by one because that is
 * many times faster than a loop.
 */
function selectCoveredProperties(event: EventLike): object {
  return {
    attachments: event['attachments'] ?? undefined,
    clientData: event['clientData'] ?? undefined,
    content: event['content'] ?? undefined,
    created: event['created'] ?? undefined,
    createdBy: event['createdBy'] ?? undefined,
    deleted: event['deleted'] ?? undefined,
    description: event['description'] ?? undefined,
    duration: event['duration'] ?? undefined,
    id: event['id'] ?? undefined,
    modified: event['modified'] ?? undefined,
    modifiedBy: event['modifiedBy'] ?? undefined,
    streamIds: event['streamIds'] ?? undefined,
    time: event['time'] ?? undefined,
    trashed: event['trashed'] ?? undefined,
    type: event['type'] ?? undefined
  }
}

const coveredKeys = Object.keys(selectCoveredProperties({}))

/** Returns the text that an event's integrity is a digest of: the event without what the API adds or derives. */
export function toEventText(event: object): string {
  const what = normalizeEvent(event as EventLike)
  const { attachments, clientData, content } = what
  const inner = [attachments, clientData, content]
  return (
    stringifyIfCanonical(selectCoveredProperties(what), inner) ?? `{${toCanonicalMembers(what, coveredKeys)}}`
  )
}

/** Returns the text that an access's integrity is a digest of: the access with the id of its version. */
function toAccessText(stored: object): string {
  const access = toWireAccess(stored as Access)
  const keys = Object.keys(access).filter(key => !excluded.has(key))
  return `{${toCanonicalMembers(access, keys.toSorted())}}`
}

/** Returns the integrity value of an event, an earlier version of an event, or the record of a deleted event. */
export function computeEventIntegrity(event: object, algorithm: Algorithm): string {
  return `EVENT:0:${algorithm}-${hash(algorithm, toEventText(event), 'base64')}`
}

/** Does the same as {@link computeEventIntegrity}, in steps. */
function* computeEventIntegrityInSteps(event: object, algorithm: Algorithm): Steps<string> {
  const digest = createHash(algorithm)
  yield* writeJson(
    normalizeEvent(event as EventLike),
    canonicalForm,
    chunk => digest.update(chunk),
    coveredKeys
  )
  return `EVENT:0:${algorithm}-${digest.digest('base64')}`
}

/** Returns the integrity value of an access. When it was used last, and its API endpoint, are not covered. */
export function computeAccessIntegrity(access: object, algorithm: Algorithm): string {
  return `ACCESS:0:${algorithm}-${hash(algorithm, toAccessText(access), 'base64')}`
}

/**
 * Returns whether an item matches its integrity value; `undefined` if the item has no integrity value. False
 * for a value of another form.
 */
export function matchesIntegrity(item: { readonly integrity?: unknown }): boolean | undefined {
  const { integrity } = item
  if (integrity === undefined || integrity === null) return undefined
  if (typeof integrity !== 'string') return false
  const [, kind, algorithm] = /^(EVENT|ACCESS):0:(sha256|sha512|sha1|md5)-/.exec(integrity) ?? []
  if (!algorithm) return false
  const recompute = kind === 'EVENT' ? computeEventIntegrity : computeAccessIntegrity
  return recompute(item, algorithm as Algorithm) === integrity
}

/**
 * Returns the functions that compute the integrity values a user's database stores with each write. They
 * return `undefined` for the kinds of items without integrity values.
 */
export function createDigests({ algorithm, isActive }: Settings['integrity']): Digests {
  return {
    event: event => (isActive.events ? computeEventIntegrity(event, algorithm) : undefined),
    *largeEvent(event) {
      const integrity = isActive.events ? yield* computeEventIntegrityInSteps(event, algorithm) : undefined
      let body = ''
      yield* writeJson({ ...event, integrity }, plainForm, chunk => (body += chunk))
      return { body, integrity }
    },
    access: (access: Access) => (isActive.accesses ? computeAccessIntegrity(access, algorithm) : undefined)
  }
}

/** Normalises `attachments`, `duration`, `trashed` and `streamIds`. Most events need no change, and are not copied. */
function normalizeEvent(event: EventLike): EventLike {
  const { attachments, duration, streamId, streamIds, trashed } = event
  const isPlain = attachments === undefined && duration !== 0 && trashed !== false && (streamIds || !streamId)
  if (isPlain) return event
  return {
    ...event,
    ...(Array.isArray(attachments) && { attachments: attachments.map(omitReadToken) }),
    ...(duration === 0 && { duration: null }),
    ...(trashed === false && { trashed: null }),
    ...(!streamIds && streamId ? { streamIds: [streamId] } : {})
  }
}

function omitReadToken({ readToken: _own, ...rest }: Attachment): Omit<Attachment, 'readToken'> {
  return rest
}
