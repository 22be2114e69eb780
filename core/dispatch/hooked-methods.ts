/** Adds hooks to methods. (docs/architecture.md#hooks) */
import type { Account } from '../../storage/platform/account.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import type { HookDecision, MethodHook, MethodHooks } from '../call/hooks.js'
import type { AnyMethod, Call, Result, UserMethod } from '../call/method.js'
import type { Caller } from '../permissions/caller.js'

/**
 * Returns the definitions, with hooks around those that have one. Throws `Error` for a hook that prepares
 * calls of a read, or of a method that prepares its own.
 */
export function addHooks(definitions: readonly AnyMethod[], hooks: MethodHooks): AnyMethod[] {
  return definitions.map(definition => {
    const hook = hooks.get(definition.id)
    return hook ? addHook(definition as UserMethod, hook) : definition
  })
}

/**
 * Returns a method that runs with a hook. Throws if a hook that prepares is added to a read, or to a method that
 * prepares itself.
 */
function addHook(definition: UserMethod, hook: MethodHook): UserMethod {
  if (hook.prepare && ('prepare' in definition || definition.mode === 'read'))
    throw new Error(`${definition.id} cannot have a hook that prepares calls`)
  const added = {
    ...(hook.prepare && {
      prepare: (call: Call, params: unknown) => hook.prepare!(call, params),
      needsPreparation: (caller: Caller, params: unknown) => hook.needsPreparation?.(caller, params) ?? true
    }),
    ...(hook.settle && {
      settle: (account: Account, params: unknown, result: Result) => hook.settle!(account, params, result)
    })
  }
  const begin = function* (call: Call, params: unknown, prepared: unknown): Steps<HookDecision> {
    const decision = hook.before?.(call, params, prepared) ?? { params }
    return 'next' in decision ? yield* decision : decision
  }
  const end = (call: Call, params: unknown, result: Result): Result =>
    hook.after?.(call, params, result) ?? result
  if (!definition.isLong)
    return {
      ...definition,
      ...added,
      run(call, params, prepared) {
        const next = runSteps(begin(call, params, prepared))
        if ('result' in next) return next.result
        return end(call, next.params, definition.run(call, next.params, prepared))
      }
    }
  return {
    ...definition,
    ...added,
    *run(call: Call, params: unknown, prepared: unknown): Steps<Result> {
      const next = yield* begin(call, params, prepared)
      if ('result' in next) return next.result
      return end(call, next.params, yield* definition.run(call, next.params, prepared))
    }
  }
}
