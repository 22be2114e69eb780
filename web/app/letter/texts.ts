/** Declares the keys of the texts of the weekly letter. */
import type texts from './messages/en.json'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}
