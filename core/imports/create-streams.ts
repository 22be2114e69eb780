/** Creates the streams that an import needs, each marked with the measure of its records. (docs/api/imports.md) */
import type { StreamDraft } from '../../imports/protocol.js'
import { findMeasureByName } from '../../schemas/measures/import-names.js'
import { measureKey } from '../../schemas/measures/measure.js'
import type { Stream } from '../../schemas/stream.js'
import type { Call } from '../call/method.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { ApiError } from '../errors.js'
import type { WriteMethods } from './import-caller.js'

/** Maximum number of names that are tried for a stream. */
const maxNameAttempts = 100

/** A path of streams below `parentId`, for records of a type. */
interface NeededStreams {
  readonly path: readonly StreamDraft[]
  readonly type: string
  readonly parentId: string | null
}

/** Creates the streams of a path that do not exist. Returns their ids. */
export function createMissingStreams(
  call: Call,
  method: WriteMethods['createStream'],
  { parentId, path, type }: NeededStreams
): string[] {
  const { streams } = call.store
  if (streams.find(path.at(-1)!.id)) return []
  const parentIds = [parentId, ...path.map(({ id }) => id)]
  const missing = path
    .map((stream, index) => ({ ...stream, parentId: parentIds[index]! }))
    .filter(({ id }) => !streams.find(id))
  for (const stream of missing) {
    const measure = findMeasureByName(stream.name, type)
    createStream(call, method, measure ? { ...stream, clientData: { [measureKey]: measure.id } } : stream)
  }
  return missing.map(({ id }) => id)
}

/** Creates a stream; with a number after its name if another one has that name. */
function createStream(
  call: Call,
  method: WriteMethods['createStream'],
  stream: Pick<Stream, 'id' | 'name' | 'parentId' | 'clientData'>
): void {
  for (let at = 1; ; at++) {
    const name = at === 1 ? stream.name : `${stream.name} (${at})`
    try {
      return call.store.savepoint(() => void runUninterrupted(method, call, { ...stream, name }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.id !== 'item-already-exists' || at >= maxNameAttempts)
        throw error
    }
  }
}
