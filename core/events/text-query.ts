/**
 * The `text` parameter of `events.get`: words to search for in notes, descriptions and file names.
 * (docs/spec/events.md#searching-texts)
 */
import { Type } from 'typebox'
import type { TextSearch } from '../../storage/event-query/query.js'
import type { Call } from '../call/method.js'
import { refuseParams } from '../validation/params.js'

/** Text to search for: no character has a special meaning. */
export const SearchText = Type.String({ maxLength: 200 })

/**
 * Creates the search for a text; `undefined` if none is given. Throws `invalid-parameters-format` for text without a
 * word.
 */
export function createTextSearch({ caller, store }: Call, text: string | undefined): TextSearch | undefined {
  if (text === undefined) return undefined
  const words = store.events.texts.toSearchWords(text)
  if (words.length === 0)
    refuseParams([
      { code: 'INVALID', message: 'must contain at least one word of letters or digits', path: '#/text' }
    ])
  const { visibility } = caller
  // The values of account fields are not searched.
  return {
    words,
    mayUseIndex: visibility.everything || (visibility.isOwn === true && visibility.closed.size === 0)
  }
}
