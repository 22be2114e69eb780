/** Finds the newest version of each calendar entry in a file, which may contain several. (RFC 5545, 3.8.7.4) */
import { createHash } from 'node:crypto'
import type { ImportedRecord } from '../../record.js'
import type { CalendarEntry } from './entry.js'

/** Maximum number of remembered entries. */
const maxRemembered = 200_000
const maxKeyLength = 500

/** What tells versions of an entry apart. */
interface Version {
  readonly sequence: number
  /** Time of the last change in UTC, as written in the file; empty if unknown. */
  readonly modified: string
}

interface Newest extends Version {
  /** Whether there are others of which none is known to be newer: programs that give one UID to all their entries. */
  readonly hasRivals: boolean
}

type Entry = Pick<CalendarEntry, 'calendar' | 'lines'>

export class EntryVersions {
  readonly #newest = new Map<string, Newest>()

  /** Adds an entry of the file. Ignored without a key, or if too many are remembered. */
  add(entry: Entry): void {
    const key = getKey(entry)
    if (key === undefined) return
    const version = getVersion(entry)
    const known = this.#newest.get(key)
    const order = known ? compare(version, known) : 1
    if (known && order < 0) return
    if (known && order === 0) this.#newest.set(key, { ...known, hasRivals: true })
    else if (known || this.#newest.size < maxRemembered)
      this.#newest.set(key, { ...version, hasRivals: false })
  }

  /** Returns whether the file has a newer version of an entry. */
  isOutdated(entry: Entry): boolean {
    const key = getKey(entry)
    const newest = key === undefined ? undefined : this.#newest.get(key)
    return newest !== undefined && compare(getVersion(entry), newest) < 0
  }

  /** Returns the version of an entry's record; `undefined` if other entries in the file may be versions of it. */
  getRecordVersion(entry: Entry, record: ImportedRecord): ImportedRecord['version'] {
    const key = getKey(entry)
    if (key === undefined || this.#newest.get(key)?.hasRivals !== false) return undefined
    const { clientData, content, description, duration, time, type } = record
    const state = JSON.stringify([type, time, duration, content, description, clientData])
    return { record: computeDigest(key), state: computeDigest(state) }
  }
}

/** Returns a key that all versions of an entry share; `undefined` if it has no UID. */
function getKey({ calendar, lines }: Entry): string | undefined {
  const uid = lines.get('UID')?.[0]?.value.trim() ?? ''
  const key = JSON.stringify([calendar, uid, lines.get('RECURRENCE-ID')?.[0]?.value.trim() ?? ''])
  return uid === '' || key.length > maxKeyLength ? undefined : key
}

function getVersion({ lines }: Entry): Version {
  const sequence = lines.get('SEQUENCE')?.[0]?.value.trim() ?? ''
  return {
    sequence: /^\d{1,15}$/.test(sequence) ? Number(sequence) : 0,
    modified: lines.get('LAST-MODIFIED')?.[0]?.value.trim() ?? ''
  }
}

/** Returns a positive number if a version is newer than another, and 0 if that is not known. */
function compare(version: Version, other: Version): number {
  if (version.sequence !== other.sequence) return version.sequence - other.sequence
  const [a, b] = [version.modified, other.modified]
  return a === '' || b === '' || a === b ? 0 : a < b ? -1 : 1
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
