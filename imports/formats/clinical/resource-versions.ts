/** Finds the newest version of each FHIR resource in a file, which may contain several. */
import { createHash } from 'node:crypto'
import type { ImportedRecord } from '../../record.js'
import { parseIsoTime } from '../../text/times.js'
import { getMember, getText, isObject, type Json } from '../json-files.js'

/** Maximum number of remembered resources. A resource listed by several providers is imported once. */
const maxRemembered = 200_000

interface Version {
  readonly id: string
  /** Seconds; `NaN` if unknown. */
  readonly updated: number
  /** The number of the version; `NaN` if the version is not a number. */
  readonly number: number
}

export class ResourceVersions {
  readonly #newest = new Map<string, Version>()
  readonly #emitted = new Set<string>()

  /**
   * Adds the version of a resource. Of two versions whose order is unknown, the later one in the file counts as newer.
   */
  add(resource: unknown): void {
    const key = isObject(resource) ? getResourceKey(resource) : undefined
    if (key === undefined) return
    const version = getVersion(resource as Json)
    const known = this.#newest.get(key)
    if (known ? !isOlder(version, known) : this.#newest.size < maxRemembered) this.#newest.set(key, version)
  }

  /**
   * Admits a resource if it is the first one of the newest version; else returns why it is skipped. Must be
   * called once for each resource: it also adds the version, and remembers that the resource has been read.
   * Resources without an id, and those beyond the maximum number, are always admitted.
   */
  admit(
    resource: Json
  ): 'in the file more than once' | 'an earlier version of a record that is in the file' | undefined {
    this.add(resource)
    const key = getResourceKey(resource)
    const newest = key === undefined ? undefined : this.#newest.get(key)
    if (key === undefined || !newest) return undefined
    if (getVersion(resource).id !== newest.id) return 'an earlier version of a record that is in the file'
    if (this.#emitted.has(key)) return 'in the file more than once'
    this.#emitted.add(key)
    return undefined
  }
}

/** Returns the version of a record; `undefined` if its server keeps no versions, as equal ids may then be of different servers. */
export function getRecordVersion(resource: Json): ImportedRecord['version'] {
  const key = getResourceKey(resource)
  if (key === undefined || getVersion(resource).id === '') return undefined
  const { meta: _meta, ...state } = resource
  return { record: computeDigest(key), state: computeDigest(JSON.stringify(state)) }
}

/**
 * Returns a key of the resource that all its versions share. Ids are unique within one server: the patient's id
 * distinguishes resources of different servers.
 */
function getResourceKey(resource: Json): string | undefined {
  const id = getText(resource, 'id')
  if (id === undefined) return undefined
  const subject = getText(getMember(resource, 'subject') ?? getMember(resource, 'patient'), 'reference')
  return JSON.stringify([getText(resource, 'resourceType'), id, subject ?? ''])
}

function getVersion(resource: Json): Version {
  const versionId = getText(resource, 'meta', 'versionId') ?? ''
  const updated = getText(resource, 'meta', 'lastUpdated') ?? ''
  return {
    id: versionId === '' ? updated : versionId,
    updated: parseIsoTime(updated, undefined),
    number: /^\d{1,15}$/.test(versionId) ? Number(versionId) : NaN
  }
}

/** Returns true if a version is known to be older than another. */
function isOlder(version: Version, other: Version): boolean {
  if (version.updated !== other.updated && !Number.isNaN(version.updated + other.updated))
    return version.updated < other.updated
  return version.number < other.number
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
