/**
 * `subscribe`, `unsubscribe` and `getSubscriptions`: the scopes that a socket is notified of.
 * (docs/spec/notifications.md#scopes)
 */
import { Type, type Static, type TSchema } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import { Scope, ScopeKey, Scopes } from '../../schemas/scope.js'
import { assertDepth } from '../json/depth.js'
import { fail } from '../errors.js'
import type { Caller } from '../permissions/caller.js'
import { assertMaySubscribe } from '../permissions/scopes.js'
import { createChecker } from '../validation/params.js'
import type { Services } from '../call/services.js'
import type { SubscribedAccess } from './subscribed-access.js'

const SingleParams = Type.Object({ key: ScopeKey, ...Scope.properties }, closed)
const ScopesParams = Type.Object({ scopes: Scopes }, closed)
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

type SubscriptionMethod = (
  services: Services,
  callers: CallerSource,
  subscriber: SubscribedAccess,
  params: unknown
) => object

const methods = new Map<string, SubscriptionMethod>([
  ['subscribe', subscribe],
  ['unsubscribe', unsubscribe],
  ['getSubscriptions', getSubscriptions]
])

/** Returns whether a method is a subscription method. */
export function isSubscriptionMethod(name: string): boolean {
  return methods.has(name)
}

/** The socket that calls a subscription method. */
export interface SubscriptionContext {
  readonly services: Services
  readonly callers: CallerSource
  readonly subscriber: SubscribedAccess
}

/** Runs a subscription method and returns its result. Throws like any method. */
export function runSubscriptionMethod(
  { services, callers, subscriber }: SubscriptionContext,
  name: string,
  params: unknown
): object {
  services.callLimit?.count(subscriber.account, subscriber.access)
  const run = methods.get(name) ?? fail('invalid-method', `No method "${name.slice(0, 100)}"`)
  return run(services, callers, subscriber, params)
}

const checkOne = createTypedChecker(SingleParams)
const checkMany = createTypedChecker(ScopesParams)
const checkWhich = createTypedChecker(UnsubscribeParams)
const checkNone = createTypedChecker(NoParams)

/** Adds scopes, replacing those with the same keys. */
function subscribe(
  services: Services,
  callers: CallerSource,
  subscriber: SubscribedAccess,
  params: unknown
): object {
  assertDepth(params, services.config.limits.jsonDepth)
  const isMany = typeof params === 'object' && params !== null && Object.hasOwn(params, 'scopes')
  const added = isMany ? checkMany(params).scopes : toScopes(checkOne(params))
  const scopes = buildScopes([...Object.entries(subscriber.scopes ?? {}), ...Object.entries(added)])
  const caller = callers.getCaller(subscriber)
  const store = services.accounts.store(subscriber.account)
  store.read(() => assertMaySubscribe(store, caller, scopes, services.config.sockets.maxSubscriptions))
  subscriber.scopes = scopes
  return { ok: true, keys: Object.keys(added) }
}

/** Removes scopes. If no scope is left, the socket gets the API's own messages again. */
function unsubscribe(
  _services: Services,
  callers: CallerSource,
  subscriber: SubscribedAccess,
  params: unknown
): object {
  const { all, key, keys = [] } = checkWhich(params)
  callers.getCaller(subscriber)
  const removed = new Set(key === undefined ? keys : [...keys, key])
  const before = Object.entries(subscriber.scopes ?? {})
  const after = all ? [] : before.filter(([name]) => !removed.has(name))
  subscriber.scopes = after.length === 0 ? undefined : buildScopes(after)
  return { ok: true, keys: before.map(([name]) => name).filter(name => all || removed.has(name)) }
}

function getSubscriptions(
  _services: Services,
  callers: CallerSource,
  subscriber: SubscribedAccess,
  params: unknown
): object {
  checkNone(params)
  callers.getCaller(subscriber)
  return { scopes: subscriber.scopes ?? {} }
}

function toScopes({ key, ...scope }: Static<typeof SingleParams>): Scopes {
  return buildScopes([[key, scope]])
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
