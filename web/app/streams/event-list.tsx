/** The latest events of a stream and of those below it, in pages. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { getTypeIcon, isGlucose, formatEvent, getTypeName } from '../data/event-types.js'
import type { Event, Stream } from '../data/model.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { formatDateTime } from '../parts/format-time.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'

/** Events per page. */
const pageSize = 15

/** Shows a page of events and follows changes; trashed events only for a trashed stream. */
export function EventList({ stream }: { readonly stream: Stream }) {
  const account = useAccount()
  const [skip, setSkip] = useState(0)
  const call = async (signal: AbortSignal): Promise<readonly Event[]> => {
    const params = {
      streams: [stream.id],
      skip,
      limit: pageSize + 1,
      ...(stream.trashed ? { state: 'all' } : {})
    }
    return (await account.client.callAlone<{ events: readonly Event[] }>('events.get', params, signal)).events
  }
  const { read: events, problem } = useReading(call, [account, stream.id, stream.trashed, skip], {
    followMs: 1000
  })
  const shown = events?.slice(0, pageSize) ?? []
  const isMixed = new Set(shown.map(({ type }) => type)).size > 1
  const getDetail = ({ streamIds, type }: Event): string => {
    if (!streamIds.includes(stream.id))
      return toPlainText(account.tree.value?.find(streamIds[0]!)?.name ?? '')
    return isMixed ? getTypeName(type) : ''
  }
  return (
    <section class="card entries">
      <h2>{t('streams.entries')}</h2>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!events && problem === undefined && <Skeleton kind="rows" />}
      {events?.length === 0 && <p class="hint">{t(skip > 0 ? 'streams.noMore' : 'streams.noEntries')}</p>}
      <ul>
        {shown.map(event => (
          <li key={event.id}>
            <AppLink to={{ page: 'events', id: event.id }}>
              <Icon name={getTypeIcon(event.type)} />
              <span class="said">
                {formatEvent(event, isGlucose(account.tree.value?.getPath(event.streamIds[0]!) ?? []))}
                <small>{getDetail(event)}</small>
              </span>
              <time class="num">{formatDateTime(event.time)}</time>
            </AppLink>
          </li>
        ))}
      </ul>
      {(skip > 0 || (events?.length ?? 0) > pageSize) && (
        <div class="tools">
          {skip > 0 && (
            <button type="button" class="square" onClick={() => setSkip(Math.max(0, skip - pageSize))}>
              <Icon name="left" />
              {t('streams.later')}
            </button>
          )}
          {(events?.length ?? 0) > pageSize && (
            <button type="button" class="square" onClick={() => setSkip(skip + pageSize)}>
              {t('streams.earlier')}
              <Icon name="right" />
            </button>
          )}
        </div>
      )}
    </section>
  )
}
