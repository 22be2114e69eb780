/** Text and numbers as XML has them. */

// What is no character of XML 1.0: control characters, halves of surrogate pairs, two others.
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidCharacters = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
}

/** A text in which nothing is markup, and characters that XML cannot hold are replaced by U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(invalidCharacters, '\ufffd').replace(/[&<>"]/g, character => entities[character]!)
}

/** Where numbers have no fractions any more, and are written by powers of ten soon. */
const maxMagnitude = 1e15

/** A number as `xs:decimal`, which knows no powers of ten; undefined for what is none. */
export function formatDecimal(value: unknown): string | undefined {
  if (typeof value !== 'number' || !(Math.abs(value) < maxMagnitude)) return undefined
  const text = String(value)
  return text.includes('e')
    ? value
        .toFixed(15)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '')
    : text
}
