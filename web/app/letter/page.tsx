/** The weekly letter: what a week was like, and whether it also comes by mail. */
import './style.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { formatDate } from '../../../schemas/zones.js'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getMeasureName } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { getDayAt } from '../lanes/calendar.js'
import { AppLink } from '../parts/app-link.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatTime } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import type { PageProps } from '../route.js'
import { LetterSettings } from './letter-settings.js'
import { describeGoal, describeRow, readWeek, type Row, type Week } from './week.js'

const daySeconds = 86_400

/**
 * Shows the week that ends on the day `to`, by default yesterday and never later, with links to other weeks,
 * and the settings.
 */
export default function LetterPage({ query }: PageProps) {
  const account = useAccount()
  const periods = useStore(account.zones)
  const { number, zone } = useMemo(() => {
    const fallback = Intl.DateTimeFormat().resolvedOptions().timeZone
    return getDayAt(Date.now() / 1000, { periods, fallback })
  }, [periods])
  const last = Math.min(parseDay(query.get('to')) ?? number - 1, number - 1)
  const [read, setRead] = useState<Awaited<ReturnType<typeof readWeek>>>()
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    document.title = t('letter.title')
    setRead(undefined)
    let isGone = false
    readWeek(account, formatDate(last), zone).then(
      found => {
        if (isGone) return
        setRead(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (!isGone) setProblem(explainError(error).message)
      }
    )
    return () => {
      isGone = true
    }
  }, [account, last, zone])
  return (
    <div class="column">
      <h1>{t('letter.title')}</h1>
      <nav class="weeks" aria-label={t('letter.weeks')}>
        <WeekLink to={last - 7} label={t('letter.previous')} icon="left" />
        <p role="status">{t('letter.range', { from: formatDay(last - 6), to: formatDay(last) })}</p>
        {last + 1 < number ? (
          <WeekLink to={Math.min(last + 7, number - 1)} label={t('letter.next')} icon="right" />
        ) : (
          <span />
        )}
      </nav>
      {problem !== undefined && <ReadProblem message={problem} />}
      {problem === undefined && (read ? <Letter {...read} /> : <Skeleton kind="rows" />)}
      <LetterSettings zone={zone} />
    </div>
  )
}

function WeekLink({ to, label, icon }: { to: number; label: string; icon: 'left' | 'right' }) {
  return (
    <AppLink to={{ page: 'letter', query: { to: formatDate(to) } }} class="button" label={label}>
      <Icon name={icon} />
    </AppLink>
  )
}

/** Shows the sections of the letter that have something to say. */
function Letter({ week, rows }: { readonly week: Week; readonly rows: readonly Row[] }) {
  const different = rows.filter(each => isDifferent(each.week))
  const compared = rows.filter(each => each.week.position !== 'unknown').length
  const night = rows.find(each => each.week.night)?.week.night
  const places = rows.find(each => each.week.places)?.week.places
  if (rows.every(each => each.week.days === 0)) return <p class="nothing">{t('letter.nothing')}</p>
  return (
    <>
      <Section title={t('letter.different')}>
        {different.length > 0 ? (
          <Rows rows={different} />
        ) : (
          <p>{t(compared > 0 ? 'letter.allUsual' : 'letter.noDifference')}</p>
        )}
        {compared > 0 && <p class="soft">{t('letter.chance', { count: compared })}</p>}
      </Section>
      <Rows title={t('letter.usual')} rows={rows.filter(each => each.week.position === 'usual')} />
      <Rows title={t('letter.unknown')} rows={rows.filter(each => each.week.position === 'unknown')} />
      <Rows
        title={t('letter.goals')}
        rows={rows.filter(each => each.week.goal)}
        describe={each => describeGoal(each.week)}
      />
      {night && (
        <Section title={t('letter.nights')}>
          <p>{t('letter.nightsBegan', { ...night.begin })}</p>
          <p>{t('letter.nightsEnded', { ...night.end })}</p>
        </Section>
      )}
      {places && (
        <Section title={t('letter.places')}>
          <p>
            {t('letter.placeCount', { count: places.count })}{' '}
            {t('letter.placeMost', { duration: formatDuration(places.most.seconds) })}
          </p>
        </Section>
      )}
      {week.looked && (
        <Section title={t('letter.looked')}>
          {week.looked.length === 0 && <p>{t('letter.nobody')}</p>}
          <dl>
            {week.looked.map(({ accessId, days, name }) => (
              <div key={accessId}>
                <dt>
                  <AppLink to={{ page: 'shared', id: accessId }}>{toPlainText(name)}</AppLink>
                </dt>
                <dd>{t('letter.lookedDays', { count: days })}</dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
    </>
  )
}

function isDifferent({ position }: Row['week']): boolean {
  return position === 'lower' || position === 'higher'
}

interface RowsProps {
  readonly title?: string
  readonly rows: readonly Row[]
  readonly describe?: (row: Row) => string
}

/** Shows measures with what is said of each; nothing without any. */
function Rows({ title, rows, describe = describeRow }: RowsProps) {
  if (rows.length === 0) return null
  const list = (
    <dl>
      {rows.map(row => (
        <div key={row.measure.id}>
          <dt>{getMeasureName(row.measure)}</dt>
          <dd>{describe(row)}</dd>
        </div>
      ))}
    </dl>
  )
  return title === undefined ? list : <Section title={title}>{list}</Section>
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card panel">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Returns the number of the day in a URL; undefined if it is no date. */
function parseDay(text: string | null): number | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const number = Date.parse(`${text}T00:00:00Z`) / 1000 / daySeconds
  return Number.isInteger(number) && number >= firstDay ? number : undefined
}

/** 5 February 1900, counted from 1970: the service reads weeks from then on. */
const firstDay = -25_532

function formatDay(number: number): string {
  return formatTime(number * daySeconds, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC'
  })
}
