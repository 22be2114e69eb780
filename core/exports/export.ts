/** An export: events in another program's format, written as the client reads it. (docs/api/exports.md) */
import type { Listing, Page, TextListing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { longCsv } from './csv-long.js'
import { wideCsv } from './csv-wide.js'
import { fhir, fhirNdjson } from './fhir.js'
import type { ExportFormat, ExportOptions } from './format.js'
import { gpx } from './gpx.js'
import { TimeFormatter } from './time-formatter.js'
import { json, ndjson } from './json.js'
import { parquet } from './parquet.js'
import { chunkSize, type Chunks, type ReadContext } from './chunks.js'
import { listEventTexts } from './event-source.js'
import { StreamNames } from './stream-names.js'
import { ValueReader } from './value-reader.js'

/** The formats by name. */
export const formats = {
  csv: longCsv,
  'csv-wide': wideCsv,
  json,
  ndjson,
  gpx,
  fhir,
  'fhir-ndjson': fhirNdjson,
  parquet
}

export type FormatName = keyof typeof formats

/** The text of an export, page by page. */
export class Export implements TextListing<Reader> {
  readonly isText = true
  readonly present = undefined
  /** Whether the text is the document itself; otherwise it is a JSON object that holds the document as text. */
  isDocument = false
  readonly mediaType: string
  readonly fileName: string
  readonly isBinary: boolean
  readonly #context: ReadContext
  readonly #chunks: Chunks
  #hasBegun = false
  /** Bytes that do not fill a group of base64 yet. */
  #unencoded = ''

  constructor(
    call: Call,
    form: ExportFormat,
    wishes: ExportOptions,
    events: Listing<Reader> | readonly never[]
  ) {
    const day = new Date(call.now * 1000).toISOString().slice(0, 10)
    this.mediaType = form.mediaType
    this.isBinary = form.isBinary === true
    this.fileName = `${call.account.username}-${day}.${form.extension}`
    const { caller, store } = call
    const turn = (this.#context = { reader: { caller, store }, count: 0 })
    this.#chunks = form.write({
      call,
      context: turn,
      options: wishes,
      instants: new TimeFormatter(wishes.zone),
      names: new StreamNames(),
      values: new ValueReader(call.services.eventTypes),
      texts: () => listEventTexts(turn, events)
    })
  }

  /** Returns the next chunk of the export, of about `chunkSize` characters, with the events counted in it. */
  next(reader: Reader): Page {
    this.#context.reader = reader
    this.#context.count = 0
    let text = ''
    let done = false
    while (text.length < chunkSize || this.#context.mustWriteAtOnce) {
      const chunk = this.#chunks.next()
      done = chunk.done === true
      if (done || (chunk.value === '' && !this.#context.mustWriteAtOnce)) break
      text += chunk.value as string
    }
    return {
      text: this.isDocument ? text : this.#toJsonText(text, done),
      count: this.#context.count,
      done,
      holdsValue: this.#context.isHolding
    }
  }

  close(): void {
    this.#chunks.return()
  }

  #toBase64(bytes: string, isLast: boolean): string {
    const all = this.#unencoded + bytes
    const end = isLast ? all.length : all.length - (all.length % 3)
    this.#unencoded = all.slice(end)
    return Buffer.from(all.slice(0, end), 'latin1').toString('base64')
  }

  #toJsonText(text: string, isLast: boolean): string {
    const begin = this.#hasBegun
      ? ''
      : `{"mediaType":${JSON.stringify(this.mediaType)},"fileName":${JSON.stringify(this.fileName)},"${this.isBinary ? 'base64' : 'text'}":"`
    this.#hasBegun = true
    const own = this.isBinary ? this.#toBase64(text, isLast) : JSON.stringify(text).slice(1, -1)
    return `${begin}${own}${isLast ? '"}' : ''}`
  }
}
