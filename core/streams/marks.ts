/** The marks of measures that apply to streams. (docs/api/measure-methods.md#what-belongs-to-a-measure) */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { noMeasure, readMeasureMark } from '../../schemas/measures/measure.js'
import type { StreamNode } from '../../storage/streams/node.js'
import type { Reader } from '../call/reader.js'
import { iterateAncestors } from './tree.js'

/**
 * Returns a function that finds the mark of a stream, or else of the nearest marked one above; `undefined` if there is none. It
 * remembers what it has found: thousands of streams may be below the same ones.
 */
export function createMarkFinder(): (node: StreamNode) => string | undefined {
  const known = new Map<StreamNode, string | undefined>()
  return node => {
    const path: StreamNode[] = []
    let mark: string | undefined
    for (const at of iterateAncestors(node)) {
      if (known.has(at)) {
        mark = known.get(at)
        break
      }
      path.push(at)
      mark = readMeasureMark(at.stream.clientData)
      if (mark !== undefined) break
    }
    for (const at of path) known.set(at, mark)
    return mark
  }
}

/**
 * Returns the mark that applies to a stream from hidden ones above it, of which `parent` is the nearest; `undefined` if there is none, or
 * the stream has its own. Measures of the user's own are none to others.
 */
export function findMarkAbove(
  { stream }: StreamNode,
  parent: StreamNode,
  find = createMarkFinder()
): string | undefined {
  const mark = readMeasureMark(stream.clientData) === undefined ? find(parent) : undefined
  return mark === undefined || findMeasure(mark) ? mark : noMeasure
}

/**
 * Returns the marks that apply to streams of a caller from hidden ones above them, for validators: changes of those are not published to
 * it. Returns `undefined` if there are none.
 */
export function describeMarksAbove({ caller, store: { streams } }: Reader): unknown {
  const find = createMarkFinder()
  const marks: [id: string, mark: string][] = []
  for (const id of caller.names) {
    const node = streams.find(id)
    if (!node?.parent || !caller.mayAt('list', node) || caller.mayAt('list', node.parent)) continue
    const mark = findMarkAbove(node, node.parent, find)
    if (mark !== undefined) marks.push([id, mark])
  }
  return marks.length > 0 ? marks : undefined
}
