/** Texts of the app's modules, each loaded with its module: a folder that contains `messages`. */
import { createTextLoader, type Messages } from '../language.js'

/** Loads the texts of a module. Rejects if they cannot be loaded. */
export const addModuleTexts = createTextLoader(
  import.meta.glob<Messages>('./*/messages/*.json', { import: 'default' })
)
