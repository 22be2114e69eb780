/** The user's language for pages on all devices, stored in the account. */
import { languages } from '../../language.js'
import { storeOf, type Store } from './store.js'

/** Key in the private profile set. */
export const languageKey = 'coffer:language'

/** The current user's language; undefined if none is chosen, or until it has been read. */
export const languageWish: Store<string | undefined> = storeOf<string | undefined>(undefined)

/** Sets the language from a profile, if it is supported. */
export function takeLanguageWish(stored: unknown): void {
  languageWish.set(languages.find(tag => tag === stored))
}
