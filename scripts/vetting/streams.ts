/** Validates the streams of a foreign file: their ids, and that the tree has no cycles. */
import { Type } from 'typebox'
import type { Config } from '../../core/settings/config.js'
import { toSlug } from '../../core/ids.js'
import { isCmcId } from '../../core/cmc-ids.js'
import { isFollowedId, isSystemId } from '../../core/system-ids.js'
import { getAccountStreams } from '../../core/account/fields.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import { Stream } from '../../schemas/stream.js'
import { compileShape, type Examiner } from './examiner.js'

const isStream = compileShape(Type.Object(Stream.properties, closed))
const isPath = compileShape(Type.Array(Identifier))

/** Numbers of the service's own streams: this number and above, and numbers below 0. */
const firstServiceNumber = 2 ** 48

/** Reports problems with all streams, their tree, and the ids of deleted ones. */
export function examineStreams(examiner: Examiner): void {
  const parents = new Map<string, string | null>()
  for (const { body, id, number } of examiner.file.rows('SELECT number, id, body FROM stream')) {
    const stream = examiner.read('stream', id, body, isStream) as Stream | undefined
    if (!stream) continue
    const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, 'stream', id, detail)
    say(stream.id === id, 'is stored under an id other than its own')
    say(
      Number(number) >= 1 && Number(number) < firstServiceNumber,
      "has the number of one of the service's own"
    )
    const { targetConfig } = examiner.options
    // Backups contain copies of other accounts' streams, archives do not.
    const isCopy = !targetConfig && isFollowedId(stream.id)
    say(isCopy || !isSystemId(stream.id), "has an id of the service's own")
    say(
      !targetConfig ||
        isUserId(stream.id) ||
        isCmcId(stream.id) ||
        getAccountStreams(targetConfig).isTagId(stream.id),
      'has an id that none can have'
    )
    say(examiner.isPast(stream.created) && examiner.isPast(stream.modified), 'was written in the future')
    parents.set(stream.id, stream.parentId)
  }
  examineTree(examiner, parents)
  if (examiner.options.targetConfig) examineTags(examiner, examiner.options.targetConfig, parents)
  for (const { id, path } of examiner.file.rows('SELECT id, path FROM stream_deletion'))
    examiner.read('stream', id, path, isPath)
}

/** Returns true if a user can choose an id: reserved ids stand for all streams, or for data about a stream. */
function isUserId(id: string): boolean {
  try {
    return toSlug(id) === id
  } catch {
    return false
  }
}

/**
 * Reports streams for tags that are not where the service creates them. Below another stream, permissions on
 * that stream would also cover what is tagged later.
 */
function examineTags(
  examiner: Examiner,
  { backwardCompatibility }: Config,
  parents: ReadonlyMap<string, string | null>
): void {
  const { rootStreamId, streamIdPrefix } = backwardCompatibility.tags
  for (const [id, parentId] of parents) {
    const expected = id === rootStreamId ? null : id.startsWith(streamIdPrefix) ? rootStreamId : parentId
    examiner.check(
      parentId === expected,
      'stream',
      id,
      `is for tags, but is not below ${expected ?? 'the root'}. Move it there before exporting the account`
    )
  }
}

/**
 * Reports the first problem with the tree, which the service traverses without checking for cycles: a cycle,
 * a missing parent, or too many levels.
 */
function examineTree(examiner: Examiner, parents: ReadonlyMap<string, string | null>): void {
  const depths = new Map<string, number>()
  for (const id of parents.keys()) {
    const path = new Set<string>()
    let at: string | null = id
    while (at !== null && !depths.has(at)) {
      if (path.has(at)) return examiner.addProblem('stream', at, 'is below itself')
      if (!parents.has(at)) return examiner.addProblem('stream', at, 'is missing, and has streams below it')
      path.add(at)
      at = parents.get(at) ?? null
    }
    let depth = at === null ? 0 : depths.get(at)!
    for (const each of [...path].toReversed()) depths.set(each, ++depth)
    const { streamDepth } = examiner.options
    if (depth > streamDepth)
      return examiner.addProblem(
        'stream',
        id,
        `is nested deeper than ${streamDepth} levels (limits.streamDepth)`
      )
  }
}
