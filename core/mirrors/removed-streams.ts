/** Streams of a copy that may no longer be seen. (docs/api/mirrors.md#how-it-is-kept-up-to-date) */
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import type { StreamNode } from '../../storage/streams/node.js'
import { leaveStream } from './copied-events.js'
import { emptySeries } from './copied-points.js'
import { removeStreams } from './copied-streams.js'
import { getStore, saveProgress, writeCopyInSteps, type CopyContext } from './copy-context.js'
import { createRemovalWork } from '../streams/removal-work.js'
import { parseProgress } from './progress.js'

/** Number of events, and of streams, that are removed in one transaction. */
const removeLimit = 200

/**
 * Removes streams of a copy, each before its parent, with events that are in no other. Does less if the service stops or the mirror has
 * ended.
 */
export async function removeOthers(
  context: CopyContext,
  mirror: Mirror,
  nodes: readonly StreamNode[]
): Promise<void> {
  for (let at = 0; at < nodes.length; at += removeLimit) {
    const part = nodes.slice(at, at + removeLimit)
    for (const node of part)
      while (!context.isStopped() && (await leaveSome(context, mirror, node)) === false);
    if (context.isStopped()) return
    await writeCopyInSteps(context, function* (call, stored) {
      yield* removeStreams(
        call,
        part.flatMap(({ stream }) => call.store.streams.find(stream.id) ?? [])
      )
      saveProgress(call, stored, { ...parseProgress(stored), isDoubtful: true })
    })
  }
}

/** Takes events out of a stream. Returns false if there may be more. */
async function leaveSome(
  context: CopyContext,
  mirror: Mirror,
  { number, stream }: StreamNode
): Promise<boolean | undefined> {
  const store = getStore(context)
  const leaving = store.read(() => store.mirrors.listInStream(number, removeLimit))
  if (leaving.length === 0) return true
  await emptySeries(
    context,
    // Events without points may be large.
    leaving.filter(id => store.series.getEnd(id) && store.events.find(id)?.streamIds.length === 1)
  )
  return await writeCopyInSteps(context, function* (call) {
    const addWork = createRemovalWork(call.store)
    for (const id of call.store.mirrors.listInStream(number, removeLimit)) {
      addWork(id)
      yield
      leaveStream(call, mirror, id, stream.id)
    }
    return false
  })
}
