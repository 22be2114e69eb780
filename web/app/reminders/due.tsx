/** What waits for the user, on the page Today: open alerts, and what is due today, with the answers. A notification opens it with an answer selected. */
import './due.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { getLocalDay } from '../../../schemas/zones.js'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { formatClock } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { showFailure, showToast } from '../parts/toast.js'
import { lazy } from '../parts/lazy.js'
import { useAddress } from '../route.js'
import { addModuleTexts } from '../texts.js'
import { getZone, useReminders, type Occurrence, type Reminder } from './reminders.js'

const answers = ['done', 'later', 'skip'] as const
type Answer = (typeof answers)[number]

const OpenAlerts = lazy(async () => (await import('../alerts/open.js')).default)

await addModuleTexts('reminders')

/** Maximum number of rows. */
const maxRows = 12

/**
 * Renders both lists; nothing without open alerts and reminders. Answers are stored at once, with a toast that
 * can undo them if they have stored an event.
 */
export default function Due() {
  return (
    <>
      <OpenAlerts />
      <DueReminders />
    </>
  )
}

/** Lists what is due today; nothing if the user has no reminders. */
function DueReminders() {
  const { read, reread } = useReminders()
  const { searchParams: query } = useAddress()
  if (!read || read.reminders.length === 0) return null
  const rows = listRows(read.occurrences).slice(0, maxRows)
  const named = (occurrence: Occurrence): boolean =>
    occurrence.reminderId === query.get('reminder') && String(occurrence.due) === query.get('due')
  return (
    <section class="card due" aria-labelledby="due">
      <header>
        <h2 id="due">{t('reminders.title')}</h2>
        <AppLink to={{ page: 'reminders' }}>{t('reminders.all')}</AppLink>
      </header>
      {rows.length === 0 && <p class="hint">{t('reminders.nothingDue')}</p>}
      <ul>
        {rows.map(row => (
          <Row
            key={`${row.reminderId} ${row.due}`}
            occurrence={row}
            reminder={read.reminders.find(({ id }) => id === row.reminderId)}
            selected={named(row) ? readAnswer(query.get('answer')) : undefined}
            onAnswered={reread}
          />
        ))}
      </ul>
    </section>
  )
}

function readAnswer(text: string | null): Answer {
  return answers.find(each => each === text) ?? 'done'
}

/** Lists what is due first, then what comes today, then what was answered today. */
function listRows(occurrences: readonly Occurrence[]): readonly Occurrence[] {
  const now = Date.now() / 1000
  const today = getLocalDay(getZone(), now)
  const isToday = ({ due }: Occurrence): boolean => due >= today.from && due < today.to
  const isDue = ({ due, state }: Occurrence): boolean =>
    due <= now && (state === 'open' || (state === 'later' && due <= now))
  const comes = (each: Occurrence): boolean => isToday(each) && !isDue(each) && !isAnswered(each)
  return [
    ...occurrences.filter(isDue),
    ...occurrences.filter(comes),
    ...occurrences.filter(each => isToday(each) && isAnswered(each))
  ]
}

function isAnswered({ state }: Occurrence): boolean {
  return state === 'done' || state === 'skipped'
}

interface RowProps {
  readonly occurrence: Occurrence
  readonly reminder: Reminder | undefined
  /** The answer that a notification has selected. */
  readonly selected: Answer | undefined
  readonly onAnswered: () => Promise<void>
}

/** Shows what is due once, with its answers. Answering shows a toast, which can undo the event that was added. */
function Row({ occurrence, reminder, selected, onAnswered }: RowProps) {
  const { client } = useAccount()
  const { due, state } = occurrence
  const formId = reminder?.formId
  const [isBusy, setBusy] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (selected === undefined) return
    button.current?.scrollIntoView({ block: 'center' })
    button.current?.focus()
  }, [selected])
  const name = toPlainText(reminder?.name ?? '')
  const answer = async (chosen: Answer): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      const { occurrence: after } = await client.call<{ occurrence: Occurrence }>('reminders.answer', {
        id: occurrence.reminderId,
        due,
        answer: chosen === 'skip' ? 'skipped' : chosen
      })
      const { again, eventId } = after
      await onAnswered()
      const undo = async (): Promise<void> => {
        await client.call('events.delete', { id: eventId! })
        await onAnswered()
      }
      showToast(
        again === undefined
          ? t(`reminders.said.${chosen}`, { name })
          : t('reminders.saidAgain', { name, time: formatClock(again) }),
        eventId === undefined ? undefined : undo
      )
    } catch (error) {
      showFailure(error)
    }
    setBusy(false)
  }
  const offered = isAnswered(occurrence) ? [] : state === 'upcoming' ? (['done'] as const) : answers
  return (
    <li class={selected === undefined ? state : `${state} selected`}>
      <span class="what">
        <b>{name}</b>
        <small>{describeState(occurrence)}</small>
      </span>
      {state === 'done' && <Icon name="check" />}
      {offered.length > 0 && (
        <span class="answers">
          {formId !== undefined && (
            <AppLink
              to={{ page: 'forms', id: formId, query: { reminder: occurrence.reminderId, due: String(due) } }}
              class={selected === 'done' ? 'button chosen' : 'button'}
              label={t('reminders.fillInNamed', { name, time: formatClock(due) })}
            >
              {t('reminders.fillIn')}
            </AppLink>
          )}
          {offered
            .filter(each => each !== 'done' || formId === undefined)
            .map(each => (
              <button
                key={each}
                ref={each === selected ? button : null}
                type="button"
                class={each === selected ? 'button chosen' : 'button'}
                aria-label={t(`reminders.answerNamed.${each}`, { name, time: formatClock(due) })}
                aria-disabled={isBusy}
                onClick={() => void answer(each)}
              >
                {t(`reminders.answer.${each}`)}
              </button>
            ))}
        </span>
      )}
    </li>
  )
}

function describeState({ again, due, state }: Occurrence): string {
  const time = formatClock(due)
  if (state === 'later' && again !== undefined)
    return t('reminders.state.later', { time, again: formatClock(again) })
  return t(`reminders.state.${state}`, { time })
}
