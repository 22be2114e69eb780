/** System streams under the ids that older clients use, `.email` for `:system:email`, in params and results. (docs/spec/compatibility.md#older-forms-of-account-stream-ids) */
import type { Config } from '../settings/config.js'
import { isListing, isTextListing, JsonMembers, JsonText, type Listing } from '../json/json-text.js'
import type { AnyMethod, Call, Result } from '../call/method.js'
import { getAccountStreams } from './fields.js'
import { isSystemId } from '../system-ids.js'
import type { Credentials } from '../call/credentials.js'

const prefix = /^:(?:_system|system):/

/** The header by which a call opts out of older ids. Methods read no other, except `User-Agent`. */
const optOutHeader = 'disable-backward-compatibility-prefix'

interface IdMaps {
  readonly current: ReadonlyMap<string, string>
  readonly older: ReadonlyMap<string, string>
}

const mapsByConfig = new WeakMap<Config, IdMaps>()

function getIdMaps(config: Config): IdMaps {
  let names = mapsByConfig.get(config)
  if (!names) {
    const pairs = getAccountStreams(config).list.map(
      ({ stream: { id } }) => [id, id.replace(prefix, '.')] as const
    )
    names = { older: new Map(pairs), current: new Map(pairs.map(([id, name]) => [name, id])) }
    mapsByConfig.set(config, names)
  }
  return names
}

/** Returns the current id for an older one; other ids are unchanged. */
export function toCurrentId(config: Config, id: string): string {
  return id.startsWith('.') ? (getIdMaps(config).current.get(id) ?? id) : id
}

/** Wraps the methods so that they take and return older ids, if the operator has enabled these. */
export function supportOlderIds(config: Config, methods: readonly AnyMethod[]): readonly AnyMethod[] {
  if (!config.backwardCompatibility.systemStreams.prefix.isActive) return methods
  return methods.map(definition => {
    if (definition.mode !== 'read' && definition.mode !== 'write') return definition
    const wrapped = {
      ...definition,
      ...(definition.prepare && {
        prepare: async (call: Call, params: unknown) =>
          (await definition.prepare?.(call, toMethodParams(config, call, params))) as unknown
      })
    }
    return definition.isLong
      ? {
          ...wrapped,
          *run(call: Call, params: unknown, prepared: unknown) {
            const result = yield* definition.run(call, toMethodParams(config, call, params), prepared)
            return resultFor(config, call, result)
          },
          isLong: definition.isLong.bind(definition)
        }
      : {
          ...wrapped,
          run: (call, params, prepared) =>
            resultFor(config, call, definition.run(call, toMethodParams(config, call, params), prepared)),
          isLong: undefined
        }
  })
}

function toMethodParams(config: Config, { credentials }: Call, params: unknown): unknown {
  return optsOutOfOlderIds(credentials) ? params : toCurrentParams(config, params)
}

function resultFor(config: Config, { credentials }: Call, result: Result): Result {
  return optsOutOfOlderIds(credentials) ? result : toOlderResult(config, result)
}

/** Whether a call opts out of older ids. */
export function optsOutOfOlderIds({ headers }: Pick<Credentials, 'headers'>): boolean {
  return Boolean(headers?.[optOutHeader])
}

/** The headers that methods read. Of `x-forwarded-for`, only whether it is there: see `getClientAddress`. */
const readHeaders = [optOutHeader, 'user-agent', 'x-forwarded-for']

/**
 * Returns the credentials to send with a call to another thread or node: of the headers only those that methods read, unless the
 * operator's authorization step needs all of them.
 */
export function toSentCredentials({ auth }: Config, credentials: Credentials): Credentials {
  if (auth.authorizationStep !== '') return credentials
  const { headers = {}, ...rest } = credentials
  const sent = readHeaders.filter(name => headers[name] !== undefined)
  if (sent.length === 0) return rest
  return { ...rest, headers: Object.fromEntries(sent.map(name => [name, headers[name]])) }
}

/** Names of params that hold stream ids, at any depth. */
const idParams = new Set(
  'id,parentId,streamId,streamIds,streams,any,all,not,permissions,requestedPermissions,update'.split(',')
)

/** The param that may be a query as JSON text. All other text stays text, as it was validated. */
const queryParam = 'streams'

function toCurrentParams(config: Config, value: unknown, isQuery = false): unknown {
  if (typeof value === 'string') return toCurrentText(config, value, isQuery)
  if (Array.isArray(value)) return value.map(item => toCurrentParams(config, item, isQuery))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      idParams.has(key) ? toCurrentParams(config, each, key === queryParam) : each
    ])
  )
}

/** Translates an id, an id followed by `!` (without its children), or a query as JSON text. */
function toCurrentText(config: Config, text: string, isQuery: boolean): unknown {
  if (isQuery && /^\s*[[{]/.test(text))
    try {
      return toCurrentParams(config, JSON.parse(text))
    } catch {
      return text
    }
  return text.endsWith('!') ? `${toCurrentId(config, text.slice(0, -1))}!` : toCurrentId(config, text)
}

/** Replaces current ids in a result by older ones. */
function toOlderResult(config: Config, result: Result): Result {
  if (result instanceof JsonText)
    return new JsonText(JSON.stringify(toOlderItem(config, JSON.parse(result.text))))
  if (result instanceof JsonMembers) return toOlderItem(config, JSON.parse(`{${result.text}}`)) as Result
  const entries = Object.entries(result).map(([key, value]) => [key, toOlderValue(config, value)] as const)
  return toOlderItem(config, Object.fromEntries(entries)) as Result
}

function toOlderValue(config: Config, value: unknown): unknown {
  if (value instanceof JsonText)
    return new JsonText(JSON.stringify(toOlderItem(config, JSON.parse(value.text))))
  return isListing(value) ? toOlderListing(config, value) : toOlderItem(config, value)
}

/** Returns a listing whose items have the ids of system streams that older clients know. */
function toOlderListing(config: Config, listing: Listing<unknown>): Listing<unknown> {
  if (isTextListing(listing)) {
    listing.present = text => JSON.stringify(toOlderItem(config, JSON.parse(text)))
    return listing
  }
  return {
    next(source) {
      const page = listing.next(source)
      const items = toOlderItem(config, JSON.parse(`[${page.text}]`)) as unknown[]
      return { ...page, text: items.map(item => JSON.stringify(item)).join(','), excess: undefined }
    }
  }
}

/**
 * Returns streams, events and accesses with older ids. Changed items lose their integrity value, which no longer
 * matches.
 */
function toOlderItem(config: Config, item: unknown): unknown {
  if (Array.isArray(item)) return item.map(each => toOlderItem(config, each))
  if (typeof item !== 'object' || item === null || item instanceof JsonText) return item
  const { children, id, parentId, permissions, streamId, streamIds } = item as Record<string, unknown>
  const changed = {
    ...(isStreamId(id) && { id: toOlderId(config, id) }),
    ...(isStreamId(parentId) && { parentId: toOlderId(config, parentId) }),
    ...(isStreamId(streamId) && { streamId: toOlderId(config, streamId) }),
    ...(Array.isArray(streamIds) && { streamIds: streamIds.map(each => toOlderId(config, each as string)) }),
    ...(Array.isArray(children) && { children: toOlderItem(config, children) }),
    ...(Array.isArray(permissions) && { permissions: toOlderItem(config, permissions) })
  }
  const result: Record<string, unknown> = { ...item, ...changed }
  const isSame =
    JSON.stringify([streamIds, permissions]) === JSON.stringify([result['streamIds'], result['permissions']])
  if (!isSame) delete result['integrity']
  return result
}

function isStreamId(id: unknown): id is string {
  return typeof id === 'string' && isSystemId(id)
}

function toOlderId(config: Config, id: string): string {
  return getIdMaps(config).older.get(id) ?? id
}
