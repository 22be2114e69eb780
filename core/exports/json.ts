/** Events as the API has them: in a list, or one a line. */
import { isSeries } from '../events/fields.js'
import type { Form, Sources } from './form.js'
import { cutText, pieceSize, type Pieces } from './pieces.js'
import { eventIn, pointsOf } from './source.js'

export const json: Form = {
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  takesAudit: true,
  takesSeries: false,
  *write({ texts }: Sources): Pieces {
    let separator = '[\n'
    for (const text of texts()) {
      if (text === '') {
        yield ''
        continue
      }
      if (text.length < pieceSize) yield separator + text
      else yield* cutText(separator + text)
      separator = ',\n'
    }
    yield separator === '[\n' ? '[\n]\n' : '\n]\n'
  }
}

export const ndjson: Form = {
  mediaType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  takesAudit: true,
  takesSeries: true,
  *write({ texts, turn, wishes }: Sources): Pieces {
    for (const text of texts()) {
      if (text === '') {
        yield ''
        continue
      }
      if (text.length < pieceSize) yield `${text}\n`
      else yield* cutText(`${text}\n`)
      if (wishes.series !== true || !text.includes('"type":"series:')) continue
      const event = eventIn(text)
      if (!isSeries(event.type)) continue
      for (const { columns, text: points } of pointsOf(turn, event, wishes, false)) {
        yield `{"eventId":${JSON.stringify(event.id)},"format":"flatJSON","fields":${JSON.stringify(columns)},"points":[${points}]}\n`
        yield ''
      }
    }
  }
}
