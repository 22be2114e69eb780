/** Reads reminders, and what is due. (docs/api/reminders.md) */
import { getLocalDay } from '../../../schemas/zones.js'
import { useAccount } from '../data/account.js'
import { useReading, type Reading } from '../data/reading.js'
import type { Schedule } from '../shell/describe-schedule.js'

/** A reminder as the API returns it. */
export interface Reminder {
  readonly id: string
  readonly name: string
  readonly kind: 'medication' | 'habit' | 'form'
  /** Of kind `form`. */
  readonly formId?: string
  readonly schedule: Schedule
  readonly zone: string
  readonly streamId: string
  readonly event: { readonly type: string; readonly content?: unknown }
  readonly channelIds: readonly string[]
  readonly repeats: number
  readonly isActive: boolean
  readonly showsName: boolean
  readonly next?: number
}

/** A time at which a reminder is due. Times are in seconds. */
export interface Occurrence {
  readonly reminderId: string
  readonly due: number
  readonly day: string
  readonly state: 'open' | 'later' | 'done' | 'skipped' | 'upcoming'
  readonly again?: number
  readonly eventId?: string
}

interface Reminders {
  readonly reminders: readonly Reminder[]
  /** From a day ago until in a day. */
  readonly occurrences: readonly Occurrence[]
}

/** Milliseconds between reads: something may have become due. */
const intervalMs = 60_000

/**
 * Returns all reminders, or why they cannot be read; read again each minute, after changes, and when the page
 * is shown again.
 */
export function useReminders(): Reading<Reminders> {
  const { client } = useAccount()
  return useReading(async () => await client.call<Reminders>('reminders.get'), [client], {
    everyMs: () => intervalMs,
    followMs: 1000
  })
}

/** The zone of this device. */
export function getZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns the number of today in a zone. */
export function getToday(zone: string): number {
  return getLocalDay(zone, Date.now() / 1000).number
}
