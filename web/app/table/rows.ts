/** Loads the rows of the table while the user scrolls. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { mergeChanges } from './merge-changes.js'

const pageSize = 200
/** Maximum changes that are merged; with more, the rows are reloaded. */
const maxChanges = 100
/** Seconds by which queries for changes overlap the last read: events being written then may have been missed. */
const overlapSeconds = 10

interface Rows {
  readonly events: readonly Event[]
  /** Whether all rows are loaded. */
  readonly isWhole: boolean
  readonly problem: Message | undefined
  /** Loads the next page. */
  readonly loadMore: () => void
}

interface ChangedEvents {
  readonly events: readonly Event[]
  readonly eventDeletions?: readonly { readonly id: string }[]
}

/**
 * Loads the first events of a query that names its streams, and more with `loadMore`. Reloads when the query changes: meanwhile, there are
 * no rows if `view`, which names what the user has chosen, has changed, too. Merges live changes; reloads if these cannot be merged.
 * Returns the problem, with the rows so far, if reading fails.
 */
export function useRows(params: object, view: string): Rows {
  const account = useAccount()
  const [state, setState] = useState<Omit<Rows, 'loadMore'> & { readonly view: string }>()
  const reading = useRef<AbortController | undefined>(undefined)
  const key = JSON.stringify(params)
  const current = state?.view === view ? state : undefined
  const latest = useRef(current)
  latest.current = current
  /** Service time of the last read of changes, in seconds. */
  const readAt = useRef<number | undefined>(undefined)

  /** Sets the rows, also for code that runs before the next render. */
  const show = (rows: NonNullable<typeof state>): void => {
    latest.current = rows
    setState(rows)
  }
  const read = async (from: number, limit: number): Promise<void> => {
    reading.current?.abort()
    const abort = (reading.current = new AbortController())
    try {
      const page = { ...(JSON.parse(key) as object), skip: from, limit }
      const { events } = await account.client.callAlone<{ events: readonly Event[] }>(
        'events.get',
        page,
        abort.signal
      )
      if (abort.signal.aborted) return
      if (from === 0) readAt.current = account.client.serverTime
      const before = from === 0 ? [] : (latest.current?.events ?? [])
      show({ view, events: [...before, ...events], isWhole: events.length < limit, problem: undefined })
    } catch (error) {
      if (abort.signal.aborted) return
      setState({
        view,
        events: latest.current?.events ?? [],
        isWhole: true,
        problem: explainError(error).message
      })
    } finally {
      if (reading.current === abort) reading.current = undefined
    }
  }
  /** Merges changes. Returns false if the rows must be reloaded. */
  const change = async (): Promise<boolean> => {
    // Guests are not notified when an event stops being visible to them.
    if (reading.current || !latest.current || readAt.current === undefined || !account.isOwner) return false
    const query = JSON.parse(key) as { readonly sortAscending: boolean }
    const since = { modifiedSince: readAt.current - overlapSeconds, limit: maxChanges, skip: 0 }
    const abort = (reading.current = new AbortController())
    try {
      const [own, all] = await account.client.batchStrict<[ChangedEvents, ChangedEvents]>(
        [
          { method: 'events.get', params: { ...query, ...since } },
          { method: 'events.get', params: { ...since, state: 'all', includeDeletions: true } }
        ],
        abort.signal
      )
      if (abort.signal.aborted) return true
      const changes = [...all.events, ...(all.eventDeletions ?? [])]
      if (Math.max(own.events.length, changes.length) >= maxChanges || !latest.current) return false
      readAt.current = account.client.serverTime
      const changed = new Set(changes.map(({ id }) => id))
      const { isWhole, events } = latest.current
      const mergedRows = mergeChanges(events, own.events, changed, { isUp: query.sortAscending, isWhole })
      if (!mergedRows) return false
      show({ ...latest.current, events: mergedRows })
      return true
    } catch {
      // The reload will show the error.
      return abort.signal.aborted
    } finally {
      if (reading.current === abort) reading.current = undefined
    }
  }
  useEffect(() => {
    if ((JSON.parse(key) as { streams: readonly string[] }).streams.length === 0) {
      setState({ view, events: [], isWhole: true, problem: undefined })
      return undefined
    }
    let isUnmounted = false
    const reload = async (): Promise<void> =>
      await read(0, Math.max(pageSize, latest.current?.events.length ?? 0))
    let running = reload()
    const refresh = async (): Promise<void> => {
      await running
      if (isUnmounted || (await change()) || isUnmounted) return
      running = reload()
    }
    const unfollow = account.live.follow('events', () => void refresh(), 2000)
    return () => {
      isUnmounted = true
      unfollow()
      reading.current?.abort()
    }
  }, [account, key])
  return {
    events: current?.events ?? [],
    isWhole: current?.isWhole ?? false,
    problem: current?.problem,
    loadMore: () => {
      if (!reading.current && current && !current.isWhole) void read(current.events.length, pageSize)
    }
  }
}
