/** The events that the table shows, read on as one scrolls. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain, type Message } from '../../problem.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { merged } from './merged.js'

const pageSize = 200
/** Changes that are put into place one by one; with more, the rows are read again. */
const mostChanges = 100
/** Seconds before the last reading from which on changes are asked for: what was being written then may have been missed. */
const margin = 10

export interface Rows {
  readonly events: readonly Event[]
  /** Whether there are no more. */
  readonly isWhole: boolean
  readonly problem: Message | undefined
  /** Reads the next ones. */
  readonly readOn: () => void
}

interface Changed {
  readonly events: readonly Event[]
  readonly eventDeletions?: readonly { readonly id: string }[]
}

/** Reads the events of a query that names its streams, again when its text changes; what somebody changes is put into place. */
export function useRows(params: object): Rows {
  const account = useAccount()
  const [state, setState] = useState<Omit<Rows, 'readOn'> & { readonly key: string }>()
  const reading = useRef<AbortController | undefined>(undefined)
  const key = JSON.stringify(params)
  const known = state?.key === key ? state : undefined
  const latest = useRef(known)
  latest.current = known
  /** When changes were last read, for the service. */
  const readAt = useRef<number | undefined>(undefined)

  /** Shows rows; who goes on at once finds them, before they are drawn. */
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
  /** Puts changes into place; answers whether that could be done. */
  const change = async (): Promise<boolean> => {
    // Of an event that is no longer shown to a guest nothing tells that it has been changed.
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
      // What is wrong shows when all is read again.
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
