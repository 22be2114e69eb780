/** The table of a fictitious wristband: the example for writing a format in docs/api/imports.md. */
import type { Format } from '../../imports/record.js'
import { parseNumber } from '../../imports/text/units.js'
import { readColumnNames, readNamedRows } from '../../imports/text/named-tables.js'
import { parseIsoTime } from '../../imports/text/times.js'

const kind = 'reading'

export const pulsar: Format = {
  id: 'pulsar',
  name: 'Pulsar',
  recognises: head => readColumnNames(head, ';').join() === 'worn,pulse',
  async read(source, head, sink, { options }) {
    await readNamedRows(source, head, ';', kind, sink, row => {
      const time = parseIsoTime(row.get('worn') ?? '', options.zone)
      const pulse = parseNumber(row.get('pulse'))
      if (Number.isNaN(time)) sink.skip(kind, 'without a time')
      else if (pulse === undefined) sink.skip(kind, 'without a number')
      else
        sink.addRecord({
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
