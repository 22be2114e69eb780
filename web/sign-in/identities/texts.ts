/** Loads the texts about identities. */
import { addTexts, type Messages, type TextFiles } from '../../language.js'

/** One object, because loaded files are recognized by identity. */
const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Loads the texts. */
export async function addIdentityTexts(): Promise<void> {
  await addTexts(files)
}
