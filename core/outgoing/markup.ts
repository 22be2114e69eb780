/** Texts in the middle of HTML or XML. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/** The text, meaning nothing but itself wherever it stands. */
export function escaped(value: string): string {
  return value.replaceAll(/[&<>"']/g, character => entities[character]!)
}
