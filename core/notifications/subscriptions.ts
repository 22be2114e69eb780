/**
 * `subscribe`, `unsubscribe` and `getSubscriptions`: the scopes that a socket is notified of.
 * (docs/spec/notifications.md#scopes)
 */
import { Type, type Static, type TSchema } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import { ScopeKey, scopesByKind, type Scope, type Scopes } from '../../schemas/scope.js'
import { assertDepth } from '../json/depth.js'
import { fail, quoteText } from '../errors.js'
import type { Caller } from '../permissions/caller.js'
import { createChecker } from '../validation/params.js'
import type { Services } from '../call/services.js'
import { assertMaySubscribe, assertRoom, countAll, cutScopes } from './scope-rules.js'
import type { SubscribedAccess } from '../call/dispatcher.js'

const SingleParams = Type.Object(
  { key: ScopeKey, kind: Type.Optional(Type.Unknown()), query: Type.Optional(Type.Unknown()) },
  closed
)
const ScopesParams = Type.Object({ scopes: Type.Record(ScopeKey, Type.Object({})) }, closed)
const AnyKind = Type.Object({ kind: Type.Optional(Type.Enum(['events', 'streams', 'accesses'])) })
const UnsubscribeParams = Type.Object(
  {
    key: Type.Optional(ScopeKey),
    keys: Type.Optional(Type.Array(ScopeKey, { maxItems: 10_000 })),
    all: Type.Optional(Type.Boolean())
  },
  closed
)
const NoParams = Type.Object({}, closed)

/** Returns the current caller of a subscriber. Throws if its access has ended. */
interface CallerSource {
  getCaller(subscriber: SubscribedAccess): Caller
}

/** The socket that calls a subscription method, and all sockets of its account. */
interface SubscriptionContext {
  readonly services: Services
  readonly callers: CallerSource
  readonly subscriber: SubscribedAccess
  readonly all: Iterable<SubscribedAccess>
}

type SubscriptionMethod = (context: SubscriptionContext, params: unknown) => object

/** Subscribes again at another node, which may know of a later state of the permissions. Not a method of sockets. */
export const restoreMethod = 'restoreSubscriptions'
/** The same as `getSubscriptions`, for the node that restores them. Not a method of sockets. */
export const readMethod = 'readSubscriptions'

const methods = new Map<string, SubscriptionMethod>([
  ['subscribe', subscribe],
  ['unsubscribe', unsubscribe],
  ['getSubscriptions', getSubscriptions],
  [restoreMethod, restoreSubscriptions],
  [readMethod, getSubscriptions]
])
const internalMethods = new Set([restoreMethod, readMethod])

/** Returns whether a method is a subscription method. */
export function isSubscriptionMethod(name: string): boolean {
  return methods.has(name) && !internalMethods.has(name)
}

/** Runs a subscription method and returns its result; counts as a call if it is one. Throws like any method. */
export function runSubscriptionMethod(context: SubscriptionContext, name: string, params: unknown): object {
  const { services, subscriber } = context
  if (!internalMethods.has(name)) services.callLimit?.count(subscriber.account, subscriber.access)
  const run = methods.get(name) ?? fail('invalid-method', `No method ${quoteText(name)}`)
  return run(context, params)
}

const checkOne = createTypedChecker(SingleParams)
const checkKind = createTypedChecker(AnyKind)
const checkByKind = {
  events: createTypedChecker<TSchema>(scopesByKind.events),
  streams: createTypedChecker<TSchema>(scopesByKind.streams),
  accesses: createTypedChecker<TSchema>(scopesByKind.accesses)
}
const checkMany = createTypedChecker(ScopesParams)
const checkWhich = createTypedChecker(UnsubscribeParams)
const checkNone = createTypedChecker(NoParams)

/**
 * Adds scopes, replacing those with the same keys, and returns the keys of all. Throws the errors of {@link
 * assertMaySubscribe} and {@link assertRoom}.
 */
function subscribe({ all, callers, services, subscriber }: SubscriptionContext, params: unknown): object {
  assertDepth(params, services.config.limits.jsonDepth)
  const isMany = typeof params === 'object' && params !== null && Object.hasOwn(params, 'scopes')
  const added = isMany ? toScopes(params) : toScope(params)
  const caller = callers.getCaller(subscriber)
  updateScopes(services, caller, subscriber)
  const entries = [...Object.entries(subscriber.scopes ?? {}), ...Object.entries(added)]
  const scopes = buildScopes(
    entries.map(([name, scope]) => [name, scope.kind ? scope : { kind: 'events', ...scope }])
  )
  const { config } = services
  const store = services.accounts.openStore(subscriber.account)
  store.read(() => assertMaySubscribe({ store, caller, config }, scopes))
  const inUse = Array.from(all)
    .filter(other => other !== subscriber)
    .map(other => [other.access.id, other.scopesLength] as const)
  assertRoom(subscriber.access, scopes, inUse)
  setScopes(subscriber, scopes)
  return { ok: true, keys: Object.keys(scopes) }
}

/** Removes scopes, and returns the keys of those that are left. If no scope is left, the socket gets the API's own messages again. */
function unsubscribe({ callers, services, subscriber }: SubscriptionContext, params: unknown): object {
  const { all, key: one, keys = [] } = checkWhich(params)
  updateScopes(services, callers.getCaller(subscriber), subscriber)
  const removed = new Set(one === undefined ? keys : [...keys, one])
  const before = Object.entries(subscriber.scopes ?? {})
  const after = all ? [] : before.filter(([name]) => !removed.has(name))
  setScopes(subscriber, buildScopes(after))
  return { ok: true, keys: after.map(([name]) => name) }
}

/** Returns the scopes, cut to what may be read now. */
function getSubscriptions({ callers, services, subscriber }: SubscriptionContext, params: unknown): object {
  checkNone(params)
  updateScopes(services, callers.getCaller(subscriber), subscriber)
  return { scopes: subscriber.scopes ?? {} }
}

/** Subscribes to what is left of the scopes that the subscriber had. */
function restoreSubscriptions(
  { callers, services, subscriber }: SubscriptionContext,
  params: unknown
): object {
  setScopes(subscriber, toScopes(params))
  updateScopes(services, callers.getCaller(subscriber), subscriber)
  return { scopes: subscriber.scopes ?? {} }
}

/** Cuts the scopes of a subscriber to what its caller may read now. */
export function updateScopes(
  { accounts }: Pick<Services, 'accounts'>,
  caller: Caller,
  subscriber: SubscribedAccess
): void {
  const { account, scopes } = subscriber
  if (!scopes) return
  const store = accounts.openStore(account)
  setScopes(
    subscriber,
    store.read(() => cutScopes({ store, caller }, scopes))
  )
}

function setScopes(subscriber: SubscribedAccess, scopes: Scopes): void {
  subscriber.scopes = toOwnScopes(scopes)
  subscriber.scopesLength = countAll(scopes)
}

/** Returns `undefined` for no scopes: the subscriber then gets the API's own messages. */
function toOwnScopes(scopes: Scopes): Scopes | undefined {
  return Object.keys(scopes).length > 0 ? scopes : undefined
}

/** Returns the scopes in params that have many. Errors: `invalid-parameters-format`. */
function toScopes(params: unknown): Scopes {
  return buildScopes(
    Object.entries(checkMany(params).scopes).map(([name, scope]) => [name, checkScope(scope)])
  )
}

/** Returns the scope in params that have only one. Errors as of {@link toScopes}. */
function toScope(params: unknown): Scopes {
  const { key: name, ...scope } = checkOne(params)
  return buildScopes([[name, checkScope(scope)]])
}

/** Checks a scope against the schema of its kind, for errors that say what is wrong. */
function checkScope(scope: object): Scope {
  return checkByKind[checkKind(scope).kind ?? 'events'](scope) as Scope
}

/** Returns an object with these keys as own properties, even `__proto__`; for equal keys the last one wins. */
function buildScopes(entries: Iterable<readonly [string, Scope]>): Scopes {
  return Object.fromEntries(entries)
}

/** Returns a function that checks params and returns them with their type. */
function createTypedChecker<S extends TSchema>(schema: S): (params: unknown) => Static<S> {
  const check = createChecker(schema)
  return params => {
    check(params)
    return params as Static<S>
  }
}
