/** The page of one event: values, form, files, history, integrity and JSON. */
import './add.css'
import './style.css'
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import type { PageProps } from '../route.js'
import { useAccount } from '../data/account.js'
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
  const [read, setRead] = useState<EventResult>()
  const [types, setTypes] = useState<EventTypes>()
  const [problem, setProblem] = useState<Message>()
  const [isUnknown, setUnknown] = useState(id === undefined)
  useEffect(() => {
    if (id === undefined) return undefined
    let isGone = false
    const load = async (): Promise<void> => {
      try {
        const [found, known] = await Promise.all([
          account.client.call<EventResult>('events.getOne', { id, includeHistory: true }),
          account.readEventTypes()
        ])
        if (isGone) return
        setRead(found)
        setTypes(known)
        setUnknown(false)
        setProblem(undefined)
      } catch (error) {
        if (isGone) return
        if (error instanceof Refusal && error.id === 'unknown-resource') setUnknown(true)
        else setProblem(explainError(error).message)
      }
    }
    void load()
    const end = account.live.follow('events', () => void load(), 1000)
    return () => {
      isGone = true
      end()
    }
  }, [id, account])
  const reload = (event: Event): void => {
    setRead(before => before && { ...before, event })
    account.client
      .call<EventResult>('events.getOne', { id, includeHistory: true })
      .then(setRead, (error: unknown) => setProblem(explainError(error).message))
  }
  if (isUnknown) return <EmptyPage text={t(id === undefined ? 'events.none' : 'events.unknown')} />
  if (read?.event.deleted !== undefined) return <EmptyPage text={t('events.deleted')} />
  return (
    <>
      {problem !== undefined && <ReadProblem message={problem} />}
      {read && types ? (
        <EventView {...read} types={types} onChanged={reload} onDeleted={() => setUnknown(true)} />
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
