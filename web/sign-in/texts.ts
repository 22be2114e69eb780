/** Texts of consent, passwords and the other pages that the app never shows. */
import english from './messages/en.json'
import { addTexts, type Messages, type TextFiles } from '../language.js'

/** English is part of the page, as that of all pages is. */
const files: TextFiles = {
  ...import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], { import: 'default' }),
  './messages/en.json': () => Promise.resolve(english)
}

/** Loads the texts. Call it before the language is chosen, so that both load at once. */
export async function addSignInTexts(): Promise<void> {
  await addTexts(files)
}
