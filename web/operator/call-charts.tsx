/** Calls of the last day and their durations, as charts and texts. */
import { useMemo } from 'preact/hooks'
import { createStore } from '../app/data/store.js'
import { TimeAxis } from '../app/lanes/axis.js'
import { LaneChart } from '../app/lanes/chart.js'
import type { Part } from '../app/lanes/lane-data.js'
import type { View } from '../app/lanes/view.js'
import { getLanguage, t } from '../language.js'
import { useResource } from './operator-client.js'
import type { MinuteStats } from './model.js'

const day = 86_400
/** Width of a column, in seconds. */
const step = 600
/** Shown instead of durations beyond the last bucket of the service, in seconds. */
const maxShownSeconds = 20

/** Shows the calls of the last day, and how long they took. */
export function CallCharts() {
  const { value } = useResource<{ minutes: readonly MinuteStats[] }>('minutes')
  const minutes = value?.minutes
  const view = useMemo(() => {
    const now = Math.max(Date.now() / 1000, minutes?.at(-1)?.time ?? 0)
    return createStore<View>({ from: now - day, to: now + step })
  }, [minutes])
  if (!minutes) return null
  const zones = { periods: [], fallback: Intl.DateTimeFormat().resolvedOptions().timeZone }
  const number = new Intl.NumberFormat(getLanguage(), { maximumFractionDigits: 1 })
  const sum = (getValue: (minute: MinuteStats) => number): number =>
    minutes.reduce((total, each) => total + getValue(each), 0)
  const calls = toColumns(minutes, each => each.calls)
  const slow = toColumns(minutes, each => (each.p95 ?? maxShownSeconds) * 1000, true)
  const slowest = Math.max(0, ...slow.map(({ max }) => max))
  const callsText = t('operator.callsSaid', {
    calls: number.format(sum(each => each.calls)),
    refused: number.format(sum(each => each.refused)),
    failed: number.format(sum(each => each.failed))
  })
  const durationText = t('operator.timesSaid', { slowest: number.format(slowest) })
  const formatValue = (at: number): string => number.format(at)
  return (
    <section class="card chart">
      <h2>{t('operator.calls')}</h2>
      <p class="hint">{callsText}</p>
      <figure aria-label={callsText}>
        <LaneChart
          view={view}
          data={{ kind: 'band', parts: calls, step, isAmount: true }}
          range={{ low: 0, high: Math.max(1, ...calls.map(({ max }) => max)) * 1.08 }}
          colour="var(--weight)"
          zones={zones}
          name={formatValue}
        />
      </figure>
      <h3>{t('operator.times95')}</h3>
      <p class="hint">{durationText}</p>
      <figure aria-label={durationText}>
        <LaneChart
          view={view}
          data={{ kind: 'band', parts: slow, step, isAmount: true }}
          range={{ low: 0, high: Math.max(1, slowest) * 1.08 }}
          colour="var(--notes)"
          zones={zones}
          name={formatValue}
        />
      </figure>
      <div class="axis">
        <TimeAxis view={view} zones={zones} />
      </div>
    </section>
  )
}

/** Aggregates minutes into columns, by sum or maximum. */
function toColumns(
  minutes: readonly MinuteStats[],
  getValue: (minute: MinuteStats) => number,
  isMax = false
): Part[] {
  const columns = new Map<number, number>()
  for (const minute of minutes) {
    const time = Math.floor(minute.time / step) * step
    const before = columns.get(time) ?? 0
    columns.set(time, isMax ? Math.max(before, getValue(minute)) : before + getValue(minute))
  }
  return Array.from(columns, ([time, value]) => ({ time, count: 1, min: value, max: value, mean: value }))
}
