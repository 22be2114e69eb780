/** The texts of events, for the type of keys. */
import type texts from './messages/en.json'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}
