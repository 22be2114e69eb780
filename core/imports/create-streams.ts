/** Creates the streams that an import needs, each marked with the measure of its records. (docs/api/imports.md) */
import type { StreamDraft } from '../../imports/protocol.js'
import { findMeasureByName } from '../../schemas/measures/import-names.js'
import { measureKey } from '../../schemas/measures/measure.js'
import type { Stream } from '../../schemas/stream.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { runMethod } from '../dispatch/run-write.js'
import { ApiError, fail } from '../errors.js'
import type { WriteMethods } from './import-caller.js'

/** Maximum number of names that are tried for a stream. */
const maxNameAttempts = 100

/** A path of streams below `parentId`, for records of a type. */
interface NeededStreams {
  readonly path: readonly StreamDraft[]
  readonly type: string
  readonly parentId: string | null
}

/**
 * Creates the streams of a path that do not exist. Returns their ids. Error: `unknown-referenced-resource` if
 * a stream that the user has chosen does not exist. A stream whose name is taken gets a number after it. Other
 * errors are those of `streams.create`.
 */
export function* createMissingStreams(
  call: Call,
  method: WriteMethods['createStream'],
  { parentId, path, type }: NeededStreams
): Steps<string[]> {
  const { streams } = call.store
  const last = path.at(-1)!
  if (streams.find(last.id)) return []
  if (last.isChosen)
    fail(
      'unknown-referenced-resource',
      `The chosen stream "${last.id}" no longer exists. Run the import again`,
      {
        streamId: last.id
      }
    )
  const parentIds = [parentId, ...path.map(({ id }) => id)]
  const missing = path
    .map((stream, index) => ({ ...stream, parentId: parentIds[index]! }))
    .filter(({ id }) => !streams.find(id))
  for (const { id, measure, name, parentId: parent } of missing) {
    const mark = measure === undefined ? findMeasureByName(name, type)?.id : (measure ?? undefined)
    const clientData = mark === undefined ? {} : { clientData: { [measureKey]: mark } }
    yield* createStream(call, method, { id, name, parentId: parent, ...clientData })
  }
  return missing.map(({ id }) => id)
}

/** Creates a stream; with a number after its name if another one has that name. */
function* createStream(
  call: Call,
  method: WriteMethods['createStream'],
  stream: Pick<Stream, 'id' | 'name' | 'parentId' | 'clientData'>
): Steps<void> {
  for (let at = 1; ; at++) {
    const name = at === 1 ? stream.name : `${stream.name} (${at})`
    try {
      // A taken name changes nothing.
      yield* runMethod(method, call, { ...stream, name })
      return
    } catch (error) {
      if (!(error instanceof ApiError) || error.id !== 'item-already-exists' || at >= maxNameAttempts)
        throw error
    }
  }
}
