/** Whether the service can be reached, as the latest call found. */
import { Refusal } from '../../api.js'
import { createStore, type Store } from './store.js'

/** False from a call without a response until one with a response. */
export const isReachable: Store<boolean> = createStore(true)

/** The number of times for which pages that could not be read have been read again. */
export const rereadCount: Store<number> = createStore(0)

/** Returns whether an error means that there was no response. */
export function isOfflineError(error: unknown): boolean {
  return error instanceof Refusal && error.id === 'offline'
}
