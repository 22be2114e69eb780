/** How far a goal has been reached: today or this week, and before. A missed day is a day like others. */
import type { Goal } from '../../../schemas/measures/goals.js'
import { t } from '../../language.js'
import type { AnyMeasure } from '../data/measures.js'
import { Icon } from '../parts/icon.js'
import { formatWhole } from './describe-value.js'
import { getProgress } from './goals.js'
import { toValues, type MeasureRow } from './read-today.js'

interface Props {
  readonly goal: Goal
  readonly measure: AnyMeasure
  readonly rows: readonly MeasureRow[]
  /** Days since 1 January 1970. */
  readonly today: number
}

/** Shows the goal. The check mark appears only for goals without a maximum; a bar only for totals. */
export function GoalLine({ goal, measure, rows, today }: Props) {
  const isTotal = measure.kind === 'sum' || measure.kind === 'span'
  const { isReached, isToday, reached, total, value } = getProgress(goal, toValues(rows), today, isTotal)
  const { max, min, period } = goal
  // What is at most a number is only known when the time is over.
  const isDone = isReached && max === undefined
  const text = describeGoal(goal, measure)
  return (
    <div class="goal">
      <p>
        {isDone && isToday && (
          <>
            <Icon name="check" />
            <span class="unseen">{t('today.goal.reached')}</span>
          </>
        )}
        <span>
          {text}
          {period === 'week' && value !== undefined && (
            <>
              {' · '}
              {t('today.goal.thisWeek', { value: formatWhole(measure, value) })}
            </>
          )}
        </span>
      </p>
      {isToday && isTotal && (min ?? max)! > 0 && (
        <progress value={Math.min(value ?? 0, (min ?? max)!)} max={min ?? max} aria-label={text} />
      )}
      {!isToday && <p class="hint">{t('today.goal.notToday')}</p>}
      {reached > 0 && (
        <p class="hint">
          {t(period === 'week' ? 'today.goal.reachedWeeks' : 'today.goal.reachedDays', {
            reached,
            count: total
          })}
        </p>
      )}
    </div>
  )
}

/** Describes a goal: `At least 8,000 a day`. */
function describeGoal({ max, min, period }: Goal, measure: AnyMeasure): string {
  const kind = min === undefined ? 'most' : max === undefined ? 'least' : 'between'
  const isLevel = measure.kind === 'level'
  const group = isLevel ? (period === 'week' ? 'mean' : 'level') : period
  return t(`today.goal.${group}.${kind}`, {
    min: min === undefined ? '' : formatWhole(measure, min),
    max: max === undefined ? '' : formatWhole(measure, max)
  })
}
