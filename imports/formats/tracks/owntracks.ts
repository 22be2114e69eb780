/** OwnTracks: what its recorder keeps (`.rec`), and its messages as JSON. */
import type { Format, Sink } from '../../record.js'
import { eachObject, isJson, numberAt, textAt, type Json } from '../json-files.js'
import { isPlace } from '../tracks.js'
import { scaled } from '../../text/units.js'

/** A line of a recorder: a time, what it is, and the message. */
const line = /^\d{4}-\d\d-\d\dT[\d:.]+Z\t[^\t\n]{0,40}\t\{/

export const owntracks: Format = {
  id: 'owntracks',
  name: 'OwnTracks',
  recognises: head =>
    line.test(head.text) || (isJson(head) && /"_type"\s*:\s*"(?:location|transition|lwt)"/.test(head.text)),
  async read(source, head, sink) {
    const reader = new Reader(sink)
    await eachObject(
      source,
      head,
      sink,
      path => path.length === 0 || path.at(-1) === 'data' || path.at(-1) === 'locations',
      object => reader.message(object)
    )
  }
}

class Reader {
  constructor(private readonly sink: Sink) {}

  message(object: Json): void {
    const kind = textAt(object, '_type') ?? 'message'
    const seconds = numberAt(object, 'tst')
    const [latitude, longitude] = [numberAt(object, 'lat'), numberAt(object, 'lon')]
    if (kind !== 'location') this.sink.leftOut(kind, 'of a kind without a type here')
    else if (seconds === undefined) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const kilometresAnHour = numberAt(object, 'vel')
      const others = {
        altitude: numberAt(object, 'alt'),
        horizontalAccuracy: numberAt(object, 'acc'),
        verticalAccuracy: numberAt(object, 'vac'),
        bearing: numberAt(object, 'cog'),
        speed: kilometresAnHour === undefined ? undefined : scaled(kilometresAnHour, 1 / 3.6)
      }
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const own = { source: textAt(object, 'tid') ?? '', time: seconds }
      this.sink.datum({ ...own, kind, type: 'position/wgs84', stream: 'Positions', content })
      const pressure = numberAt(object, 'p')
      if (pressure !== undefined)
        this.sink.datum({
          ...own,
          kind: `${kind} pressure`,
          type: 'pressure/kpa',
          stream: 'Air pressure',
          content: pressure
        })
    }
  }
}
