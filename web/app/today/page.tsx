/** The page Today: cards of the measures that the user follows, what runs, and the notes, photos and places of the day. */
import './style.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { parseGoals } from '../../../schemas/measures/goals.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useReading, type Reading } from '../data/reading.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { getDayAt, type Day, type Zones } from '../lanes/calendar.js'
import { AppLink } from '../parts/app-link.js'
import { formatTime } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { lazy } from '../parts/lazy.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { showFailure, showToast } from '../parts/toast.js'
import { openAddDialog } from '../shell/adding.js'
import { addModuleTexts } from '../texts.js'
import { MeasureCard } from './measure-card.js'
import { Moments, Places } from './moments.js'
import { readToday, type TodayData } from './read-today.js'
import { Running } from './running.js'
import { listCards, parseSettings, todayKey } from '../data/today-settings.js'

// These parts are loaded after the cards, or when they are first opened.
const Due = lazy(async () => (await import('../reminders/due.js')).default)
const Later = lazy(async () => (await import('./later.js')).default)
const ArrangeDialog = lazy(async () => (await import('./arrange-dialog.js')).default)
const GoalDialog = lazy(async () => {
  const [module] = await Promise.all([import('./goal-dialog.js'), addModuleTexts('events')])
  return module.default
})

/** Milliseconds between reads while changes arrive. */
const minIntervalMs = 1000
/** Milliseconds after which words such as “just now” are checked again. */
const tickMs = 30_000

/**
 * Shows the page and follows changes. The arrangement is stored in the profile; hiding a card shows a toast
 * that can undo it.
 */
export default function Today() {
  const account = useAccount()
  const profile = useStore(account.profile)
  const facts = useStore(account.measureFacts)
  const tree = useStore(account.tree)
  const periods = useStore(account.zones)
  const zones = useMemo<Zones>(
    () => ({ periods, fallback: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    [periods]
  )
  const now = useNow(zones)
  const day = getDayAt(now, zones)
  const settings = useMemo(() => parseSettings(profile), [profile])
  const goals = useMemo(() => parseGoals(profile), [profile])
  // What is shown by default does not change places while data arrive.
  const cards = useMemo(() => listCards(settings, facts, now), [settings, facts.length, day.number])
  const { read: data, problem, reread } = useToday(cards, day)
  const [isArranging, setArranging] = useState(false)
  const [goalOf, setGoalOf] = useState<AnyMeasure>()
  useEffect(() => {
    document.title = t('shell.today')
  }, [])

  const store = async (shown: readonly string[]): Promise<void> => {
    // A measure that the user has removed stays hidden, even if its data would show it by default.
    const hidden = [...settings.hidden, ...cards].filter(id => !shown.includes(id))
    await account.updateProfile({ [todayKey]: { cards: shown, hidden: [...new Set(hidden)] } })
  }
  const arrange = (shown: readonly string[]): void => {
    store(shown).catch(showFailure)
  }
  const hide = (measure: AnyMeasure): void => {
    arrange(cards.filter(id => id !== measure.id))
    showToast(t('today.hidden', { name: getMeasureName(measure) }), async () => await store(cards))
  }
  const move = (id: string, to: number): void => {
    const others = cards.filter(each => each !== id)
    arrange([...others.slice(0, to), id, ...others.slice(to)])
  }

  const isEmpty = facts.length === 0 && settings.cards.length === 0 && tree !== undefined
  if (isEmpty && data?.running.length === 0) return <EmptyToday />
  const shown = cards.flatMap(id => data?.measures.get(id) ?? [])
  return (
    <>
      <header class="head">
        <div>
          <h1>{t('shell.today')}</h1>
          <p class="when">
            {formatTime(now, { weekday: 'long', day: 'numeric', month: 'long', timeZone: day.zone })}
          </p>
        </div>
        <button type="button" class="button" onClick={() => setArranging(true)}>
          <Icon name="edit" />
          {t('today.customise')}
        </button>
      </header>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!data && problem === undefined && <Skeleton kind="rows" />}
      {data && (
        <>
          <Running events={data.running} onChanged={() => void reread()} />
          <Due />
          <div class="cards">
            {shown.map((measure, index) => (
              <MeasureCard
                key={measure.id}
                measure={measure}
                fact={facts.find(fact => fact.measure === measure.id)}
                rows={data.rows.get(measure.id) ?? []}
                goal={goals.get(measure.id)}
                night={measure.id === 'sleep' ? data.night : undefined}
                day={day}
                zones={zones}
                now={now}
                actions={{
                  onGoal: () => setGoalOf(measure),
                  onHide: () => hide(measure),
                  onEarlier: index === 0 ? undefined : () => move(measure.id, index - 1),
                  onLater: index === shown.length - 1 ? undefined : () => move(measure.id, index + 1)
                }}
              />
            ))}
          </div>
          {(data.moments.length > 0 || data.places.length > 0) && (
            <section class="of-day" aria-labelledby="of-day">
              <h2 id="of-day">{t('today.moments')}</h2>
              <Places events={data.places} day={day} />
              <Moments events={data.moments} zone={day.zone} />
            </section>
          )}
          <Later data={data} day={day} zones={zones} now={now} />
        </>
      )}
      {isArranging && <ArrangeDialog cards={cards} onCards={arrange} onClose={() => setArranging(false)} />}
      {goalOf && (
        <GoalDialog measure={goalOf} goal={goals.get(goalOf.id)} onClose={() => setGoalOf(undefined)} />
      )}
    </>
  )
}

/**
 * Returns the current time in seconds, which changes every half minute and when the day begins. Also changes
 * when the page is shown again.
 */
function useNow(zones: Zones): number {
  const [now, setNow] = useState(() => Date.now() / 1000)
  useEffect(() => {
    const { to } = getDayAt(now, zones)
    const untilMidnight = Math.max(0, to * 1000 - Date.now()) + 50
    const update = (): void => setNow(Date.now() / 1000)
    const timer = setInterval(update, Math.min(tickMs, untilMidnight))
    // Timers stop while a device sleeps.
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [now, zones])
  return now
}

/**
 * Reads the data of the cards, and again after changes. While it is read again, the earlier data is shown. If
 * that fails, it stays beside the problem.
 */
function useToday(cards: readonly string[], day: Day): Reading<TodayData> {
  const account = useAccount()
  const profile = useStore(account.profile)
  return useReading(
    async () => await readToday(account, cards, day, parseGoals(profile)),
    [account, cards, day.number, day.zone, profile],
    { followMs: minIntervalMs }
  )
}

/** Shows what to do where there is nothing to show yet. */
function EmptyToday() {
  return (
    <div class="empty">
      <Due />
      <h1>{t('today.empty')}</h1>
      <p class="lead">{t('today.emptyText')}</p>
      <p class="ways">
        <button type="button" class="button primary" onClick={() => openAddDialog()}>
          <Icon name="plus" />
          {t('shell.addData')}
        </button>
        <AppLink to={{ page: 'import' }} class="button">
          <Icon name="import" />
          {t('today.importData')}
        </AppLink>
        <AppLink to={{ page: 'connect' }} class="button">
          <Icon name="phone" />
          {t('shell.connectPhone')}
        </AppLink>
      </p>
    </div>
  )
}
