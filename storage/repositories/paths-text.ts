/** The paths of an event's streams, as they are kept with what it was. */
import type { StreamRepository } from './streams.js'

/** Characters of them all: there may be ten thousand, each of a hundred ids that are a page long. */
const most = 4 * 1024 * 1024

/** The paths of these streams as JSON. None where they are too long to be kept: then nobody but the owner sees what the event was. */
export function pathsText(streams: Pick<StreamRepository, 'path'>, numbers: readonly number[]): string {
  const paths: string[] = []
  let size = 0
  for (const number of numbers) {
    const text = JSON.stringify(streams.path(number))
    if ((size += text.length) > most) return '[]'
    paths.push(text)
  }
  return `[${paths.join()}]`
}
