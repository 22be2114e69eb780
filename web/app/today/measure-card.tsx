/** A card of one measure: its latest value or today's total, how that compares with the days before, its goal. */
import type { Goal } from '../../../schemas/measures/goals.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { getMeasureColour, getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { joinQuantity, type Quantity } from '../data/units.js'
import type { Day, Zones } from '../lanes/calendar.js'
import { AppLink } from '../parts/app-link.js'
import { formatClock } from '../parts/format-time.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import { CardMenu, type CardActions } from './card-menu.js'
import { Bars, Sparkline } from './charts.js'
import {
  describeDay,
  describeTime,
  formatDayValue,
  formatLatest,
  formatNumber,
  formatWhole,
  getSourceName,
  getTrendKey
} from './describe-value.js'
import { GoalLine } from './goal-line.js'
import type { Night } from './night.js'
import { QuickValues } from './quick-values.js'
import { comparedDays, toValues, type MeasureRow } from './read-today.js'
import { getMedian, getTrend } from './trend.js'

interface Props {
  readonly measure: AnyMeasure
  /** Undefined without data. */
  readonly fact: MeasureFact | undefined
  readonly rows: readonly MeasureRow[]
  readonly goal: Goal | undefined
  readonly night: Night | undefined
  readonly day: Day
  readonly zones: Zones
  /** In seconds. */
  readonly now: number
  readonly actions: CardActions
}

/** Readings on an ordinary day from which a day that is not over says too little to be compared with whole ones. */
const denseCount = 12

/** Shows the card. Its menu calls `actions`; its quick values are stored at once. */
export function MeasureCard(props: Props) {
  const { measure, fact, rows, goal, day, actions } = props
  const name = getMeasureName(measure)
  const { value, details } = describeCard(props)
  const source = fact?.latest.streamId
  return (
    <article
      class="card measure"
      data-measure={measure.id}
      aria-label={name}
      style={{ '--c': getMeasureColour(measure) }}
    >
      <header>
        <span class="sign">
          <MeasureIcon icon={measure.icon} hue={measure.hue} />
        </span>
        <h2>
          {source === undefined ? name : <AppLink to={{ page: 'streams', id: source }}>{name}</AppLink>}
        </h2>
        <CardMenu measure={measure} fact={fact} hasGoal={goal !== undefined} actions={actions} />
      </header>
      {value ? (
        <p class="value num">
          <b>{value.value}</b>
          {value.unit !== '' && <small> {value.unit}</small>}
        </p>
      ) : (
        <p class="hint">{t('today.noData')}</p>
      )}
      {details.map(text => (
        <p key={text} class="detail">
          {text}
        </p>
      ))}
      <Chart {...props} />
      {goal && <GoalLine goal={goal} measure={measure} rows={rows} today={day.number} />}
      <QuickValues measure={measure} fact={fact} rows={rows} />
    </article>
  )
}

interface Description {
  readonly value: Quantity | undefined
  readonly details: readonly string[]
}

function describeCard(props: Props): Description {
  const { kind } = props.measure
  if (!props.fact) return { value: undefined, details: [] }
  return kind === 'sum' || kind === 'span' ? describeTotal(props) : describeReading(props, props.fact)
}

/** Describes the latest value, with its own time and source. */
function describeReading({ measure, rows, day, zones, now }: Props, fact: MeasureFact): Description {
  const tree = useStore(useAccount().tree)
  const { latest } = fact
  const source = getSourceName(latest.streamId, measure, tree)
  const time = describeTime(latest.time, day, zones, now)
  const trend = describeTrend(measure, rows, day)
  return {
    value:
      formatLatest(measure, latest) ??
      (rows.length > 0 ? formatDayValue(measure, rows.at(-1)!.value) : undefined),
    details: [
      source === undefined ? time : t('today.timeAndSource', { time, source }),
      ...(trend === undefined ? [] : [trend])
    ]
  }
}

/**
 * Says how the latest day compares with the days before; undefined if there are too few days, or the latest was a while ago.
 */
function describeTrend(measure: AnyMeasure, rows: readonly MeasureRow[], day: Day): string | undefined {
  if (measure.kind === 'category') return undefined
  const values = toValues(rows)
  const counts = rows.filter(({ number }) => number < day.number).map(({ count }) => count)
  const isDense = (getMedian(counts) ?? 0) >= denseCount
  const latest = values.findLast(({ number }) => !isDense || number < day.number)
  if (!latest || day.number - latest.number > 2) return undefined
  const before = values.filter(
    ({ number }) => number < latest.number && number >= latest.number - comparedDays
  )
  const trend = getTrend(
    latest.value,
    before.map(({ value }) => value)
  )
  if (trend === undefined) return undefined
  const words = t(getTrendKey(trend, measure) as 'today.trend.usual')
  return isDense || latest.number < day.number
    ? t('today.ofDay', { day: describeDay(latest.number, day.number), text: words })
    : words
}

/** Describes today's total or last night; if there is none yet, the total or night of the latest day. */
function describeTotal({ measure, rows, day, night }: Props): Description {
  const latest = rows.at(-1)
  if (!latest) return { value: undefined, details: [] }
  const isToday = latest.number === day.number
  const isSleep = measure.id === 'sleep'
  const values = toValues(rows)
  const before = values
    .filter(({ number }) => number < day.number && number >= day.number - comparedDays)
    .map(({ value }) => value)
  const usual = before.length >= 7 ? getMedian(before) : undefined
  const when =
    isToday && isSleep
      ? t('today.lastNight')
      : isToday && measure.kind === 'sum'
        ? t('today.soFar')
        : describeDay(latest.number, day.number)
  const range =
    isToday && isSleep && night
      ? t('today.fromTo', { from: formatClock(night.from, day.zone), to: formatClock(night.to, day.zone) })
      : undefined
  const trend = isSleep ? describeTrend(measure, rows, day) : undefined
  return {
    value: formatDayValue(measure, latest.value),
    details: [
      range === undefined ? when : t('today.timeAndSource', { time: when, source: range }),
      ...(trend === undefined || !isToday ? [] : [trend]),
      ...(usual === undefined || measure.kind !== 'sum'
        ? []
        : [t('today.usualTotal', { value: formatWhole(measure, usual) })])
    ]
  }
}

/** Shows the last days as bars or a line; nothing for kinds without numbers. */
function Chart({ measure, rows, day }: Props) {
  const values = toValues(rows).filter(({ number }) => number >= day.number - comparedDays)
  if (values.length === 0) return null
  if (measure.kind === 'sum' || measure.kind === 'span') {
    const list = values
      .filter(({ number }) => number > day.number - 7)
      .map(({ number, value }) => `${describeDay(number, day.number)}: ${formatWhole(measure, value)}`)
    return <Bars values={values} today={day.number} label={t('today.bars', { list: list.join('; ') })} />
  }
  if (measure.kind !== 'level' && measure.kind !== 'pair') return null
  const numbers = values.map(({ value }) => value)
  const format = (value: number): string =>
    measure.kind === 'pair' ? String(Math.round(value)) : joinQuantity(formatNumber(measure, value))
  return (
    <Sparkline
      values={values}
      today={day.number}
      days={comparedDays}
      label={t('today.spark', {
        min: format(Math.min(...numbers)),
        max: format(Math.max(...numbers)),
        median: format(getMedian(numbers)!)
      })}
    />
  )
}
