/** `subscribe`, `unsubscribe` and `getSubscriptions`: what a listener wants to hear of. (docs/spec/notifications.md#scopes) */
import { Type, type Static, type TSchema } from 'typebox'
import { closed } from '../../schemas/scalars.js'
import { Scope, ScopeKey, Scopes } from '../../schemas/scope.js'
import { mustBeShallow } from '../json/depth.js'
import { fail } from '../errors.js'
import type { Caller } from '../permissions/caller.js'
import { mustMaySubscribe } from '../permissions/scopes.js'
import { checker } from '../validation/params.js'
import type { Services } from '../call/services.js'
import type { SubscribedAccess } from './subscribed-access.js'

const One = Type.Object({ key: ScopeKey, ...Scope.properties }, closed)
const Many = Type.Object({ scopes: Scopes }, closed)
const Which = Type.Object(
  {
    key: Type.Optional(ScopeKey),
    keys: Type.Optional(Type.Array(ScopeKey, { maxItems: 10_000 })),
    all: Type.Optional(Type.Boolean())
  },
  closed
)
const None = Type.Object({}, closed)

/** Tells who calls, as things stand; raises what a call would meet whose access has ended. */
interface Callers {
  callerOf(listener: SubscribedAccess): Caller
}

type Run = (core: Services, feed: Callers, listener: SubscribedAccess, params: unknown) => object

const methods = new Map<string, Run>([
  ['subscribe', subscribe],
  ['unsubscribe', unsubscribe],
  ['getSubscriptions', getSubscriptions]
])

/** Whether a name is that of a subscription method. */
export function isSubscriptionMethod(name: string): boolean {
  return methods.has(name)
}

/** Runs a subscription method; answers its result, or raises as any method does. */
export function subscribing(
  core: Services,
  feed: Callers,
  listener: SubscribedAccess,
  name: string,
  params: unknown
): object {
  core.callLimit?.count(listener.account, listener.access)
  const run = methods.get(name) ?? fail('invalid-method', `No method "${name.slice(0, 100)}"`)
  return run(core, feed, listener, params)
}

const checkOne = typed(One)
const checkMany = typed(Many)
const checkWhich = typed(Which)
const checkNone = typed(None)

/** Adds scopes; one with a known key replaces it. */
function subscribe(core: Services, feed: Callers, listener: SubscribedAccess, params: unknown): object {
  mustBeShallow(params, core.config.limits.jsonDepth)
  const isMany = typeof params === 'object' && params !== null && Object.hasOwn(params, 'scopes')
  const added = isMany ? checkMany(params).scopes : scopesOf(checkOne(params))
  const scopes = withOwn([...Object.entries(listener.scopes ?? {}), ...Object.entries(added)])
  const caller = feed.callerOf(listener)
  const store = core.accounts.store(listener.account)
  store.read(() => mustMaySubscribe(store, caller, scopes, core.config.sockets.maxSubscriptions))
  listener.scopes = scopes
  return { ok: true, keys: Object.keys(added) }
}

/** Takes scopes away; without any left the listener hears the API's own messages again. */
function unsubscribe(_core: Services, feed: Callers, listener: SubscribedAccess, params: unknown): object {
  const { all, key, keys = [] } = checkWhich(params)
  feed.callerOf(listener)
  const gone = new Set(key === undefined ? keys : [...keys, key])
  const before = Object.entries(listener.scopes ?? {})
  const after = all ? [] : before.filter(([name]) => !gone.has(name))
  listener.scopes = after.length === 0 ? undefined : withOwn(after)
  return { ok: true, keys: before.map(([name]) => name).filter(name => all || gone.has(name)) }
}

function getSubscriptions(
  _core: Services,
  feed: Callers,
  listener: SubscribedAccess,
  params: unknown
): object {
  checkNone(params)
  feed.callerOf(listener)
  return { scopes: listener.scopes ?? {} }
}

function scopesOf({ key, ...scope }: Static<typeof One>): Scopes {
  return withOwn([[key, scope]])
}

/** An object with these keys as its own, `__proto__` among them; the last of a key counts. */
function withOwn(entries: Iterable<readonly [string, Scope]>): Scopes {
  return Object.fromEntries(entries)
}

/** A check that answers its argument as what it has been found to be. */
function typed<S extends TSchema>(schema: S): (params: unknown) => Static<S> {
  const check = checker(schema)
  return params => {
    check(params)
    return params as Static<S>
  }
}
