/** Reads electrocardiograms of Apple's export: a header of named lines, then one voltage per line. */
import { Unreadable, type Format } from '../../record.js'
import { readWholeText } from '../../text/decode.js'
import { parseIsoTime } from '../../text/times.js'

/** Maximum length of a recording, in characters; half a minute takes a small part of it. */
const maxLength = 4 * 1024 * 1024
const kind = 'Electrocardiogram'

export const appleEcg: Format = {
  id: 'apple-health',
  name: 'Apple Health',
  recognises: ({ name, text }) =>
    /(?:^|\/)electrocardiograms\/[^/]*\.csv$/i.test(name) ||
    (/^\S[^\n]*\n[^\n]*\n[^\n]*[12]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) &&
      /\b\d{3}[.,]?\d* ?(?:Hz|hertz)/i.test(text.slice(0, 2000))),
  async read(source, head, sink) {
    const text = await readWholeText(source, head, maxLength)
    const time = parseIsoTime(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}/.exec(text)?.[0] ?? '')
    const rate = Number(/(\d{1,9}(?:[.,]\d{1,9})?) ?(?:Hz|hertz)/i.exec(text)?.[1]?.replace(',', '.'))
    if (!(rate > 0) || Number.isNaN(time))
      throw new Unreadable('The electrocardiogram names no time or no sampling rate: export it again')
    let index = 0
    for (const line of text.split('\n')) {
      // Some locales write a decimal comma.
      const plain = line.trim().replace(/^"(.*)"$/, '$1')
      if (!/^-?\d+(?:[.,]\d+)?(?:e-?\d+)?$/i.test(plain)) continue
      sink.addRecord({
        kind,
        source: '',
        type: 'electromotive-force/v',
        stream: 'Electrocardiograms',
        time: time + index++ / rate,
        // Converts microvolts to volts.
        content: Number((Number(plain.replace(',', '.')) / 1e6).toPrecision(12)),
        track: `ecg ${time}`
      })
    }
  }
}
