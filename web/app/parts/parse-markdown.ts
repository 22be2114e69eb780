/**
 * Parses the simple part of Markdown that people write in notes: headings, lists, quotes, code, emphasis and links. Anything else stays
 * as it was written. Takes time in proportion to the length of the text.
 */
import { toPlainLines } from '../../plain-text.js'

/** Part of a line. */
export type Span =
  | string
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly spans: readonly Span[] }

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly spans: readonly Span[] }
  /** `start`: the number of the first item; undefined for bullets. */
  | { readonly kind: 'list'; readonly start?: number; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }

/** Maximum depth of quotes in quotes, and of emphasis in emphasis. */
const maxDepth = 4

/** Parses a text written by anybody. Invisible characters are removed. */
export function parseBlocks(text: string): Block[] {
  return parseLines(toPlainLines(text.replaceAll('\r\n', '\n')).split('\n'), 0)
}

const fence = /^(?:```|~~~)[\w-]*$/
const rule = /^(?:-{3,}|\*{3,}|_{3,})$/
const heading = /^#{1,6} +(\S.*)$/
const bullet = /^[-*+•] +(\S.*)$/
const number = /^(\d{1,6})[.)] +(\S.*)$/

/** Parses lines to blocks. `depth`: in how many quotes they are; beyond a limit, quotes stay as written. */
function parseLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  let at = 0
  /** Takes lines as long as `read` returns something. */
  const take = <T>(read: (line: string) => T | undefined): T[] => {
    const taken: T[] = []
    for (; at < lines.length; at++) {
      const found = read(lines[at]!)
      if (found === undefined) break
      taken.push(found)
    }
    return taken
  }
  while (at < lines.length) {
    const line = lines[at]!
    if (line === '') at++
    else if (fence.test(line)) {
      at++
      blocks.push({ kind: 'code', text: take(each => (fence.test(each) ? undefined : each)).join('\n') })
      at++
    } else if (rule.test(line)) {
      at++
      blocks.push({ kind: 'rule' })
    } else if (heading.test(line)) {
      at++
      blocks.push({ kind: 'heading', spans: parseSpans(heading.exec(line)![1]!) })
    } else if (bullet.test(line))
      blocks.push({ kind: 'list', items: take(each => bullet.exec(each)?.[1]).map(toItem) })
    else if (number.test(line)) {
      const start = Number(number.exec(line)![1])
      blocks.push({ kind: 'list', start, items: take(each => number.exec(each)?.[2]).map(toItem) })
    } else if (line.startsWith('>') && depth < maxDepth) {
      const quoted = take(each => (each.startsWith('>') ? each.slice(1).trim() : undefined))
      blocks.push({ kind: 'quote', blocks: parseLines(quoted, depth + 1) })
    } else blocks.push(createParagraph([line, ...(at++, take(each => (isPlain(each) ? each : undefined)))]))
  }
  return blocks
}

function isPlain(line: string): boolean {
  return (
    line !== '' &&
    !line.startsWith('>') &&
    ![fence, rule, heading, bullet, number].some(each => each.test(line))
  )
}

/** Line breaks are kept: notes are written with them. */
function createParagraph(lines: readonly string[]): Block {
  const spans = lines.flatMap<Span>((line, index) => [
    ...(index === 0 ? [] : [{ kind: 'break' as const }]),
    ...parseSpans(line)
  ])
  return { kind: 'paragraph', spans }
}

/** Parses an item of a list; `[ ]` and `[x]` become boxes. */
function toItem(text: string): Span[] {
  const box = /^\[([ xX])\] /.exec(text)
  if (!box) return parseSpans(text)
  return [box[1] === ' ' ? '☐ ' : '☑ ', ...parseSpans(text.slice(box[0].length))]
}

/**
 * In this order: code, links with a text, addresses, and emphasis. No part may contain its own delimiter, so that each character is
 * read a limited number of times.
 */
const inline =
  /`([^`]+)`|\[([^[\]]{1,300})\]\(((?:https?:\/\/|mailto:)[^\s()<>]{1,2000})\)|(\bhttps?:\/\/[^\s<>"“”«»]{1,2000})|\*\*(?=[^\s*])([^*]*[^\s*])\*\*|(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])|(?<![\w_])_(?=[^\s_])([^_]*[^\s_])_(?![\w_])|~~(?=[^\s~])([^~]*[^\s~])~~/gu

/** Parses the inline marks of a line; what is nested too deep stays as written. */
function parseSpans(line: string, depth = 0): Span[] {
  if (depth > maxDepth) return [line]
  const spans: Span[] = []
  let end = 0
  for (const match of line.matchAll(inline)) {
    const [whole, code, label, target, address, strong, em, underlined, struck] = match
    if (match.index > end) spans.push(line.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) spans.push({ kind: 'code', text: code })
    else if (label !== undefined) spans.push(...linkLabel(label, target!))
    else if (address !== undefined) {
      const trimmed = trimAddress(address)
      end = match.index + trimmed.length
      spans.push(...linkAddress(trimmed))
    } else if (strong !== undefined) spans.push({ kind: 'strong', spans: parseSpans(strong, depth + 1) })
    else if (struck !== undefined) spans.push({ kind: 'del', spans: parseSpans(struck, depth + 1) })
    else spans.push({ kind: 'em', spans: parseSpans(em ?? underlined ?? '', depth + 1) })
  }
  if (end < line.length) spans.push(line.slice(end))
  return spans
}

/** A label that looks like an address could name another one than is opened: it is shown as written, with the address. */
function linkLabel(label: string, target: string): Span[] {
  if (!URL.canParse(target)) return [`[${label}](${target})`]
  if (/:\/\/|^www\.|^\S+\.\w{2,}(?:$|\/)/i.test(label)) return [`[${label}](`, ...linkAddress(target), ')']
  return [{ kind: 'link', text: label, href: new URL(target).href }]
}

function linkAddress(address: string): Span[] {
  return URL.canParse(address) ? [{ kind: 'link', text: address, href: new URL(address).href }] : [address]
}

/** Returns an address without the punctuation of the sentence after it. A bracket belongs to the address if it was opened there. */
function trimAddress(address: string): string {
  const isClosed = address.includes('(')
  let end = address.length
  while (`.,;:!?'’"*_~${isClosed ? '' : ')'}`.includes(address[end - 1]!)) end--
  return address.slice(0, end)
}
