/** Shared secrets in `events.get`, without their values. (docs/spec/shared-secrets.md#reading) */
import type { SharedSecret } from '../../storage/shared-secrets/shared-secret-repository.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import { fail } from '../errors.js'
import type { Selection } from './selection.js'
import { parseStreamsQuery, type RequestedStream, type StreamsQuery } from './streams-query.js'
import type { Listing } from '../json/json-text.js'
import { getSecretsStreamId, sharedSecretsRoot } from '../system-ids.js'
import { maySeeSecret, secretEventType, toSecretEvent } from '../shared-secrets/state.js'

/** Returns whether a `streams` parameter asks for secrets, perhaps among other streams. */
export function includesSecrets(streams: unknown): boolean {
  return streams !== undefined && JSON.stringify(streams).includes(sharedSecretsRoot)
}

/**
 * Lists the secrets that the params of `events.get` ask for, as events; the last 20 if neither times nor a
 * limit are given. Errors: `forbidden` for streams of others, `invalid-operation` for conditions on contents.
 * Malformed queries: `invalid-request-structure`.
 */
export function listSecretEvents(call: Call, params: Selection): Listing<Reader> {
  const { caller, now, services } = call
  const queries = parseStreamsQuery(params.streams, services.config.limits.queryIds).filter(
    ({ store }) => store === sharedSecretsRoot
  )
  if (params.content !== undefined || params.clientData !== undefined)
    fail('invalid-operation', 'Content conditions cannot be used on shared secrets')
  for (const { any } of queries)
    if (any !== '*') for (const { id } of any) if (id !== sharedSecretsRoot) caller.must('read', id)
  const { fromTime, limit, skip = 0, toTime } = params
  const maxCount = limit ?? (fromTime === undefined && toTime === undefined ? 20 : Infinity)
  let isDone = matchesNoSecret(params)
  let after: number | undefined
  let skipped = 0
  let count = 0
  return {
    next(reader) {
      if (isDone) return { text: '', count: 0, done: true }
      const { isPersonal } = reader.caller
      const page = reader.store.sharedSecrets.listPage({
        access: isPersonal ? undefined : reader.caller.accessId,
        isAscending: params.sortAscending === true,
        after
      })
      after = page.next
      const texts: string[] = []
      for (const secret of page.secrets) {
        if (!isSelected(secret, queries, params) || !maySeeSecret(reader.caller, secret)) continue
        if (skipped++ < skip) continue
        if (count + texts.length >= maxCount) break
        texts.push(JSON.stringify(toSecretEvent(secret, now)))
      }
      count += texts.length
      isDone = after === undefined || count >= maxCount
      return { text: texts.join(','), count: texts.length, done: isDone }
    }
  }
}

/** Returns whether conditions exclude every secret: secrets have no tags, no text, no duration, and are never in the trash. */
function matchesNoSecret({ limit, running, state, tags, text, types }: Selection): boolean {
  const isOtherType =
    types !== undefined &&
    types.length > 0 &&
    !types.some(type => type === secretEventType || type === 'shared-secret/*')
  return (
    isOtherType ||
    limit === 0 ||
    running === true ||
    state === 'trashed' ||
    text !== undefined ||
    (tags?.some(tag => tag.trim() !== '') ?? false)
  )
}

/** Returns whether a shared secret is in one of the queried streams and within the times. */
function isSelected(
  { access, created, modified }: SharedSecret,
  queries: readonly StreamsQuery[],
  { fromTime, modifiedSince, toTime }: Selection
): boolean {
  const from = fromTime ?? (toTime === undefined ? -Infinity : toTime - 86_400)
  if (created < from || created > (toTime ?? Infinity)) return false
  if (modifiedSince !== undefined && modified <= modifiedSince) return false
  const isIn = ({ id, withBelow }: RequestedStream): boolean =>
    id === getSecretsStreamId(access) || (withBelow && id === sharedSecretsRoot)
  return queries.some(
    ({ all, any, not }) => any !== '*' && any.some(isIn) && all.every(isIn) && !not.some(isIn)
  )
}
