/** Methods that do their work in steps: for calls that have much to do. (issue 8.3) */
import type { Steps } from '../storage/steps.js'
import type { UserStore } from '../storage/user-store.js'
import type { UserMethod } from './method.js'

export type { Steps } from '../storage/steps.js'

/** Does all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Whether a call is to be made in steps. What is wrong with it is found when it runs. */
export function isMuch({ steps }: UserMethod, store: UserStore, params: unknown): boolean {
  return steps !== undefined && store.read(() => steps.areMany(store, params))
}
