/** Escaping of text for HTML and XML. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/** Escapes a text, for element contents and attribute values. */
export function escapeMarkup(value: string): string {
  return value.replaceAll(/[&<>"']/g, character => entities[character]!)
}
