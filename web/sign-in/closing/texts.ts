/** Loads the texts for accounts that are scheduled for deletion. */
import { addTexts, type Messages, type TextFiles } from '../../language.js'

/** One object, because loaded files are recognized by identity. */
const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Loads the texts. */
export async function addClosingTexts(): Promise<void> {
  await addTexts(files)
}
