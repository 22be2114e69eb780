/** The language in which a person wants to see their pages, wherever they sign in: kept in the account. */
import { languages } from '../../language.js'
import { storeOf, type Store } from './store.js'

/** Key in the private profile set. */
export const languageKey = 'coffer:language'

/** What the person in sight has chosen; undefined if nothing, or until it has been read. */
export const languageWish: Store<string | undefined> = storeOf<string | undefined>(undefined)

/** Takes the wish of a profile, if there is such a language. */
export function takeLanguageWish(stored: unknown): void {
  languageWish.set(languages.find(tag => tag === stored))
}
