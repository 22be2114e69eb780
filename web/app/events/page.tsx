/** The page of one event: values, form, files, history, integrity and JSON. */
import './add.css'
import './style.css'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import type { PageProps } from '../route.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Event, EventTypes } from '../data/model.js'
import { AppLink } from '../parts/app-link.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { EventView } from './event-view.js'

/** The result of `events.getOne`: an event, or the tombstone of a deleted one, with its earlier versions. */
interface EventResult {
  readonly event: Event & { readonly deleted?: number }
  readonly history: readonly Event[]
}

/** Shows the event and follows its changes; says so if it is unknown or not visible to this access. */
export default function EventPage({ id }: PageProps) {
  const account = useAccount()
  const call = async (): Promise<(EventResult & { readonly types: EventTypes }) | 'unknown'> => {
    if (id === undefined) return 'unknown'
    try {
      const [found, types] = await Promise.all([
        account.client.call<EventResult>('events.getOne', { id, includeHistory: true }),
        account.readEventTypes()
      ])
      return { ...found, types }
    } catch (error) {
      if (error instanceof Refusal && error.id === 'unknown-resource') return 'unknown'
      throw error
    }
  }
  const { read, problem, reread, show } = useReading(call, [id, account], { followMs: 1000 })
  if (read === 'unknown') return <EmptyPage text={t(id === undefined ? 'events.none' : 'events.unknown')} />
  if (read?.event.deleted !== undefined) return <EmptyPage text={t('events.deleted')} />
  const change = (event: Event): void => {
    show({ ...read!, event })
    void reread()
  }
  return (
    <>
      {problem !== undefined && <ReadProblem message={problem} />}
      {read ? (
        <EventView {...read} onChanged={change} onDeleted={() => show('unknown')} />
      ) : (
        problem === undefined && <Skeleton kind="page" />
      )}
    </>
  )
}

function EmptyPage({ text }: { readonly text: string }) {
  return (
    <div class="empty">
      <h1>{t('events.nothingSelected')}</h1>
      <p class="lead">{text}</p>
      <AppLink to={{ page: 'table' }} class="button">
        {t('events.toTable')}
      </AppLink>
    </div>
  )
}
