/** A long table: a row for each value, also of points. */
import type { Event } from '../../schemas/event.js'
import { isSeries } from '../events/fields.js'
import { elementTypeOf } from '../series/plan.js'
import { byteOrderMark, lineOf, rawOf, writeLine, type Cell } from './csv.js'
import { microseconds, pathOf, type Form, type Sources } from './form.js'
import { pieceSize, type Pieces } from './pieces.js'
import { eventIn, pointsOf, type Points } from './source.js'
import { ucumOf } from './ucum.js'
import { durationOf } from './values.js'

const columns = [
  'id',
  'time',
  'unixTime',
  'duration',
  'streamId',
  'stream',
  'type',
  'field',
  'value',
  'unit',
  'otherStreamIds',
  'description',
  'attachments'
] as const

export const longCsv: Form = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  takesAudit: true,
  takesSeries: true,
  write
}

function* write(sources: Sources): Pieces {
  const { texts, wishes } = sources
  yield (wishes.bom === true ? byteOrderMark : '') + lineOf(columns)
  for (const text of texts()) {
    if (text === '') {
      yield ''
      continue
    }
    const event = eventIn(text)
    yield* rowsOf(sources, event, text.length <= pieceSize)
    if (wishes.series === true && isSeries(event.type)) yield* pointRows(sources, event)
  }
}

/** What is the same in all rows of an event. */
type Stem = readonly [streamId: string, stream: string]

function stemOf(sources: Sources, event: Event): Stem {
  return [event.streamIds[0]!, pathOf(sources, event).join(' / ')]
}

/** What is told once, in the first row of an event. */
function* rowsOf(sources: Sources, event: Event, isSmall: boolean): Pieces {
  const { attachments = [], description = '', duration, id, streamIds, time, type } = event
  const [streamId, stream] = stemOf(sources, event)
  const written = sources.instants.text(time)
  let once: readonly Cell[] = [
    streamIds.slice(1).join('; '),
    description,
    attachments.map(({ fileName }) => fileName).join('; ')
  ]
  for (const [field, value] of sources.values.of(event)) {
    const unit = typeof value === 'number' ? ucumOf(type, field) : ''
    const cells = [id, written, time, duration ?? '', streamId, stream, type, field, value, unit, ...once]
    if (isSmall) yield lineOf(cells)
    else yield* writeLine(cells)
    once = ['', '', '']
  }
}

function* pointRows(sources: Sources, event: Event): Pieces {
  const [streamId, stream] = stemOf(sources, event)
  const type = elementTypeOf(event.type)
  const fields = sources.values.fields(type)
  const units = fields.map(field => ucumOf(type, field))
  const before = `${lineOf([event.id]).slice(0, -2)},`
  const middle = `,${lineOf([streamId, stream, type]).slice(0, -2)},`
  for (const points of pointsOf(sources.turn, event, sources.wishes)) {
    for (const row of points.rows) yield* writePoint(row, points)
    yield ''
  }

  function* writePoint(row: readonly unknown[], { columns: names }: Points): Pieces {
    const at = microseconds(event.time + (row[0] as number))
    const duration = rawOf(durationOf(names, row, fields))
    const head = `${before}${sources.instants.text(at)},${at},${duration}${middle}`
    let text = ''
    for (let place = 0; place < fields.length; place++) {
      const cell = row[names.indexOf(fields[place]!)]
      if (cell === null || cell === undefined) continue
      const value = rawOf(cell)
      const cells = [fields[place]!, value, typeof cell === 'number' ? units[place]! : '', '', '', '']
      if (typeof value !== 'string' || value.length <= pieceSize) text += head + lineOf(cells)
      else {
        yield text + head
        text = ''
        yield* writeLine(cells)
      }
    }
    yield text
  }
}
