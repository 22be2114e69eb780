/** The paths of an event's streams, as stored with its versions and deletion. */
import type { StreamRepository } from './streams.js'

/** Limit in characters. An event may be in ten thousand streams, each with a path of a hundred long ids. */
const maxLength = 4 * 1024 * 1024

/** The paths of streams as JSON; an empty list if they are too long to store: only the owner sees such a version then. */
export function formatPaths(streams: Pick<StreamRepository, 'getPath'>, numbers: readonly number[]): string {
  const paths: string[] = []
  let size = 0
  for (const number of numbers) {
    const text = JSON.stringify(streams.getPath(number))
    if ((size += text.length) > maxLength) return '[]'
    paths.push(text)
  }
  return `[${paths.join()}]`
}
