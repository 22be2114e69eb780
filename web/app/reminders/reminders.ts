/** Reads reminders, and what is due. (docs/api/reminders.md) */
import { useEffect, useRef, useState } from 'preact/hooks'
import { getLocalDay } from '../../../schemas/zones.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
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
export function useReminders(): {
  readonly read: Reminders | undefined
  readonly problem: Message | undefined
  readonly reread: () => Promise<void>
} {
  const { client, live } = useAccount()
  const [read, setRead] = useState<Reminders>()
  const [problem, setProblem] = useState<Message>()
  const count = useRef(0)
  const reread = async (): Promise<void> => {
    const own = (count.current += 1)
    try {
      const found = await client.call<Reminders>('reminders.get')
      // What was read before an answer can arrive after what was read since.
      if (own !== count.current) return
      setRead(found)
      setProblem(undefined)
    } catch (error) {
      setProblem(explainError(error).message)
    }
  }
  useEffect(() => {
    void reread()
    const update = (): void => void reread()
    const timer = setInterval(update, intervalMs)
    const unfollow = live.follow('events', update, 1000)
    // Timers stop while a device sleeps.
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      unfollow()
      document.removeEventListener('visibilitychange', update)
    }
  }, [client])
  return { read, problem, reread }
}

/** The zone of this device. */
export function getZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns the number of today in a zone. */
export function getToday(zone: string): number {
  return getLocalDay(zone, Date.now() / 1000).number
}
