/** Assigns records to lanes: what is stored together, as events or as series. Imports and connections share them. (docs/decisions/0019-imports.md) */
import type { ImportedRecord } from '../record.js'

/** Records per day above which a lane is dense. */
export const minDensePerDay = 50
export const secondsPerDay = 86_400

/** Suffix of the key of a lane whose records always become events. */
const eventsSuffix = 'events'

/** Returns the key of a record's lane. Keys of different lanes differ, whatever their names contain. */
export function getLaneKey(
  format: string,
  { isEvent, path, source, stream, track, type }: ImportedRecord
): string {
  const place = path
    ? [...path, stream].map(name => formatKeyPart(name, '/')).join('/')
    : formatKeyPart(stream)
  const key = `${format}\n${place}\n${formatKeyPart(source)}\n${formatKeyPart(type)}`
  if (track === undefined) return isEvent ? `${key}\n${eventsSuffix}` : key
  return `${key}\n${track === eventsSuffix ? JSON.stringify(track) : formatKeyPart(track)}`
}

/** Formats a name as part of a key: quoted if it contains a separator or begins like a quoted name. */
function formatKeyPart(name: string, separator = '\n'): string {
  const isPlain = !name.includes('\n') && !name.includes(separator) && !name.startsWith('"')
  return isPlain ? name : JSON.stringify(name)
}

/** Returns true if a content can be stored as cells of a row: a number, or an object of numbers. */
export function isNumericContent(content: unknown): boolean {
  if (typeof content === 'number') return Number.isFinite(content)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false
  return Object.values(content).every(value => typeof value === 'number')
}
