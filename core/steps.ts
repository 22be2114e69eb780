/** Methods that do their work in steps: for calls that have much to do. (issue 8.3) */
import type { UserStore } from '../storage/user/user-store.js'
import type { UserMethod } from './call/method.js'

export { atOnce, inTurns, mapped, sorted, type Steps } from '../storage/steps.js'

/** Whether a call is to be made in steps. What is wrong with it is found when it runs. */
export function isMuch({ steps }: UserMethod, store: UserStore, params: unknown): boolean {
  return steps !== undefined && store.read(() => steps.areMany(store, params))
}
