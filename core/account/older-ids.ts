/** System streams under the ids that older clients use, `.email` for `:system:email`, in params and results. (docs/spec/compatibility.md#older-forms-of-account-stream-ids) */
import type { Config } from '../settings/config.js'
import { isListing, isTextListing, JsonText, type Listing } from '../json/json-text.js'
import type { AnyMethod, Call, Result } from '../call/method.js'
import { accountStreams } from './fields.js'
import { isSystemId } from '../system-ids.js'
import type { Credentials } from '../call/credentials.js'

const prefix = /^:(?:_system|system):/

/** The header by which a call opts out of older ids: the only header that methods read themselves. */
const optOutHeader = 'disable-backward-compatibility-prefix'

interface Names {
  readonly current: ReadonlyMap<string, string>
  readonly older: ReadonlyMap<string, string>
}

const known = new WeakMap<Config, Names>()

function namesOf(config: Config): Names {
  let names = known.get(config)
  if (!names) {
    const pairs = accountStreams(config).list.map(
      ({ stream: { id } }) => [id, id.replace(prefix, '.')] as const
    )
    names = { older: new Map(pairs), current: new Map(pairs.map(([id, name]) => [name, id])) }
    known.set(config, names)
  }
  return names
}

/** Returns the current id for an older one; other ids are unchanged. */
export function currentId(config: Config, id: string): string {
  return id.startsWith('.') ? (namesOf(config).current.get(id) ?? id) : id
}

/** Wraps the methods so that they take and return older ids, if the operator has enabled these. */
export function withOlderIds(config: Config, methods: readonly AnyMethod[]): readonly AnyMethod[] {
  if (!config.backwardCompatibility.systemStreams.prefix.isActive) return methods
  return methods.map(definition => {
    if (definition.mode !== 'read' && definition.mode !== 'write') return definition
    const wrapped = {
      ...definition,
      ...(definition.prepare && {
        prepare: async (call: Call, params: unknown) =>
          (await definition.prepare?.(call, paramsFor(config, call, params))) as unknown
      })
    }
    return definition.isLong
      ? {
          ...wrapped,
          *run(call: Call, params: unknown) {
            return resultFor(config, call, yield* definition.run(call, paramsFor(config, call, params)))
          },
          isLong: definition.isLong.bind(definition)
        }
      : {
          ...wrapped,
          run: (call, params, prepared) =>
            resultFor(config, call, definition.run(call, paramsFor(config, call, params), prepared)),
          isLong: undefined
        }
  })
}

function paramsFor(config: Config, { credentials }: Call, params: unknown): unknown {
  return isRefused(credentials) ? params : currentParams(config, params)
}

function resultFor(config: Config, { credentials }: Call, result: Result): Result {
  return isRefused(credentials) ? result : olderResult(config, result)
}

/** Whether a call opts out of older ids. */
export function isRefused({ headers }: Pick<Credentials, 'headers'>): boolean {
  return Boolean(headers?.[optOutHeader])
}

/**
 * Returns the credentials to send with a call to another thread or node: without the headers that no method reads, unless the
 * operator's authorization step needs all of them.
 */
export function toSentCredentials({ auth }: Config, credentials: Credentials, method = ''): Credentials {
  if (auth.authorizationStep !== '') return credentials
  const { headers, ...rest } = credentials
  const agent = signingIn.has(method) ? headers?.['user-agent'] : undefined
  const isOut = isRefused(credentials)
  if (!isOut && agent === undefined) return rest
  return {
    ...rest,
    headers: { ...(isOut && { [optOutHeader]: 'true' }), ...(agent !== undefined && { 'user-agent': agent }) }
  }
}

/** Methods that note from where somebody signs in, or tell the user who has changed how they do. */
const signingIn = new Set([
  'auth.login',
  'auth.passkeyLogin',
  'mfa.verify',
  'mfa.deactivate',
  'mfa.recover',
  'auth.register',
  'auth.registerOlder',
  'account.changePassword',
  'account.resetPassword',
  'account.updateNotices',
  'passkeys.create',
  'passkeys.delete'
])

/** Names of params that hold stream ids, at any depth. */
const naming = new Set(
  'id,parentId,streamId,streamIds,streams,any,all,not,permissions,requestedPermissions,update'.split(',')
)

/** The param that may be a query as JSON text. All other text stays text, as it was validated. */
const queryName = 'streams'

function currentParams(config: Config, value: unknown, isQuery = false): unknown {
  if (typeof value === 'string') return currentText(config, value, isQuery)
  if (Array.isArray(value)) return value.map(item => currentParams(config, item, isQuery))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      naming.has(key) ? currentParams(config, each, key === queryName) : each
    ])
  )
}

/** Translates an id, an id followed by `!` (without its children), or a query as JSON text. */
function currentText(config: Config, text: string, isQuery: boolean): unknown {
  if (isQuery && /^\s*[[{]/.test(text))
    try {
      return currentParams(config, JSON.parse(text))
    } catch {
      return text
    }
  return text.endsWith('!') ? `${currentId(config, text.slice(0, -1))}!` : currentId(config, text)
}

function olderResult(config: Config, result: Result): Result {
  if (result instanceof JsonText) return new JsonText(JSON.stringify(older(config, JSON.parse(result.text))))
  const entries = Object.entries(result).map(([key, value]) => [key, olderValue(config, value)] as const)
  return older(config, Object.fromEntries(entries)) as Result
}

function olderValue(config: Config, value: unknown): unknown {
  if (value instanceof JsonText) return new JsonText(JSON.stringify(older(config, JSON.parse(value.text))))
  return isListing(value) ? olderListing(config, value) : older(config, value)
}

function olderListing(config: Config, listing: Listing<unknown>): Listing<unknown> {
  if (isTextListing(listing)) {
    listing.present = text => JSON.stringify(older(config, JSON.parse(text)))
    return listing
  }
  return {
    next(source) {
      const page = listing.next(source)
      const items = older(config, JSON.parse(`[${page.text}]`)) as unknown[]
      return { ...page, text: items.map(item => JSON.stringify(item)).join(','), excess: undefined }
    }
  }
}

/** Streams, events and accesses with older ids. Changed items lose their integrity value, which no longer matches. */
function older(config: Config, item: unknown): unknown {
  if (Array.isArray(item)) return item.map(each => older(config, each))
  if (typeof item !== 'object' || item === null || item instanceof JsonText) return item
  const { children, id, parentId, permissions, streamId, streamIds } = item as Record<string, unknown>
  const changed = {
    ...(isStreamId(id) && { id: olderId(config, id) }),
    ...(isStreamId(parentId) && { parentId: olderId(config, parentId) }),
    ...(isStreamId(streamId) && { streamId: olderId(config, streamId) }),
    ...(Array.isArray(streamIds) && { streamIds: streamIds.map(each => olderId(config, each as string)) }),
    ...(Array.isArray(children) && { children: older(config, children) }),
    ...(Array.isArray(permissions) && { permissions: older(config, permissions) })
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

function olderId(config: Config, id: string): string {
  return namesOf(config).older.get(id) ?? id
}
