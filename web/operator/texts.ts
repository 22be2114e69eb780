/** Texts of the operator's page and of its modules. */
import { addTexts, createTextLoader, type Messages } from '../language.js'

/** Loads the texts of the page. */
export async function addOperatorTexts(): Promise<void> {
  await addTexts(import.meta.glob<Messages>('./messages/*.json', { import: 'default' }))
}

/** Loads the texts of a module: a folder that contains `messages`. Rejects if they cannot be loaded. */
export const addModuleTexts = createTextLoader(
  import.meta.glob<Messages>('./*/messages/*.json', { import: 'default' })
)
