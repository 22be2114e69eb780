/** Prepares texts for display and for searching. */

/** Makes untrusted text safe to display: removes invisible characters, bidirectional overrides and line breaks. */
export function toPlainText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .trim()
}

/** Like {@link toPlainText}, line by line. */
export function toPlainLines(text: string): string {
  return text.split('\n').map(toPlainText).join('\n')
}

/** Removes case and accents, for searching. */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
