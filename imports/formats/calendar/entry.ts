/** Builds records from calendar entries, without their times. */
import type { Datum } from '../../record.js'
import { listOf, unescapeText, type ContentLine } from './lines.js'

export interface Entry {
  readonly kind: string
  /** Name of the calendar. */
  readonly calendar: string
  /** Zone for times without one. */
  readonly zone: string | undefined
  readonly isCancelled: boolean
  readonly lines: Map<string, ContentLine[]>
  size: number
}

/** Returns the parts of a record that all kinds of entries share. */
export function recordOf(
  entry: Entry
): Pick<Datum, 'kind' | 'source' | 'isEvent' | 'identity' | 'clientData'> {
  const uid = textIn(entry, 'UID')
  const occurrence = entry.lines.get('RECURRENCE-ID')?.[0]?.value
  const categories = (entry.lines.get('CATEGORIES') ?? []).flatMap(({ value }) => listOf(value))
  const details = Object.entries({
    uid,
    location: textIn(entry, 'LOCATION'),
    status: textIn(entry, 'STATUS'),
    url: textIn(entry, 'URL'),
    geo: textIn(entry, 'GEO'),
    due: textIn(entry, 'DUE'),
    occurrence,
    categories,
    rules: getValues(entry, 'RRULE'),
    dates: getValues(entry, 'RDATE'),
    exceptions: getValues(entry, 'EXDATE')
  }).filter(([, value]) => value !== undefined && value.length > 0)
  return {
    kind: entry.kind,
    source: entry.calendar,
    isEvent: true,
    identity: JSON.stringify(uid === '' ? [describe(entry), details] : [uid, occurrence ?? '']),
    clientData: { 'ical:entry': Object.fromEntries(details) }
  }
}

/** Returns the texts of all lines with a name, joined by blank lines. */
export function textIn(entry: Entry, name: string): string {
  return (entry.lines.get(name) ?? [])
    .map(({ value }) => unescapeText(value).trim())
    .filter(Boolean)
    .join('\n\n')
}

function getValues(entry: Entry, name: string): string[] {
  return (entry.lines.get(name) ?? []).map(({ parameters, value }) => {
    const id = parameters.get('TZID')
    return id === undefined ? value : `TZID=${id}:${value}`
  })
}

/** Returns the summary and the description; `undefined` if both are empty. */
export function describe(entry: Entry): string | undefined {
  return [textIn(entry, 'SUMMARY'), textIn(entry, 'DESCRIPTION')].filter(Boolean).join('\n\n') || undefined
}
