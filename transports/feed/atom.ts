/** Writes an Atom feed (RFC 4287). */
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import { escapeMarkup } from '../../core/outgoing/markup.js'
import type { Entry, FeedSource } from './entries.js'
import { removeControls } from './text.js'

/** Greatest distance from 1970 of times with four digits of the year, in seconds. */
const lastTime = 253_402_300_799
const instants = new TimeFormatter()

/** The addresses of a page of a feed and of the page after it, from the root of the account. */
interface Links {
  /** What distinguishes the feed from others of the account: its access and filters, the same for all pages. */
  readonly feed: string
  readonly self: string
  readonly next: string | undefined
}

/** Returns a page of a feed. */
export function writeAtom(
  source: FeedSource,
  entries: readonly Entry[],
  { feed, next, self }: Links
): string {
  const { changed, idUrl, name, rootUrl } = source
  const updated = entries.reduce((latest, { event }) => Math.max(latest, event.modified), 0) || changed
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    toElement('title', name),
    toElement('id', `${idUrl}feed.atom/${feed}`),
    toElement('updated', formatTime(updated)),
    `<author>${toElement('name', name)}</author>`,
    writeLink('self', rootUrl + self),
    ...(next === undefined ? [] : [writeLink('next', rootUrl + next)]),
    ...entries.map(entry => writeEntry(entry, idUrl)),
    '</feed>'
  ]
  return `${lines.join('\n')}\n`
}

function writeLink(relation: string, url: string): string {
  return `<link rel="${relation}" type="application/atom+xml" href="${escapeMarkup(url)}"/>`
}

/** Returns the XML of an entry. */
function writeEntry({ event, streamNames, text, title }: Entry, idUrl: string): string {
  const { created, id, modified, time } = event
  return [
    '<entry>',
    toElement('title', `${title}${formatSuffix(time)}`),
    toElement('id', `${idUrl}events/${id}`),
    toElement('published', formatTime(created)),
    toElement('updated', formatTime(modified)),
    ...streamNames.map(name => `<category term="${escapeMarkup(removeControls(name))}"/>`),
    `<content type="text">${escapeMarkup(removeControls(text || title))}</content>`,
    '</entry>'
  ].join('\n')
}

function toElement(name: string, text: string): string {
  return `<${name}>${escapeMarkup(removeControls(text))}</${name}>`
}

/** Returns the time of an event in parentheses: it may be long before 1970. Returns '' if there is no such date. */
function formatSuffix(time: number): string {
  const text = instants.format(Math.floor(time))
  return text === '' ? '' : ` (${text})`
}

/** Formats a time in seconds as RFC 3339 does, within the years 1970 to 9999. */
function formatTime(time: number): string {
  return new Date(Math.min(Math.max(0, Math.floor(time)), lastTime) * 1000)
    .toISOString()
    .replace('.000Z', 'Z')
}
