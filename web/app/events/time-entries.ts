/** Converts times and durations to and from form entries. Times are in seconds; entries are in the time zone of this device. */
import { parseTypedNumber } from '../data/typed-numbers.js'
import type { Entries, FieldProblems } from './fields.js'

/** How the duration is entered. */
export type DurationKind = 'moment' | 'length' | 'until' | 'running'

/** Formats a time for a `datetime-local` control; empty if it is out of range. */
export function toLocalEntry(seconds: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return ''
  const day = [
    String(date.getFullYear()).padStart(4, '0'),
    padTwo(date.getMonth() + 1),
    padTwo(date.getDate())
  ].join('-')
  const end = date.getSeconds() === 0 ? '' : `:${padTwo(date.getSeconds())}`
  return `${day}T${padTwo(date.getHours())}:${padTwo(date.getMinutes())}${end}`
}

/**
 * Parses the value of a `datetime-local` control, to seconds. Returns undefined if it is empty or invalid.
 */
export function parseLocalEntry(entry: string): number | undefined {
  const ms = new Date(entry).getTime()
  return Number.isNaN(ms) ? undefined : ms / 1000
}

/** Returns the initial entries of the time fields. */
export function toTimeEntries(time: number | undefined, duration: number | null | undefined): Entries {
  const lasting: DurationKind = duration === null ? 'running' : duration ? 'length' : 'moment'
  const length = typeof duration === 'number' ? duration : 0
  return {
    time: time === undefined ? '' : toLocalEntry(time),
    lasting,
    hours: length >= 3600 ? String(Math.floor(length / 3600)) : '',
    minutes: length > 0 ? String(Number(((length % 3600) / 60).toFixed(3))) : '',
    until: time === undefined || length === 0 ? '' : toLocalEntry(time + length)
  }
}

/**
 * Converts time entries to a time and duration, or returns the problems by field. `before`: the event's previous time and duration, kept exactly where their
 * entries are unchanged. An empty time means `now`.
 */
export function readTimes(
  entries: Entries,
  now: number,
  before?: { readonly time: number; readonly duration?: number | null }
): { readonly time: number; readonly duration: number | null | undefined; readonly problems: FieldProblems } {
  const problems = new Map<string, string>()
  const initial = before && toTimeEntries(before.time, before.duration)
  const isSame = (...names: string[]): boolean =>
    names.every(name => (entries[name] ?? '') === initial?.[name])
  const entry = entries['time'] ?? ''
  const time = before && isSame('time') ? before.time : entry === '' ? now : parseLocalEntry(entry)
  if (time === undefined) problems.set('time', 'time')
  const start = time ?? now
  const result = (duration: number | null | undefined) => ({ time: start, duration, problems })
  switch (entries['lasting']) {
    case 'running':
      return result(null)
    case 'length': {
      if (before && isSame('lasting', 'hours', 'minutes')) return result(before.duration)
      const [hours, minutes] = ['hours', 'minutes'].map(name =>
        readLength(entries[name] ?? '', name, problems)
      )
      return result(hours! * 3600 + minutes! * 60)
    }
    case 'until': {
      const end = parseLocalEntry(entries['until'] ?? '')
      if (end === undefined) problems.set('until', 'time')
      else if (end < start) problems.set('until', 'before')
      return result(end === undefined ? undefined : Math.max(0, end - start))
    }
    default:
      return result(undefined)
  }
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0')
}

function readLength(entry: string, name: string, problems: Map<string, string>): number {
  if (entry.trim() === '') return 0
  const typed = parseTypedNumber(entry)
  if ('problem' in typed) problems.set(name, typed.problem)
  else if (typed.number < 0) problems.set(name, 'small')
  return 'number' in typed ? typed.number : 0
}
