/** The texts for accounts that are scheduled for deletion, for the type of keys. */
import type texts from './messages/en.json'
import { addTexts, type Messages, type TextFiles } from '../../language.js'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}

/** Always the same object, by which they are known to be loaded. */
const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Loads them. */
export async function addClosingTexts(): Promise<void> {
  await addTexts(files)
}
