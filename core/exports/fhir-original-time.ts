/** The times of imported resources, which follow those of their events. (docs/api/exports.md#fhir) */
import { timeMembers } from '../../imports/formats/clinical/fhir-times.js'
import type { Event } from '../../schemas/event.js'
import { JsonText } from '../json/json-text.js'
import { createValueEndFinder } from '../json/reader.js'
import { toChoiceOfTime, toTimeText } from './fhir-time.js'
import type { TimeFormatter } from './time-formatter.js'

/** Members whose name tells whether they are a time or a period; an immunization has no period. */
const choice = /^(effective|performed|onset)(?:Period|DateTime|Instant)$/
/** Maximum length of the JSON text of a time or period, in characters. */
const maxTimeLength = 1000

type Timed = Pick<Event, 'duration' | 'time'>

/** The text of a resource, with the places of its times. */
interface TextMember {
  readonly from: number
  readonly to: number
  readonly value: unknown
}

/**
 * Returns an imported resource with the time and the duration of its event, if those have changed since it was imported; otherwise
 * the resource itself. Times without an offset are considered unchanged as long as they are right in some time zone.
 */
export function adaptTimes(resource: object, event: Timed, instants: TimeFormatter): object {
  const change = findChange(name => (resource as Record<string, unknown>)[name], event, instants)
  if (!change) return resource
  // Entries keep the order, and a member named `__proto__`.
  const entries = Object.entries(resource).flatMap(([name, value]) =>
    name === change.name ? Object.entries(change.by) : [[name, value] as const]
  )
  return Object.fromEntries(entries)
}

/** Like {@link adaptTimes}, for the text of a resource that is too large to be parsed. */
export function adaptTimesInText({ text }: JsonText, event: Timed, instants: TimeFormatter): JsonText {
  const found = findMembers(text)
  const change = findChange(name => found.get(name)?.value, event, instants)
  if (!change) return new JsonText(text)
  const { from, to } = found.get(change.name)!
  const [before, by, after] = [text.slice(0, from), JSON.stringify(change.by).slice(1, -1), text.slice(to)]
  if (by !== '') return new JsonText(before + by + after)
  // A comma goes with the member.
  return new JsonText(after.startsWith(',') ? before + after.slice(1) : before.replace(/,$/, '') + after)
}

/**
 * Returns when a resource is by its text, in seconds, if that has no offset, such as a date: its time is in a zone that is not known.
 * Both ends are inclusive, and in UTC, like those of a search without a zone. `undefined` if its event is the better source: the time has
 * an offset, or the event has been moved.
 */
export function findWrittenSpan(
  resource: object,
  event: Timed
): { readonly start: number; readonly end: number } | undefined {
  const found = findTimes(name => (resource as Record<string, unknown>)[name])
  if (!found || !isUnchanged(found, event)) return undefined
  const { from, until } = found
  const last = until ?? from
  if (!from.written && !last.written) return undefined
  const { duration, time } = event
  const start = from.written?.start ?? time
  const end = last.written?.end ?? time + (duration ?? 0)
  return { start, end: duration === null ? Infinity : Math.max(start, end) }
}

/** The times of a resource, and the member that has them. */
interface Times {
  readonly name: string
  readonly from: Span
  readonly until: Span | undefined
}

/** Returns the member of a resource that no longer says what the event says, and what replaces it. */
function findChange(
  getValue: (name: string) => unknown,
  event: Timed,
  instants: TimeFormatter
): { readonly name: string; readonly by: object } | undefined {
  const found = findTimes(getValue)
  if (!found || isUnchanged(found, event)) return undefined
  const { name } = found
  const prefix = choice.exec(name)?.[1]
  const text = toTimeText(instants, event.time)
  const by =
    prefix === undefined ? text !== undefined && { [name]: text } : toChoiceOfTime(prefix, instants, event)
  return { name, by: by || {} }
}

/** Returns the times of a resource; `undefined` if it has none, or none that can be understood. */
function findTimes(getValue: (name: string) => unknown): Times | undefined {
  for (const name of timeMembers) {
    const value = getValue(name)
    const isPeriod = name.endsWith('Period')
    const { end, start } = (isPeriod ? (value ?? {}) : { start: value }) as { end?: unknown; start?: unknown }
    const from = parseTime(start)
    if (from) return { name, from, until: parseTime(end) }
    // An import may have read what FHIR does not allow, such as a leap second: no other member has the time then.
    if (typeof start === 'string' && /\d{4}/.test(start)) return undefined
  }
  return undefined
}

/** Returns whether times can be those of an event. */
function isUnchanged({ from, until }: Times, event: Timed): boolean {
  const duration = event.duration ?? 0
  return (
    holds(from, event.time) &&
    (until && until.first > from.first ? holds(until, event.time + duration) : duration === 0)
  )
}

/** The seconds that a time stands for. */
interface Span {
  readonly first: number
  readonly last: number
  /** Those for which it stands in UTC, both inclusive, if it has no offset. */
  readonly written?: { readonly start: number; readonly end: number } | undefined
}

const datePattern = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/
/** How far local times are behind and ahead of UTC, in seconds. */
const [maxBehind, maxAhead] = [12 * 3600, 14 * 3600]

/** Returns what a time of FHIR stands for, or `undefined` if a text, or another value, is none. */
function parseTime(text: unknown): Span | undefined {
  if (typeof text !== 'string') return undefined
  const date = datePattern.exec(text)
  const zone = timePattern.exec(text)?.[1]
  if (zone !== undefined) return toSpan(Date.parse(text))
  if (!date) return toLocalSpan(Date.parse(timePattern.test(text) ? `${text}Z` : ''))
  const [year, month, day] = date.slice(1).map(part => (part === undefined ? undefined : Number(part)))
  const end =
    month === undefined
      ? Date.UTC(year! + 1, 0)
      : Date.UTC(year!, day === undefined ? month : month - 1, (day ?? 0) + 1)
  return toLocalSpan(Date.parse(text), end)
}

function toSpan(ms: number): Span | undefined {
  return Number.isNaN(ms) ? undefined : { first: ms / 1000, last: ms / 1000 }
}

/** Returns the span of a time without an offset. `endMs`: the first time after it, if it is longer than an instant. */
function toLocalSpan(ms: number, endMs = ms): Span | undefined {
  if (Number.isNaN(ms)) return undefined
  const [start, end] = [ms / 1000, endMs / 1000]
  const written = { start, end: Math.max(start, end - 0.001) }
  return { first: start - maxAhead, last: end + maxBehind, written }
}

/** Returns whether a time can be what a text stands for; texts may have more digits than milliseconds. */
function holds({ first, last }: Span, time: number): boolean {
  return time > first - 0.002 && time < last + 0.002
}

/** Returns the times and periods of a resource, in its text: the ranges include the names. */
function findMembers(text: string): Map<string, TextMember> {
  const findEnd = createValueEndFinder(text)
  const found = new Map<string, TextMember>()
  for (let from = 1; text[from] === '"';) {
    const nameEnd = findEnd(from)
    const to = findEnd(nameEnd + 1)
    const name = nameEnd - from < maxTimeLength ? (JSON.parse(text.slice(from, nameEnd)) as string) : ''
    if (timeMembers.includes(name) && to - nameEnd < maxTimeLength && !found.has(name))
      found.set(name, { from, to, value: JSON.parse(text.slice(nameEnd + 1, to)) })
    from = to + 1
  }
  return found
}
