/** Texts of the app's modules, each loaded with its module. */
import { addTexts, type Messages, type TextFiles } from '../language.js'

const files: TextFiles = import.meta.glob<Messages>('./*/messages/*.json', { import: 'default' })
const rooms = new Map<string, TextFiles>()

/** Loads the texts of a module, which is a folder that contains `messages`. */
export async function addTextsOf(room: string): Promise<void> {
  let own = rooms.get(room)
  if (!own) {
    own = Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(`./${room}/`)))
    rooms.set(room, own)
  }
  await addTexts(own)
}
