/** The latest value of each person of whose data there is a copy here. Browsers read nothing from other servers. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { formatEvent } from '../data/event-types.js'
import type { Event, Stream } from '../data/model.js'
import { formatAgo } from '../parts/format-time.js'
import type { Mirror } from './copies.js'

/** Maximum number of copies that are read: the other account sees each read. */
const maxCopies = 20

/** The latest event of a copy, and the name of its stream. */
export interface Latest {
  readonly event: Event
  readonly name: string
}

/**
 * Returns the latest event of each copy of other people's data, by the id of the access. Reads nothing unless
 * `isWanted`. Empty until it is read, and if it cannot be read.
 */
export function useLatestEvents(isWanted: boolean): ReadonlyMap<string, Latest> {
  const { client } = useAccount()
  const [latest, setLatest] = useState<ReadonlyMap<string, Latest>>(new Map())
  useEffect(() => {
    if (!isWanted) return
    const read = async (): Promise<void> => {
      const { mirrors } = await client.callAlone<{ mirrors: readonly Mirror[] }>('mirrors.get', {})
      const live = mirrors.filter(({ state }) => state === 'live').slice(0, maxCopies)
      const found = await Promise.all(
        live.map(async ({ accessId, streamId }) => {
          const params = { streams: [streamId], limit: 1 }
          const [{ events }, { streams }] = await Promise.all([
            client.call<{ events: readonly Event[] }>('events.get', params),
            client.call<{ streams: readonly Stream[] }>('streams.get', { parentId: streamId })
          ])
          return events.map(event => {
            const name = findName(streams, event.streamIds[0]!) ?? ''
            return [accessId, { event, name: toPlainText(name) }] as const
          })
        })
      )
      setLatest(new Map(found.flat()))
    }
    // The list is complete without these lines.
    read().catch(() => undefined)
  }, [isWanted])
  return latest
}

function findName(streams: readonly Stream[], id: string): string | undefined {
  for (const stream of streams) {
    const found = stream.id === id ? stream.name : findName(stream.children, id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Shows an event in one line: `Weight: 72.4 kg, yesterday`. */
export function LatestValue({ event, name }: Latest) {
  const value = formatEvent(event)
  return <small class="latest">{t('people.latest', { name, value, time: formatAgo(event.time) })}</small>
}
