/** Entries of a calendar, and what they say besides their times. */
import type { Datum } from '../../record.js'
import { listOf, unescapeText, type ContentLine } from './lines.js'

export interface Entry {
  readonly kind: string
  /** Name of its calendar. */
  readonly calendar: string
  /** Zone of times that name none. */
  readonly zone: string | undefined
  readonly isCancelled: boolean
  readonly lines: Map<string, ContentLine[]>
  size: number
}

/** Returns what all kinds of entries become besides their times. */
export function recordOf(
  entry: Entry
): Pick<Datum, 'kind' | 'source' | 'isEvent' | 'identity' | 'clientData'> {
  const uid = textIn(entry, 'UID')
  const occurrence = entry.lines.get('RECURRENCE-ID')?.[0]?.value
  const categories = (entry.lines.get('CATEGORIES') ?? []).flatMap(({ value }) => listOf(value))
  const told = Object.entries({
    uid,
    location: textIn(entry, 'LOCATION'),
    status: textIn(entry, 'STATUS'),
    url: textIn(entry, 'URL'),
    geo: textIn(entry, 'GEO'),
    due: textIn(entry, 'DUE'),
    occurrence,
    categories,
    rules: valuesOf(entry, 'RRULE'),
    dates: valuesOf(entry, 'RDATE'),
    exceptions: valuesOf(entry, 'EXDATE')
  }).filter(([, value]) => value !== undefined && value.length > 0)
  return {
    kind: entry.kind,
    source: entry.calendar,
    isEvent: true,
    identity: JSON.stringify(uid === '' ? [describe(entry), told] : [uid, occurrence ?? '']),
    clientData: { 'ical:entry': Object.fromEntries(told) }
  }
}

/** Returns the texts of all lines of a name. */
export function textIn(entry: Entry, name: string): string {
  return (entry.lines.get(name) ?? [])
    .map(({ value }) => unescapeText(value).trim())
    .filter(Boolean)
    .join('\n\n')
}

function valuesOf(entry: Entry, name: string): string[] {
  return (entry.lines.get(name) ?? []).map(({ parameters, value }) => {
    const id = parameters.get('TZID')
    return id === undefined ? value : `TZID=${id}:${value}`
  })
}

export function describe(entry: Entry): string | undefined {
  return [textIn(entry, 'SUMMARY'), textIn(entry, 'DESCRIPTION')].filter(Boolean).join('\n\n') || undefined
}
