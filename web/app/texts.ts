/** Texts of the app's rooms: each has its own, loaded with it. */
import { addTexts, type Messages, type TextFiles } from '../language.js'

const files: TextFiles = import.meta.glob<Messages>('./*/messages/*.json', { import: 'default' })
const rooms = new Map<string, TextFiles>()

/** Loads the texts of a room, which is a folder with `messages` in it. */
export async function addTextsOf(room: string): Promise<void> {
  let own = rooms.get(room)
  if (!own) {
    own = Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(`./${room}/`)))
    rooms.set(room, own)
  }
  await addTexts(own)
}
