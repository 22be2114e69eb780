/** Loads the rows of the table while the user scrolls. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain, type Message } from '../../problem.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { merged } from './merged.js'

const pageSize = 200
/** Maximum changes that are merged; with more, the rows are reloaded. */
const mostChanges = 100
/** Seconds by which queries for changes overlap the last read: events being written then may have been missed. */
const margin = 10

export interface Rows {
  readonly events: readonly Event[]
  /** Whether all rows are loaded. */
  readonly isWhole: boolean
  readonly problem: Message | undefined
  /** Loads the next page. */
  readonly readOn: () => void
}

interface Changed {
  readonly events: readonly Event[]
  readonly eventDeletions?: readonly { readonly id: string }[]
}

/** Loads the events of a query that names its streams; reloads when it changes, and merges live changes. */
export function useRows(params: object): Rows {
  const account = useAccount()
  const [state, setState] = useState<Omit<Rows, 'readOn'> & { readonly key: string }>()
  const reading = useRef<AbortController | undefined>(undefined)
  const key = JSON.stringify(params)
  const known = state?.key === key ? state : undefined
  const latest = useRef(known)
  latest.current = known
  /** Service time of the last read of changes, in seconds. */
  const readAt = useRef<number | undefined>(undefined)

  /** Sets the rows, also for code that runs before the next render. */
  const show = (rows: NonNullable<typeof state>): void => {
    latest.current = rows
    setState(rows)
  }
  const read = async (from: number, limit: number): Promise<void> => {
    reading.current?.abort()
    const gone = (reading.current = new AbortController())
    try {
      const page = { ...(JSON.parse(key) as object), skip: from, limit }
      const { events } = await account.client.callAlone<{ events: readonly Event[] }>(
        'events.get',
        page,
        gone.signal
      )
      if (gone.signal.aborted) return
      if (from === 0) readAt.current = account.client.serverTime
      const before = from === 0 ? [] : (latest.current?.events ?? [])
      show({ key, events: [...before, ...events], isWhole: events.length < limit, problem: undefined })
    } catch (error) {
      if (gone.signal.aborted) return
      setState({ key, events: latest.current?.events ?? [], isWhole: true, problem: explain(error).message })
    } finally {
      if (reading.current === gone) reading.current = undefined
    }
  }
  /** Merges changes. Returns false if the rows must be reloaded. */
  const change = async (): Promise<boolean> => {
    // Guests are not notified when an event stops being visible to them.
    if (reading.current || !latest.current || readAt.current === undefined || !account.isOwner) return false
    const asked = JSON.parse(key) as { readonly sortAscending: boolean }
    const since = { modifiedSince: readAt.current - margin, limit: mostChanges, skip: 0 }
    const gone = (reading.current = new AbortController())
    try {
      const [own, all] = await account.client.some<[Changed, Changed]>(
        [
          { method: 'events.get', params: { ...asked, ...since } },
          { method: 'events.get', params: { ...since, state: 'all', includeDeletions: true } }
        ],
        gone.signal
      )
      if (gone.signal.aborted) return true
      const changes = [...all.events, ...(all.eventDeletions ?? [])]
      if (Math.max(own.events.length, changes.length) >= mostChanges || !latest.current) return false
      readAt.current = account.client.serverTime
      const changed = new Set(changes.map(({ id }) => id))
      const { isWhole, events } = latest.current
      const next = merged(events, own.events, changed, { isUp: asked.sortAscending, isWhole })
      if (!next) return false
      show({ ...latest.current, events: next })
      return true
    } catch {
      // The reload will show the error.
      return gone.signal.aborted
    } finally {
      if (reading.current === gone) reading.current = undefined
    }
  }
  useEffect(() => {
    if ((JSON.parse(key) as { streams: readonly string[] }).streams.length === 0) {
      setState({ key, events: [], isWhole: true, problem: undefined })
      return undefined
    }
    let isOver = false
    let running = read(0, pageSize)
    const again = async (): Promise<void> => {
      await running
      if (isOver || (await change()) || isOver) return
      running = read(0, Math.max(pageSize, latest.current?.events.length ?? 0))
    }
    const unfollow = account.live.follow('events', () => void again(), 2000)
    return () => {
      isOver = true
      unfollow()
      reading.current?.abort()
    }
  }, [account, key])
  return {
    events: known?.events ?? [],
    isWhole: known?.isWhole ?? false,
    problem: known?.problem,
    readOn: () => {
      if (!reading.current && known && !known.isWhole) void read(known.events.length, pageSize)
    }
  }
}
