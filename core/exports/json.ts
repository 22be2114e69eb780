/** Events as the API has them: in a list, or one a line. */
import { isSeries } from '../events/fields.js'
import type { ExportFormat, ExportSources } from './format.js'
import { cutText, chunkSize, type Chunks } from './chunks.js'
import { parseEvent, listPoints } from './event-source.js'

export const json: ExportFormat = {
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  supportsAudit: true,
  supportsSeries: false,
  *write({ texts }: ExportSources): Chunks {
    let separator = '[\n'
    for (const text of texts()) {
      if (text === '') {
        yield ''
        continue
      }
      if (text.length < chunkSize) yield separator + text
      else yield* cutText(separator + text)
      separator = ',\n'
    }
    yield separator === '[\n' ? '[\n]\n' : '\n]\n'
  }
}

export const ndjson: ExportFormat = {
  mediaType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  supportsAudit: true,
  supportsSeries: true,
  *write({ texts, context, options }: ExportSources): Chunks {
    for (const text of texts()) {
      if (text === '') {
        yield ''
        continue
      }
      if (text.length < chunkSize) yield `${text}\n`
      else yield* cutText(`${text}\n`)
      if (options.series !== true || !text.includes('"type":"series:')) continue
      const event = parseEvent(text)
      if (!isSeries(event.type)) continue
      for (const { columns, text: points } of listPoints(context, event, options, false)) {
        yield `{"eventId":${JSON.stringify(event.id)},"format":"flatJSON","fields":${JSON.stringify(columns)},"points":[${points}]}\n`
        yield ''
      }
    }
  }
}
