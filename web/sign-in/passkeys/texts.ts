/** Declares the keys of the texts of signing in with a passkey. */
import type texts from './messages/en.json'
import { addTexts, type Messages, type TextFiles } from '../../language.js'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}

/** One object, because loaded files are recognized by identity. */
const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Loads the texts. */
export async function addPasskeyTexts(): Promise<void> {
  await addTexts(files)
}
