/** All pictures by month, latest first, with a viewer. */
import { useEffect, useRef, useState } from 'preact/hooks'
import './style.css'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { Icon } from '../parts/icon.js'
import { Picture } from '../parts/picture.js'
import { formatDateTime, formatDay, formatTime } from '../parts/format-time.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { openAddDialog } from '../shell/adding.js'
import { Dialog } from '../parts/dialog.js'
import { AppLink } from '../parts/app-link.js'
import { StepButton } from '../parts/step-buttons.js'

/** Pictures per page. */
const pageSize = 60

/** Shows the pictures, more as the user scrolls, and follows changes. Adding is only for the owner. */
export default function PhotosPage() {
  const account = useAccount()
  const { client } = account
  const [events, setEvents] = useState<readonly Event[]>([])
  const [isWhole, setWhole] = useState(false)
  const [problem, setProblem] = useState<Message>()
  /** Id of the event whose picture is shown large. */
  const [shown, setShown] = useState<string>()
  const known = useRef<readonly Event[]>([])
  const isReading = useRef(false)
  const hasChanged = useRef(false)
  const end = useRef<HTMLDivElement>(null)

  /** Reads from an index on, and again from the start if there are changes meanwhile. */
  const readPage = async (from: number): Promise<void> => {
    if (isReading.current) {
      hasChanged.current ||= from === 0
      return
    }
    isReading.current = true
    try {
      const limit = from === 0 ? Math.max(pageSize, known.current.length) : pageSize
      const read = await client.call<{ events: readonly Event[] }>('events.get', {
        types: ['picture/*'],
        skip: from,
        limit
      })
      known.current = [...known.current.slice(0, from), ...read.events]
      setEvents(known.current)
      setWhole(read.events.length < limit)
      setProblem(undefined)
    } catch (error) {
      setProblem(explainError(error).message)
    }
    isReading.current = false
    if (!hasChanged.current) return
    hasChanged.current = false
    await readPage(0)
  }
  useEffect(() => {
    void readPage(0)
    return account.live.follow('events', () => void readPage(0), 2000)
  }, [account])
  useEffect(() => {
    if (isWhole || events.length === 0) return undefined
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void readPage(events.length)
      },
      { rootMargin: '800px' }
    )
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [events.length, isWhole])

  const at = events.findIndex(({ id }) => id === shown)
  const showAt = (index: number): (() => void) | undefined =>
    events[index] && (() => setShown(events[index]!.id))
  return (
    <>
      <header class="head">
        <h1>{t('shell.photos')}</h1>
        {account.isOwner && (
          <button type="button" class="square" onClick={() => openAddDialog({ type: 'picture/attached' })}>
            <Icon name="plus" />
            {t('photos.add')}
          </button>
        )}
      </header>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!isWhole && events.length === 0 && problem === undefined && <Skeleton kind="pictures" />}
      {isWhole && events.length === 0 && <p class="lead">{t('photos.none')}</p>}
      {groupByMonth(events).map(({ month, pictures }) => (
        <section key={month} aria-label={month}>
          <h2>{month}</h2>
          <ul class="grid">
            {pictures.map(event => (
              <li key={event.id}>
                <button type="button" onClick={() => setShown(event.id)}>
                  <Picture event={event} alt={getCaption(event)} width={256} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div ref={end} />
      {at >= 0 && (
        <Viewer
          event={events[at]!}
          caption={getCaption(events[at]!)}
          onBefore={showAt(at - 1)}
          onNext={showAt(at + 1)}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}

/** Returns the caption of a picture: its description, or its date. */
function getCaption({ description, time }: Event): string {
  return toPlainText(description ?? '') || t('photos.alt', { date: formatDay(time) })
}

interface Month {
  readonly month: string
  readonly pictures: readonly Event[]
}

function groupByMonth(events: readonly Event[]): Month[] {
  const months: { month: string; pictures: Event[] }[] = []
  for (const event of events) {
    const month = formatTime(event.time, { month: 'long', year: 'numeric' })
    const last = months.at(-1)
    if (last?.month === month) last.pictures.push(event)
    else months.push({ month, pictures: [event] })
  }
  return months
}

interface Props {
  readonly event: Event
  readonly caption: string
  /** Undefined at the end. */
  readonly onBefore: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onClose: () => void
}

/** Shows the picture in a dialog. Arrow keys work like the buttons; a direction without a function has none. */
function Viewer({ event, caption, onBefore, onNext, onClose }: Props) {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent): void => {
      if (key === 'ArrowLeft') onBefore?.()
      if (key === 'ArrowRight') onNext?.()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onBefore, onNext])
  return (
    <Dialog title={caption} onClose={onClose} isWide>
      <div class="viewer">
        <Picture key={event.id} event={event} alt={caption} width={1024} />
        <p>
          <StepButton icon="left" label={t('photos.newer')} onStep={onBefore} />
          <span>
            {formatDateTime(event.time)}{' '}
            <AppLink to={{ page: 'events', id: event.id }}>{t('photos.details')}</AppLink>
          </span>
          <StepButton icon="right" label={t('photos.older')} onStep={onNext} />
        </p>
      </div>
    </Dialog>
  )
}
