/** The texts of changing settings, for the type of keys. */
import type texts from './messages/en.json'
import { addTexts, type Messages } from '../../language.js'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}

/** Loads them. */
export async function addSettingsTexts(): Promise<void> {
  await addTexts(import.meta.glob<Messages>('./messages/*.json', { import: 'default' }))
}
