/** Reads OwnTracks: files of its recorder (`.rec`), and its messages as JSON. */
import type { Format, Sink } from '../../record.js'
import { readObjects, isJson, getNumber, getText, type Json } from '../json-files.js'
import { isValidPosition } from '../track-writer.js'
import { scaleValue } from '../../text/units.js'

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
    await readObjects(
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

  /** Adds a location message as a position; skips messages of other kinds. */
  addMessage(object: Json): void {
    const kind = getText(object, '_type') ?? 'message'
    const seconds = getNumber(object, 'tst')
    const [latitude, longitude] = [getNumber(object, 'lat'), getNumber(object, 'lon')]
    if (kind !== 'location') this.sink.skip(kind, 'of a kind without a type here')
    else if (seconds === undefined) this.sink.skip(kind, 'without a time')
    else if (!isValidPosition(latitude, longitude)) this.sink.skip(kind, 'at coordinates beyond the earth')
    else {
      const kilometresPerHour = getNumber(object, 'vel')
      const others = {
        altitude: getNumber(object, 'alt'),
        horizontalAccuracy: getNumber(object, 'acc'),
        verticalAccuracy: getNumber(object, 'vac'),
        bearing: getNumber(object, 'cog'),
        speed: kilometresPerHour === undefined ? undefined : scaleValue(kilometresPerHour, 1 / 3.6)
      }
      const content: Record<string, number> = { latitude: latitude!, longitude: longitude! }
      for (const [name, value] of Object.entries(others)) if (value !== undefined) content[name] = value
      const base = { source: getText(object, 'tid') ?? '', time: seconds }
      this.sink.addRecord({ ...base, kind, type: 'position/wgs84', stream: 'Positions', content })
      const pressure = getNumber(object, 'p')
      if (pressure !== undefined)
        this.sink.addRecord({
          ...base,
          kind: `${kind} pressure`,
          type: 'pressure/kpa',
          stream: 'Air pressure',
          content: pressure
        })
    }
  }
}
