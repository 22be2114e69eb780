/** Builds the pages of `docs/connect` into `dist/guides`, as HTML that the service shows at `/docs/connect/`, with their drawings. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist', 'guides')
const index = 'connect.md'

rmSync(outDir, { recursive: true, force: true })
mkdirSync(outDir, { recursive: true })
const names = readdirSync(join(root, 'docs', 'connect')).filter(name => name.endsWith('.md'))
writeFileSync(join(outDir, 'index.html'), renderPage(index))
for (const name of names)
  writeFileSync(join(outDir, `${basename(name, '.md')}.html`), renderPage(`connect/${name}`))
cpSync(join(root, 'docs', 'connect', 'images'), join(outDir, 'images'), { recursive: true })
writeFileSync(join(outDir, 'style.css'), readFileSync(join(root, 'web', 'guides.css')))

/** Returns a page of the documentation as HTML. `path`: relative to `docs`. */
function renderPage(path) {
  const lines = readFileSync(join(root, 'docs', path), 'utf8').split('\n')
  const body = renderBlocks(lines, path)
  const title = escape(lines[0].slice(2))
  const back = path === index ? '' : '<nav><a href="./">All apps</a></nav>\n'
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="../../favicon.ico" />
    <link rel="stylesheet" href="style.css" />
  </head>
  <body>
    <main>
${back}${body}
    </main>
  </body>
</html>
`
}

/** Renders headings, code, tables, lists and paragraphs: what these pages consist of. */
function renderBlocks(lines, path) {
  const blocks = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    if (line.trim() === '') {
      at++
      continue
    }
    const heading = /^(#{1,3}) (.+)$/.exec(line)
    if (heading) {
      const level = heading[1].length
      blocks.push(`<h${level} id="${toAnchor(heading[2])}">${renderText(heading[2], path)}</h${level}>`)
      at++
    } else if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1)
      blocks.push(`<pre><code>${escape(lines.slice(at + 1, end).join('\n'))}</code></pre>`)
      at = end + 1
    } else if (line.startsWith('|')) {
      const rows = takeWhile(lines, at, each => each.startsWith('|'))
      blocks.push(renderTable(rows, path))
      at += rows.length
    } else if (/^(?:- |\d+\. )/.test(line)) {
      const marker = line.startsWith('- ') ? /^- / : /^\d+\. /
      const own = takeWhile(lines, at, each => marker.test(each) || each.startsWith('  ') || each === '')
      blocks.push(renderList(own, marker, path))
      at += own.length
    } else {
      const own = takeWhile(lines, at, each => each.trim() !== '')
      blocks.push(`<p>${renderText(own.join(' '), path)}</p>`)
      at += own.length
    }
  }
  return blocks.join('\n')
}

function renderList(lines, marker, path) {
  const items = []
  for (const line of lines) {
    if (marker.test(line)) items.push([line.replace(marker, '')])
    else items.at(-1).push(line.replace(/^ {2,3}/, ''))
  }
  const tag = marker.test('- ') ? 'ul' : 'ol'
  const rendered = items.map(([first, ...rest]) => {
    const more = renderBlocks(rest, path)
    return `<li>${renderText(first, path)}${more === '' ? '' : `\n${more}`}</li>`
  })
  return `<${tag}>\n${rendered.join('\n')}\n</${tag}>`
}

function renderTable([head, , ...rows], path) {
  const renderRow = (row, tag) =>
    `<tr>${row
      .split('|')
      .slice(1, -1)
      .map(cell => `<${tag}>${renderText(cell.trim(), path)}</${tag}>`)
      .join('')}</tr>`
  const body = rows.map(row => renderRow(row, 'td')).join('\n')
  return `<div class="wide" tabindex="0"><table>\n<thead>${renderRow(head, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`
}

/** Renders code, images, links and emphasis within a text. */
function renderText(text, path) {
  return text
    .split(/(`[^`]+`|!?\[[^\]]*\]\([^)]+\)|\b_[^_]+_\b)/)
    .map((part, position) => (position % 2 === 0 ? escape(part) : renderSpan(part, path)))
    .join('')
}

function renderSpan(part, path) {
  if (part.startsWith('`')) return `<code>${escape(part.slice(1, -1))}</code>`
  if (part.startsWith('_')) return `<em>${escape(part.slice(1, -1))}</em>`
  const [, image, label, target] = /^(!?)\[([^\]]*)\]\(([^)]+)\)$/.exec(part)
  if (image) return `<img src="${escape(target)}" alt="${escape(label)}" width="360" />`
  const href = findHref(target, path)
  const shown = renderText(label, path)
  return href === undefined ? shown : `<a href="${escape(href)}">${shown}</a>`
}

/** Returns the URL of a page that is shown, too; undefined for other pages of the documentation, which are not served. */
function findHref(target, path) {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  const [page, anchor] = posix.normalize(posix.join(posix.dirname(path), target)).split('#')
  const name = /^connect\/([\w-]+)\.md$/.exec(page)?.[1]
  if (page !== index && name === undefined) return undefined
  return `${name ?? './'}${anchor === undefined ? '' : `#${anchor}`}`
}

function toAnchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

function takeWhile(lines, from, matches) {
  const end = lines.findIndex((line, position) => position >= from && !matches(line))
  return lines.slice(from, end < 0 ? lines.length : end)
}

function escape(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
