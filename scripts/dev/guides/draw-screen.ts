/** Draws the settings of an app for its page in `docs/connect`: an SVG, for light and dark pages, legible on a phone. */
import { escapeMarkup } from '../../../core/outgoing/markup.js'

/** A row of a screen. */
type Row =
  /** A heading: the name of an app or of a group of settings. */
  | { readonly heading: string }
  /** A field with a label and a value, one line or several. `isChosen`: the value is one of several that are offered. */
  | { readonly label: string; readonly value: string; readonly isChosen?: true }
  /** A switch that is on or off. */
  | { readonly label: string; readonly state: 'off' | 'on' }
  /** Lines of a file. */
  | { readonly lines: readonly string[] }
  | { readonly button: string }

/** A screen of settings. */
export interface Screen {
  /** Where the settings are in the app, from the first menu to the last. */
  readonly path: readonly string[]
  readonly rows: readonly Row[]
}

interface Drawn {
  readonly markup: string
  readonly height: number
}

const width = 360
const margin = 16
const lineHeight = 18
/** Characters of a line: those of a value have the same width. */
const maxValue = 38
const maxTitle = 42
/** Colors of light pages, and of dark ones: background, frame, text, labels, fields, accents. */
const light = '--b:#fffefa;--f:#7b8f90;--t:#16363a;--l:#4c6366;--v:#f3f1e9;--a:#245c63;--o:#fff'
const dark = '--b:#132528;--f:#6f8a8a;--t:#eaf1ec;--l:#a9bcb8;--v:#0c191b;--a:#8fd0cb;--o:#0c191b'
const styles = [
  `svg{${light}}`,
  `@media(prefers-color-scheme:dark){svg{${dark}}}`,
  'text{font:14px system-ui,sans-serif;fill:var(--t)}',
  '.l{font-size:13px;fill:var(--l)}',
  '.h{font-weight:600}',
  '.v{font:13px ui-monospace,Consolas,monospace}',
  '.w{fill:var(--o);font-weight:600}',
  '.s{fill:var(--b);stroke:var(--f)}',
  '.f{fill:var(--v);stroke:var(--f)}',
  '.a{fill:var(--a)}',
  '.o{fill:var(--f)}',
  '.d{fill:var(--b)}'
].join('')

/** Returns the drawing of a screen. `title`: what it shows, for readers who do not see it. */
export function drawScreen({ path, rows }: Screen, title: string): string {
  const titles = wrap(path.join(' › '), maxTitle)
  let top = 30 + titles.length * lineHeight
  const parts = titles.map((line, index) => drawText(line, margin, 30 + index * lineHeight, 'h'))
  for (const row of rows) {
    const { height, markup } = drawRow(row, top)
    parts.push(markup)
    top += height
  }
  const height = top + 6
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${styles}</style>`,
    `<rect class="s" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="14"/>`,
    ...parts,
    '</svg>',
    ''
  ].join('\n')
}

/** Draws a row of the settings at a height of the picture. */
function drawRow(row: Row, top: number): Drawn {
  if ('heading' in row) return { markup: drawText(row.heading, margin, top + 14, 'h'), height: 28 }
  if ('button' in row) return drawButton(row.button, top)
  if ('lines' in row) return drawField(row.lines, top)
  if ('state' in row) return drawSwitch(row, top)
  const label = wrap(row.label, maxTitle)
  const field = drawField(wrap(row.value, maxValue), top + label.length * lineHeight)
  const sign = row.isChosen
    ? `<path class="o" d="M${width - margin - 22} ${top + label.length * lineHeight + 13}h10l-5 6z"/>`
    : ''
  return {
    markup:
      label.map((line, index) => drawText(line, margin, top + 12 + index * lineHeight, 'l')).join('') +
      field.markup +
      sign,
    height: label.length * lineHeight + field.height
  }
}

function drawField(lines: readonly string[], top: number): Drawn {
  const height = lines.length * lineHeight + 14
  return {
    markup:
      `<rect class="f" x="${margin}" y="${top}" width="${width - 2 * margin}" height="${height}" rx="6"/>` +
      lines.map((line, index) => drawText(line, margin + 10, top + 20 + index * lineHeight, 'v')).join(''),
    height: height + 12
  }
}

/** Draws a switch with its label. */
function drawSwitch(
  { label, state }: { readonly label: string; readonly state: 'off' | 'on' },
  top: number
): Drawn {
  const left = width - margin - 40
  const knob = left + (state === 'on' ? 29 : 11)
  return {
    markup:
      drawText(label, margin, top + 16, '') +
      `<rect class="${state === 'on' ? 'a' : 'o'}" x="${left}" y="${top}" width="40" height="22" rx="11"/>` +
      `<circle class="d" cx="${knob}" cy="${top + 11}" r="8"/>`,
    height: 34
  }
}

function drawButton(label: string, top: number): Drawn {
  return {
    markup:
      `<rect class="a" x="${margin}" y="${top}" width="${width - 2 * margin}" height="34" rx="8"/>` +
      `<text class="w" x="${width / 2}" y="${top + 22}" text-anchor="middle">${escapeMarkup(label)}</text>`,
    height: 46
  }
}

function drawText(value: string, x: number, y: number, kind: string): string {
  const spaces = value.startsWith(' ') ? ' xml:space="preserve"' : ''
  return `<text${kind === '' ? '' : ` class="${kind}"`} x="${x}" y="${y}"${spaces}>${escapeMarkup(value)}</text>`
}

/** Divides a text into lines, if possible after a space, a slash or another sign. */
function wrap(value: string, maxLength: number): readonly string[] {
  const lines: string[] = []
  let rest = value
  while (rest.length > maxLength) {
    const found = /^.*[\s/&?,_-]/.exec(rest.slice(0, maxLength))?.[0] ?? rest.slice(0, maxLength)
    lines.push(found.trimEnd())
    rest = rest.slice(found.length)
  }
  return [...lines, rest]
}
