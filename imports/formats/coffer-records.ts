/** What the readers of data of this service share: which streams are skipped, and what becomes of data points. */
import type { ContentSchemas, ImportedRecord, Sink } from '../record.js'
import { buildContent, getSchema } from './coffer-content.js'
import { isObject, type Json } from './json-files.js'

/** Returns whether a stream holds data of the account itself: its profile, the audit log, secrets. */
export function isAccountStream(id: string): boolean {
  return /^(?::_?system:|:_audit:|:_shared-secrets:|\.)/.test(id)
}

/** A data point of an exported series. */
export interface ExportedPoint extends Pick<
  ImportedRecord,
  'description' | 'duration' | 'marks' | 'path' | 'stream' | 'time' | 'type'
> {
  /** Values by the names of their fields. */
  readonly fields: Json
  /** Id of the series event. */
  readonly seriesId: string
}

/** Maximum length of the description of a series, in characters: it is kept with each of them until the end of the file. */
const maxDescription = 1000

/** Returns the description of a series event, cut if it is long; the result keeps nothing else in memory. */
export function cutDescription(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= maxDescription) return text
  return Buffer.from(`${text.slice(0, maxDescription - 1)}…`).toString()
}

/**
 * Adds a data point, with the description of its series: series hold numbers only, so that one with other values becomes an event.
 * Skips one without values.
 */
export function addPoint(
  sink: Sink,
  types: ContentSchemas | undefined,
  { description, fields, seriesId, ...point }: ExportedPoint
): void {
  const content = buildContent(fields, getSchema(types, point.type))
  const common = { ...point, kind: 'point', source: '' }
  if (content === undefined) sink.skip('point', 'without a number')
  else if (Object.values(fields).every(value => typeof value === 'number'))
    sink.addRecord({ ...common, content: isObject(content) ? fields : content, description, track: seriesId })
  else sink.addRecord({ ...common, content, isEvent: true })
}
