/** What "done" can record: common kinds of events, and the stream that is created for them. */
import type { NewStream } from '../events/save-event.js'
import type { Reminder } from './reminders.js'

/** A kind of event. Its id is also part of a text key. */
interface Recording {
  readonly id: 'note' | 'tablets' | 'mg' | 'taken' | 'activity'
  readonly type: string
  /** Measure of the stream that is created for it. */
  readonly measure?: string
  /** What is entered; `undefined` if nothing is. */
  readonly entry?: 'text' | 'number'
}

export const recordings: readonly Recording[] = [
  { id: 'tablets', type: 'count/generic', measure: 'tablets', entry: 'number' },
  { id: 'mg', type: 'mass/mg', entry: 'number' },
  { id: 'taken', type: 'boolean/bool', measure: 'medication-taken' },
  { id: 'note', type: 'note/txt', measure: 'medication', entry: 'text' },
  { id: 'activity', type: 'activity/plain' }
]

/** Returns the event for an entry: a number, a text, or `true`, or none for kinds without content. */
export function buildEvent({ entry, type }: Recording, text: string): Reminder['event'] {
  if (entry === 'number') return { type, content: Number(text.replace(',', '.')) }
  if (entry === 'text') return { type, content: text }
  return type === 'boolean/bool' ? { type, content: true } : { type }
}

/** Returns the kind that a reminder records; `undefined` for others, which apps have chosen. */
export function findRecording({ event }: Reminder): Recording | undefined {
  return recordings.find(({ type }) => type === event.type)
}

/** Returns the stream to be created. */
export function buildStream({ id, measure }: Recording, name: string): NewStream {
  return { name, ...(measure !== undefined && { id: `reminder-${id}`, measure }) }
}
