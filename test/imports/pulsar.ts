/** The table of a wristband that does not exist, as docs/api/imports.md shows how to write a format. */
import type { Format } from '../../imports/record.js'
import { numberOf } from '../../imports/text/units.js'
import { columnsOf, eachNamedRow } from '../../imports/text/named-tables.js'
import { isoTime } from '../../imports/text/times.js'

const kind = 'reading'

export const pulsar: Format = {
  id: 'pulsar',
  name: 'Pulsar',
  recognises: head => columnsOf(head, ';').join() === 'worn,pulse',
  async read(source, head, sink, { options }) {
    await eachNamedRow(source, head, ';', kind, sink, row => {
      const time = isoTime(row.get('worn') ?? '', options.zone)
      const pulse = numberOf(row.get('pulse'))
      if (Number.isNaN(time)) sink.leftOut(kind, 'without a time')
      else if (pulse === undefined) sink.leftOut(kind, 'without a number')
      else
        sink.datum({
          kind,
          source: 'Wristband',
          stream: 'Heart rate',
          type: 'frequency/bpm',
          time,
          content: pulse
        })
    })
  }
}
