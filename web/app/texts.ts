/** Texts of the app's modules, each loaded with its module. */
import { addTexts, type Messages, type TextFiles } from '../language.js'

const files: TextFiles = import.meta.glob<Messages>('./*/messages/*.json', { import: 'default' })
const filesByModule = new Map<string, TextFiles>()

/**
 * Loads the texts of a module, which is a folder that contains `messages`. Does nothing if they are loaded
 * already. Rejects if they cannot be loaded.
 */
export async function addModuleTexts(module: string): Promise<void> {
  let moduleFiles = filesByModule.get(module)
  if (!moduleFiles) {
    moduleFiles = Object.fromEntries(
      Object.entries(files).filter(([path]) => path.startsWith(`./${module}/`))
    )
    filesByModule.set(module, moduleFiles)
  }
  await addTexts(moduleFiles)
}
