/** Describes calls in sentences. */
import type { ComponentChildren } from 'preact'
import { isKey, getLocale, rich, t, type Key } from '../../language.js'
import type { Tree } from '../data/tree.js'
import { formatDay, formatTime } from '../parts/format-time.js'
import { getStreamName } from './accesses.js'
import type { Call, ReadData } from '../data/calls.js'

/** What a denied call wanted, by method; the first match counts. */
const intentions: readonly (readonly [RegExp, Key])[] = [
  [/^(?:events\.(?:get|sample|export)|hfs\.get|measures|previews|streams\.(?:get|facts))/, 'shared.wish.see'],
  [/^(?:events\.(?:create|addAttachment)|hfs\.add)/, 'shared.wish.add'],
  [/^(?:events|hfs)\./, 'shared.wish.change'],
  [/^streams\./, 'shared.wish.streams'],
  [/^accesses\./, 'shared.wish.share'],
  [/^webhooks\./, 'shared.wish.webhooks'],
  [/^audit\./, 'shared.wish.audit'],
  [/^(?:account|profile|mfa|sessions|followedSlices)\./, 'shared.wish.account']
]

/** Methods that return events or points, not parts of a chart or days. */
const countedMethods = /^(?:events\.(?:get|export)|hfs\.get|mirrors\.copyRead)$/

/** Describes a call in a sentence, without a full stop. Failed calls are described by their error. */
export function describeCall(call: Call, tree: Tree | undefined): ComponentChildren {
  const { method, read, status } = call
  if (status >= 400) return describeFailure(call, tree)
  const key = `shared.did.${method}`
  if (!isKey(key)) return t('shared.didMethod', { method })
  const sentence = rich(key, { what: <b>{listStreamNames(read, tree)}</b> })
  return read ? [...sentence, describeResult(method, read)] : sentence
}

/** Returns a key that is equal for calls with the same text, which are combined. */
export function getGroupKey({ method, read, status }: Call): string {
  return JSON.stringify([method, status, read?.streamIds, read && describeResult(method, read)])
}

function describeFailure({ method, read, status }: Call, tree: Tree | undefined): ComponentChildren {
  const isDenied = status === 401 || status === 402 || status === 403 || status === 429
  const wish = intentions.find(([pattern]) => pattern.test(method))?.[1]
  const intention = wish === undefined ? method : t(wish)
  if (!isDenied) return t('shared.failedWish', { wish: intention })
  if (!read) return t('shared.deniedWish', { wish: intention })
  return rich('shared.deniedWishIn', { wish: intention, what: <b>{listStreamNames(read, tree)}</b> })
}

function listStreamNames(read: ReadData | undefined, tree: Tree | undefined): string {
  if (!read || read.streamIds.length === 0) return t('shell.allData')
  const names = read.streamIds.slice(0, 4).map(id => getStreamName(id, tree))
  if (read.streamIds.length > names.length)
    names.push(t('shell.moreStreams', { count: read.streamIds.length - names.length }))
  return new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(names)
}

/** Formats the range and the number of results: `, 13–20 Nov: 604,800 points`. */
function describeResult(method: string, read: ReadData): string {
  const range = formatRange(read)
  const { count, hasMore } = read
  const isCounted = count !== undefined && hasMore !== true && countedMethods.test(method)
  return [range === '' ? '' : `, ${range}`, isCounted ? `: ${formatCount(method, count)}` : ''].join('')
}

function formatCount(method: string, count: number): string {
  if (count === 0) return t('shared.noResults')
  return t(method === 'hfs.get' ? 'shell.pointCount' : 'shell.eventCount', { count })
}

function formatRange({ from, to }: ReadData): string {
  if (from === undefined && to === undefined) return ''
  if (from === undefined) return t('shell.until', { date: formatDay(to!) })
  if (to === undefined) return t('shell.since', { date: formatDay(from) })
  if (to - from < 1) return formatTime(from, { day: 'numeric', month: 'short', year: 'numeric' })
  return new Intl.DateTimeFormat(getLocale(), {
    day: 'numeric',
    month: 'short',
    ...(new Date(from * 1000).getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' })
  }).formatRange(toDateMs(from), toDateMs(to))
}

/** Converts seconds to milliseconds within the range of dates. */
function toDateMs(seconds: number): number {
  return Math.max(-8.64e15, Math.min(seconds * 1000, 8.64e15))
}
