/** Writes short letters as PDF: one page of text in a standard font. */

/** Width and height of a page (A4), its margin and line height, in points. */
const [pageWidth, pageHeight, margin, leading] = [595, 842, 72, 17]
/** Approximate number of characters per line. */
const lineLength = 80

/** Creates a page with a heading and paragraphs. Supports Latin-1 only. */
export function createPdf([heading = '', ...paragraphs]: readonly string[]): Buffer {
  const lines = paragraphs.flatMap(paragraph => [...wrapText(paragraph), ''])
  const text = [
    'BT',
    `${margin} ${pageHeight - margin} Td`,
    `${leading} TL`,
    `/F1 15 Tf (${escapeText(heading)}) Tj T* T*`,
    '/F1 11 Tf',
    ...lines.map(line => `(${escapeText(line)}) Tj T*`),
    'ET'
  ].join('\n')
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'
  ])
}

/** Concatenates objects, followed by the table of their positions. */
function assemble(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n'
  const starts: string[] = []
  for (const [index, object] of objects.entries()) {
    starts.push(`${String(file.length).padStart(10, '0')} 00000 n \n`)
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${starts.join('')}`
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + trailer, 'latin1')
}

function wrapText(paragraph: string): string[] {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1)!
    if (last.length + word.length >= lineLength) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\()]/g, '\\$&')
}
