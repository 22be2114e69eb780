/** The second page of the printout: averages of the lanes, and single blood pressures. */
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import type { LaneData } from '../lanes/lane-data.js'
import { getSleepDuration, groupNights } from '../lanes/nights.js'
import { overlaps, type View } from '../lanes/view.js'
import type { TimelineModel } from './model.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { listVisibleParts } from './describe-lane.js'
import { TableHeader, createTable } from './lane-table.js'
import { formatDates } from './titles.js'
import { formatHoursMinutes, formatRounded, getUnitSymbol } from '../data/format-values.js'

interface Props {
  readonly model: TimelineModel
  readonly plans: readonly LanePlan[]
}

/** Maximum rows of single measurements that fit on the page. */
const maxRows = 36

/** Visible only in print. */
export function PrintSummary({ model, plans }: Props) {
  const { username } = useAccount()
  const data = useStore(model.data)
  const view = useStore(model.view)
  const { zones } = model
  const rows = plans.flatMap(plan => {
    const own = data.get(plan.stream.id)
    const row = own && summarize(own, view, model)
    return row ? [{ plan, row }] : []
  })
  const pairs = plans.filter(({ kind }) => kind === 'pairs')
  return (
    <section class="paper">
      <h2>{t('timeline.printTitle', { user: username, dates: formatDates(view, zones) })}</h2>
      <table>
        <caption>{t('timeline.averages')}</caption>
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col">{t('shell.average')}</th>
            <th scope="col">{t('shell.min')}</th>
            <th scope="col">{t('shell.max')}</th>
            <th scope="col">{t('timeline.count')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ plan, row }) => (
            <tr key={plan.stream.id}>
              <th scope="row">
                {plan.name} {plan.kind === 'nights' ? '' : getUnitSymbol(plan.types[0]!)}
              </th>
              {row.map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pairs.map(plan => {
        const { head, rows: single } = createTable(plan, data.get(plan.stream.id), view, zones)
        return (
          <table key={plan.stream.id}>
            <caption>{plan.name}</caption>
            <TableHeader names={head} />
            <tbody>
              {single.slice(-maxRows).map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )
      })}
    </section>
  )
}

/** Returns average, min, max and count of the visible data; undefined for data without numbers. */
function summarize(data: LaneData, view: View, { zones }: TimelineModel): readonly string[] | undefined {
  if (data.kind === 'band') {
    const parts = listVisibleParts(data.parts, view, data.step)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    if (count === 0) return undefined
    const mean = parts.reduce((sum, part) => sum + part.mean * part.count, 0) / count
    const [min, max] = [Math.min(...parts.map(part => part.min)), Math.max(...parts.map(part => part.max))]
    return [formatRounded(mean, 1), formatRounded(min), formatRounded(max), formatRounded(count, 0)]
  }
  if (data.kind === 'pairs') {
    const bars = data.bars.filter(({ time }) => overlaps(time, time, view))
    const count = bars.reduce((sum, bar) => sum + bar.count, 0)
    if (count === 0) return undefined
    const mean = (of: 'low' | 'high'): string =>
      formatRounded(bars.reduce((sum, bar) => sum + bar[of] * bar.count, 0) / count, 0)
    const formatExtreme = (pick: (...values: number[]) => number): string =>
      `${formatRounded(pick(...bars.map(({ high }) => high)), 0)}/${formatRounded(pick(...bars.map(({ low }) => low)), 0)}`
    return [
      `${mean('high')}/${mean('low')}`,
      formatExtreme(Math.min),
      formatExtreme(Math.max),
      formatRounded(count, 0)
    ]
  }
  if (data.kind === 'nights') {
    const nights = groupNights(data, zones)
      .filter(({ time }) => overlaps(time, time, view))
      .map(getSleepDuration)
    if (nights.length === 0) return undefined
    const mean = nights.reduce((sum, each) => sum + each, 0) / nights.length
    return [mean, Math.min(...nights), Math.max(...nights)]
      .map(formatHoursMinutes)
      .concat(formatRounded(nights.length, 0))
  }
  return undefined
}
