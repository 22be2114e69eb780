/** Builds records from calendar entries, without their times. */
import type { ImportedRecord } from '../../record.js'
import { splitList, unescapeText, type ContentLine } from './lines.js'

export interface CalendarEntry {
  readonly kind: string
  /** Name of the calendar. */
  readonly calendar: string
  /** Zone for times without a zone. */
  readonly zone: string | undefined
  readonly isCancelled: boolean
  readonly lines: Map<string, ContentLine[]>
  size: number
}

/** Returns the parts of a record that all kinds of entries share. */
export function toBaseRecord(
  entry: CalendarEntry
): Pick<ImportedRecord, 'kind' | 'source' | 'isEvent' | 'identity' | 'clientData'> {
  const uid = getText(entry, 'UID')
  const occurrence = entry.lines.get('RECURRENCE-ID')?.[0]?.value
  const categories = (entry.lines.get('CATEGORIES') ?? []).flatMap(({ value }) => splitList(value))
  const details = Object.entries({
    uid,
    location: getText(entry, 'LOCATION'),
    status: getText(entry, 'STATUS'),
    url: getText(entry, 'URL'),
    geo: getText(entry, 'GEO'),
    due: getText(entry, 'DUE'),
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
    identity: JSON.stringify(uid === '' ? [getDescription(entry), details] : [uid, occurrence ?? '']),
    clientData: { 'ical:entry': Object.fromEntries(details) }
  }
}

/**
 * Returns the texts of all lines with a name, joined by blank lines. Returns an empty string if there are
 * none.
 */
export function getText(entry: CalendarEntry, name: string): string {
  return (entry.lines.get(name) ?? [])
    .map(({ value }) => unescapeText(value).trim())
    .filter(Boolean)
    .join('\n\n')
}

function getValues(entry: CalendarEntry, name: string): string[] {
  return (entry.lines.get(name) ?? []).map(({ parameters, value }) => {
    const id = parameters.get('TZID')
    return id === undefined ? value : `TZID=${id}:${value}`
  })
}

/** Returns the summary and the description; `undefined` if both are empty. */
export function getDescription(entry: CalendarEntry): string | undefined {
  return [getText(entry, 'SUMMARY'), getText(entry, 'DESCRIPTION')].filter(Boolean).join('\n\n') || undefined
}
