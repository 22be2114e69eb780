/** Names of columns, so that they can be compared. */

/** Characters of a name that are compared. */
const longestName = 200

/** Returns a name in small letters, without accents, with single spaces instead of `_` and line breaks. */
export function foldName(name: string): string {
  return fold(name.slice(0, longestName).replaceAll('_', ' ')).replaceAll(/\s+/g, ' ').trim()
}

/** Returns a text in small letters without accents: `Größe` becomes `grosse`. */
export function fold(text: string): string {
  const small = text.toLowerCase()
  if (/^[ -_a-~]*$/.test(small)) return small
  return small
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .replaceAll('μ', 'µ')
    .replaceAll(/[’´`]/g, "'")
}
