/** The user's language for pages on all devices, stored in the account. */
import { languages } from '../../language.js'
import { createStore, type Store } from './store.js'

/** Key in the private profile set. */
export const languageKey = 'coffer:language'

/** The current user's language; undefined if none is chosen, or until it has been read. */
export const preferredLanguage: Store<string | undefined> = createStore<string | undefined>(undefined)

/** Sets the language from a profile; none if it is not supported. */
export function loadPreferredLanguage(stored: unknown): void {
  preferredLanguage.set(languages.find(tag => tag === stored))
}
