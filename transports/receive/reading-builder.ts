/** Collects what a request contains, and reads what bodies of several dialects have in common. */
import { fail } from '../../core/errors.js'
import { getNumber, isObject, type Json } from '../../imports/formats/json-files.js'
import { isValidPosition } from '../../imports/formats/track-writer.js'
import type { Reading, ReceivedRecord } from './dialect.js'

/** Maximum number of kinds that are counted by name, and the name of all others. */
const maxKinds = 1000
const otherKinds = '…'

export class ReadingBuilder implements Reading {
  readonly records: ReceivedRecord[] = []
  readonly notUnderstood = new Map<string, number>()
  /** Number of entries. */
  received = 0

  /** Adds a record. */
  add(record: ReceivedRecord): void {
    this.records.push(record)
  }

  /**
   * Counts an entry, or a part of one, that is not understood. Beyond the maximum number of different kinds,
   * all count as others.
   */
  skip(given: string): void {
    const isKnown = this.notUnderstood.has(given) || this.notUnderstood.size < maxKinds
    const kind = isKnown ? given : otherKinds
    this.notUnderstood.set(kind, (this.notUnderstood.get(kind) ?? 0) + 1)
  }
}

/** Parses a body as JSON; `undefined` if it is empty. Error: `invalid-request-structure`. */
export function parseJsonBody(body: Buffer): unknown {
  // Some apps write a byte order mark.
  const text = body
    .toString()
    .replace(/^\uFEFF/, '')
    .trim()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return fail('invalid-request-structure', 'The body is not valid JSON')
  }
}

/** Parses a body as a JSON object. Error: `invalid-request-structure`. */
export function parseJsonObject(body: Buffer): Json {
  const parsed = parseJsonBody(body)
  return isObject(parsed) ? parsed : fail('invalid-request-structure', 'The body must be a JSON object')
}

/** The values of a position, in degrees, metres, metres per second; negative ones are unknown, except for altitudes. */
export interface PositionValues {
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  readonly altitude?: number | undefined
  readonly horizontalAccuracy?: number | undefined
  readonly verticalAccuracy?: number | undefined
  readonly bearing?: number | undefined
  readonly speed?: number | undefined
}

/**
 * Returns the content of `position/wgs84`; `undefined` for coordinates beyond the earth. The order of its
 * members is that of imports. Members that are negative, and so unknown, are omitted, except the altitude.
 */
export function toPosition(values: PositionValues): Record<string, number> | undefined {
  const { latitude, longitude } = values
  if (!isValidPosition(latitude, longitude)) return undefined
  const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
  for (const name of ['altitude', 'horizontalAccuracy', 'verticalAccuracy', 'bearing', 'speed'] as const) {
    const value = values[name]
    if (value !== undefined && (value >= 0 || name === 'altitude')) content[name] = value
  }
  return content
}

/** Returns a number; `undefined` if there is none, or if it is negative, which means unknown. */
export function getKnownNumber(value: unknown, ...path: readonly string[]): number | undefined {
  const found = getNumber(value, ...path)
  return found !== undefined && found >= 0 ? found : undefined
}

/** Returns the record of a battery's charge, in percent. */
export function toBattery(kind: string, source: string, time: number, content: number): ReceivedRecord {
  return { kind, source, type: 'ratio/percent', stream: 'Battery', time, content, isFrequent: true }
}
