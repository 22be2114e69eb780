/**
 * Derives the ids of what records become: stable for the same record, and not predictable without the account's key. Imports and
 * connections share them, so that a record is stored once, however it arrives. (docs/decisions/0019-imports.md)
 */
import { createHmac } from 'node:crypto'
import type { StreamDraft } from '../protocol.js'
import type { Format, ImportedRecord, RecordVersion } from '../record.js'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Maximum length of a stream's name, in characters. */
const maxStreamNameLength = 100
/** Maximum number of remembered paths. */
const maxPaths = 5000

export class RecordIds {
  readonly #key: Buffer
  readonly #paths = new Map<string, readonly StreamDraft[]>()

  /**
   * `key`: the key of the account, in hexadecimal digits. `parentId`: the stream below which streams are created; empty for
   * none.
   */
  constructor(
    key: string,
    private readonly parentId: string
  ) {
    this.#key = Buffer.from(key, 'hex')
  }

  /** Returns the id of the event that a record becomes. `identity`: the record's identity, or the text of its content. */
  getEventId(
    format: string,
    { duration, source, stream, time, type }: ImportedRecord,
    identity: string
  ): string {
    return this.#derive(format, source, stream, type, time, duration ?? 0, identity)
  }

  /** Returns the id of what a record measures: the same for other contents without an identity, and for other durations. */
  getItemId(format: string, record: ImportedRecord): string {
    return this.getEventId(format, { ...record, duration: undefined }, `item:${record.identity ?? ''}`)
  }

  /** Returns the id that all versions of a record share. */
  getRecordId(format: string, { record }: RecordVersion): string {
    return this.#derive('record', format, record)
  }

  /** Returns the id of one version of a record. */
  getVersionId(format: string, { record, state }: RecordVersion): string {
    return this.#derive('version', format, record, state)
  }

  /** Returns the id of a file of an event. */
  getFileId(format: string, event: string, key: string): string {
    return this.#derive('file', format, event, key)
  }

  /** Returns the id of the series of a lane in a year; a track has one series, of year 0. */
  getSeriesId(format: string, laneKey: string, year: number): string {
    return this.#derive('series', format, laneKey, year)
  }

  /** Returns the stream of a format. */
  getFormatStream({ id, name }: Pick<Format, 'id' | 'name'>): StreamDraft {
    return { id: this.#derive('stream', this.parentId, id), name: cleanName(name) }
  }

  /** Returns the streams from the format's stream down to the stream of a record. Their ids are derived from their names. */
  getPath(
    format: Pick<Format, 'id' | 'name'>,
    { marks, path = [], source, stream }: Pick<ImportedRecord, 'marks' | 'path' | 'source' | 'stream'>
  ): readonly StreamDraft[] {
    const key = JSON.stringify([format.id, path, stream, source])
    let found = this.#paths.get(key)
    if (!found) {
      const names = [...path, stream, ...(source === '' ? [] : [source])]
      const below = names.map((name, index) => {
        const id = this.#derive('stream', this.parentId, format.id, ...names.slice(0, index + 1))
        const measure = marks && (marks[index] ?? null)
        return { id, name: cleanName(name), ...(measure !== undefined && { measure }) }
      })
      found = [this.getFormatStream(format), ...below]
      if (this.#paths.size >= maxPaths) this.#paths.clear()
      this.#paths.set(key, found)
    }
    return found
  }

  /** Returns the id of the stream of a lane for which the user has chosen another measure. */
  getMeasureStreamId(
    format: string,
    measure: string,
    { path = [], source, stream }: Pick<ImportedRecord, 'path' | 'source' | 'stream'>
  ): string {
    return this.#derive('stream of measure', this.parentId, format, measure, ...path, stream, source)
  }

  /** Returns an id of 25 characters: always the same for the same key and parts. */
  #derive(...parts: readonly (string | number | undefined)[]): string {
    const digest = createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest()
    let id = 'c'
    for (let index = 0; index < 24; index++) id += base36[digest[index]! % 36]!
    return id
  }
}

/** Returns the start of the series of a lane in a year, in seconds. */
export function getSeriesStart(year: number): number {
  return Date.UTC(year, 0, 1) / 1000
}

function cleanName(name: string): string {
  return (
    name
      .replaceAll(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, maxStreamNameLength) || '?'
  )
}
