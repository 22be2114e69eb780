/** Normalises names of columns for comparison. */

/** Maximum number of characters of a name that are compared. */
const maxNameLength = 200

/** Returns a name in lower case, without accents, with single spaces instead of `_` and line breaks. */
export function foldName(name: string): string {
  return foldText(name.slice(0, maxNameLength).replaceAll('_', ' ')).replaceAll(/\s+/g, ' ').trim()
}

/** Returns a text in lower case without accents: `Größe` becomes `grosse`. */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  if (/^[ -_a-~]*$/.test(lower)) return lower
  return (
    lower
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      // Syllables of Hangul and voiced kana are composed again.
      .normalize('NFC')
      .replaceAll('ß', 'ss')
      .replaceAll('μ', 'µ')
      .replaceAll(/[’´`]/g, "'")
  )
}
