/** Creates the streams of imported data. */
import type { StreamDraft } from '../../imports/protocol.js'
import type { Call } from '../call/method.js'
import { ApiError } from '../errors.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import type { WriteMethods } from './import-caller.js'

/** Maximum number of names that are tried for a stream. */
const maxNameAttempts = 100

/** Creates the streams of a path that do not exist, within a transaction, below the stream `rootId`. Returns their ids. */
export function createStreams(
  call: Call,
  path: readonly StreamDraft[],
  rootId: string | null,
  method: WriteMethods['createStream']
): string[] {
  const created: string[] = []
  let parentId = rootId
  for (const { id, name } of path) {
    if (!call.store.streams.find(id)) {
      createNamedStream(call, { id, name, parentId }, method)
      created.push(id)
    }
    parentId = id
  }
  return created
}

function createNamedStream(
  call: Call,
  stream: { id: string; name: string; parentId: string | null },
  method: WriteMethods['createStream']
): void {
  for (let at = 1; ; at++) {
    const name = at === 1 ? stream.name : `${stream.name} (${at})`
    try {
      call.store.savepoint(() => runUninterrupted(method, call, { ...stream, name }))
      return
    } catch (error) {
      // Another stream has that name.
      if (!(error instanceof ApiError) || error.id !== 'item-already-exists' || at >= maxNameAttempts)
        throw error
    }
  }
}
