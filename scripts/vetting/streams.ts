/** Rules for the streams of a foreign file: ids of their own, and trees without circles. */
import { Type } from 'typebox'
import type { Config } from '../../core/settings/config.js'
import { toSlug } from '../../core/ids.js'
import { isSystemId } from '../../core/system-ids.js'
import { getAccountStreams } from '../../core/account/fields.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import { Stream } from '../../schemas/stream.js'
import { shapeOf, type Examiner } from './examiner.js'

const isStream = shapeOf(Type.Object(Stream.properties, closed))
const isPath = shapeOf(Type.Array(Identifier))

/** Numbers of the service's own streams begin there, or lie below 0. */
const firstOfService = 2 ** 48

/** Looks at all streams, and at what is left of deleted ones. */
export function examineStreams(examiner: Examiner): void {
  const parents = new Map<string, string | null>()
  for (const { body, id, number } of examiner.file.rows('SELECT number, id, body FROM stream')) {
    const stream = examiner.read('stream', id, body, isStream) as Stream | undefined
    if (!stream) continue
    const say = (isRight: boolean, detail: string): boolean => examiner.must(isRight, 'stream', id, detail)
    say(stream.id === id, 'is found under another id than it shows')
    say(Number(number) >= 1 && Number(number) < firstOfService, "has the number of one of the service's own")
    say(!isSystemId(stream.id), "has an id of the service's own")
    const { home } = examiner.options
    say(
      !home || isChosen(stream.id) || getAccountStreams(home).isTagId(stream.id),
      'has an id that none can have'
    )
    say(examiner.isPast(stream.created) && examiner.isPast(stream.modified), 'was written in the future')
    parents.set(stream.id, stream.parentId)
  }
  examineTree(examiner, parents)
  if (examiner.options.home) examineTags(examiner, examiner.options.home, parents)
  for (const { id, path } of examiner.file.rows('SELECT id, path FROM stream_deletion'))
    examiner.read('stream', id, path, isPath)
}

/** Whether somebody could have chosen an id: not one that stands for all streams, or for something about a stream. */
function isChosen(id: string): boolean {
  try {
    return toSlug(id) === id
  } catch {
    return false
  }
}

/** The service makes streams for tags itself: whoever has them elsewhere would let others see what is tagged from now on. */
function examineTags(
  examiner: Examiner,
  { backwardCompatibility }: Config,
  parents: ReadonlyMap<string, string | null>
): void {
  const { rootStreamId, streamIdPrefix } = backwardCompatibility.tags
  for (const [id, parentId] of parents) {
    const expected = id === rootStreamId ? null : id.startsWith(streamIdPrefix) ? rootStreamId : parentId
    examiner.must(
      parentId === expected,
      'stream',
      id,
      `is for tags, but is not below ${expected ?? 'the root'}. Move it there before exporting the account`
    )
  }
}

/** The service goes up and down trees without looking for circles. */
function examineTree(examiner: Examiner, parents: ReadonlyMap<string, string | null>): void {
  const depths = new Map<string, number>()
  for (const id of parents.keys()) {
    const way = new Set<string>()
    let at: string | null = id
    while (at !== null && !depths.has(at)) {
      if (way.has(at)) return examiner.say('stream', at, 'is below itself')
      if (!parents.has(at)) return examiner.say('stream', at, 'is missing, and has streams below it')
      way.add(at)
      at = parents.get(at) ?? null
    }
    let depth = at === null ? 0 : depths.get(at)!
    for (const each of [...way].toReversed()) depths.set(each, ++depth)
    const { streamDepth } = examiner.options
    if (depth > streamDepth)
      return examiner.say('stream', id, `is nested deeper than ${streamDepth} levels (limits.streamDepth)`)
  }
}
