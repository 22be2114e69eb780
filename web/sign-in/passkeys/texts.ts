/** Loads the texts of signing in with a passkey. */
import { addTexts, type Messages, type TextFiles } from '../../language.js'

/** One object, because loaded files are recognized by identity. */
const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Loads the texts. */
export async function addPasskeyTexts(): Promise<void> {
  await addTexts(files)
}
