/** Reads OwnTracks: files of its recorder (`.rec`), and its messages as JSON. */
import type { Format, Sink } from '../../record.js'
import { eachObject, isJson, numberAt, textAt, type Json } from '../json-files.js'
import { isPlace } from '../tracks.js'
import { scaled } from '../../text/units.js'

/** A line of a recorder file: time, kind and message. */
const recorderLine = /^\d{4}-\d\d-\d\dT[\d:.]+Z\t[^\t\n]{0,40}\t\{/

export const owntracks: Format = {
  id: 'owntracks',
  name: 'OwnTracks',
  recognises: head =>
    recorderLine.test(head.text) ||
    (isJson(head) && /"_type"\s*:\s*"(?:location|transition|lwt)"/.test(head.text)),
  async read(source, head, sink) {
    const reader = new OwntracksReader(sink)
    await eachObject(
      source,
      head,
      sink,
      path => path.length === 0 || path.at(-1) === 'data' || path.at(-1) === 'locations',
      object => reader.addMessage(object)
    )
  }
}

class OwntracksReader {
  constructor(private readonly sink: Sink) {}

  addMessage(object: Json): void {
    const kind = textAt(object, '_type') ?? 'message'
    const seconds = numberAt(object, 'tst')
    const [latitude, longitude] = [numberAt(object, 'lat'), numberAt(object, 'lon')]
    if (kind !== 'location') this.sink.leftOut(kind, 'of a kind without a type here')
    else if (seconds === undefined) this.sink.leftOut(kind, 'without a time')
    else if (!isPlace(latitude, longitude)) this.sink.leftOut(kind, 'at coordinates beyond the earth')
    else {
      const kilometresPerHour = numberAt(object, 'vel')
      const others = {
        altitude: numberAt(object, 'alt'),
        horizontalAccuracy: numberAt(object, 'acc'),
        verticalAccuracy: numberAt(object, 'vac'),
        bearing: numberAt(object, 'cog'),
        speed: kilometresPerHour === undefined ? undefined : scaled(kilometresPerHour, 1 / 3.6)
      }
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const base = { source: textAt(object, 'tid') ?? '', time: seconds }
      this.sink.datum({ ...base, kind, type: 'position/wgs84', stream: 'Positions', content })
      const pressure = numberAt(object, 'p')
      if (pressure !== undefined)
        this.sink.datum({
          ...base,
          kind: `${kind} pressure`,
          type: 'pressure/kpa',
          stream: 'Air pressure',
          content: pressure
        })
    }
  }
}
