/** An export: events in a form for other programs, written as the client takes it. (docs/api/exports.md) */
import type { Listing, Page, TextListing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { longCsv } from './csv-long.js'
import { wideCsv } from './csv-wide.js'
import { fhir, fhirNdjson } from './fhir.js'
import type { Form, Wishes } from './form.js'
import { gpx } from './gpx.js'
import { Instants } from './instants.js'
import { json, ndjson } from './json.js'
import { pieceSize, type Pieces, type Turn } from './pieces.js'
import { textsOf } from './source.js'
import { StreamNames } from './stream-names.js'
import { Values } from './values.js'

/** The forms by the names that they are asked for by. */
export const forms = { csv: longCsv, 'csv-wide': wideCsv, json, ndjson, gpx, fhir, 'fhir-ndjson': fhirNdjson }

export type FormName = keyof typeof forms

/** The text of an export, page by page. */
export class Export implements TextListing<Reader> {
  readonly isText = true
  readonly present = undefined
  /** Whether it is the document itself; otherwise it is a JSON object with the document as a text. */
  isBare = false
  readonly mediaType: string
  readonly fileName: string
  readonly #turn: Turn
  readonly #pieces: Pieces
  #hasBegun = false

  constructor(call: Call, form: Form, wishes: Wishes, events: Listing<Reader> | readonly never[]) {
    const day = new Date(call.now * 1000).toISOString().slice(0, 10)
    this.mediaType = form.mediaType
    this.fileName = `${call.account.username}-${day}.${form.extension}`
    const { caller, store } = call
    const turn = (this.#turn = { reader: { caller, store }, count: 0 })
    this.#pieces = form.write({
      call,
      turn,
      wishes,
      instants: new Instants(wishes.zone),
      names: new StreamNames(),
      values: new Values(call.services.eventTypes),
      texts: () => textsOf(turn, events)
    })
  }

  next(reader: Reader): Page {
    this.#turn.reader = reader
    this.#turn.count = 0
    let text = ''
    let done = false
    while (text.length < pieceSize || this.#turn.isUrgent) {
      const piece = this.#pieces.next()
      done = piece.done === true
      if (done || (piece.value === '' && !this.#turn.isUrgent)) break
      text += piece.value as string
    }
    return {
      text: this.isBare ? text : this.#quoted(text, done),
      count: this.#turn.count,
      done,
      isHolding: this.#turn.isHolding
    }
  }

  close(): void {
    this.#pieces.return()
  }

  #quoted(text: string, isLast: boolean): string {
    const begin = this.#hasBegun
      ? ''
      : `{"mediaType":${JSON.stringify(this.mediaType)},"fileName":${JSON.stringify(this.fileName)},"text":"`
    this.#hasBegun = true
    return `${begin}${JSON.stringify(text).slice(1, -1)}${isLast ? '"}' : ''}`
  }
}
