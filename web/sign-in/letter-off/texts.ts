/** Declares the keys of the texts of the page that turns the weekly letter off. */
import type texts from './messages/en.json'
import { addTexts, type Messages } from '../../language.js'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}

/** Loads the texts. */
export async function addLetterOffTexts(): Promise<void> {
  await addTexts(import.meta.glob<Messages>('./messages/*.json', { import: 'default' }))
}
