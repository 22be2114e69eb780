/** The data of a lane as a table. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Zones } from '../lanes/calendar.js'
import type { LaneData } from '../lanes/lane-data.js'
import { getSleepDuration, groupNights, isNightVisible } from '../lanes/nights.js'
import { overlaps, getLength, type View } from '../lanes/view.js'
import { Dialog } from '../parts/dialog.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { listVisibleParts, describeLane } from './describe-lane.js'
import { formatZonedTime } from './titles.js'
import { formatHoursMinutes, formatRounded } from '../data/format-values.js'

/** Maximum rows; the table page shows more. */
const maxRows = 500

interface Props {
  readonly plan: LanePlan
  readonly data: LaneData | undefined
  readonly view: View
  readonly zones: Zones
  readonly onClose: () => void
}

/** The header row. */
function TableHeader({ names }: { readonly names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map(each => (
          <th key={each} scope="col">
            {each}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Shows up to 500 rows of the view in a dialog, and says so if there are more. */
export function LaneTable({ plan, data, view, zones, onClose }: Props) {
  const { head, rows } = createTable(plan, data, view, zones)
  return (
    <Dialog title={plan.name} onClose={onClose} isWide>
      <div class="timeline-table" tabIndex={0} role="region" aria-label={plan.name}>
        <table>
          <caption>{describeLane(plan, data, view, zones)}</caption>
          <TableHeader names={head} />
          <tbody>
            {rows.slice(0, maxRows).map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (column === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > maxRows && (
        <p class="hint">{t('timeline.tableMore', { count: maxRows, all: rows.length })}</p>
      )}
    </Dialog>
  )
}

interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Returns the columns and the visible rows of a lane, in order of time. */
function createTable(plan: LanePlan, data: LaneData | undefined, view: View, zones: Zones): Table {
  const unit = plan.unit
  const withUnit = (text: string): string => (unit === '' ? text : `${text} (${unit})`)
  const isLong = getLength(view) > 300 * 86_400
  const time = (at: number): string =>
    formatZonedTime(at, zones, {
      day: 'numeric',
      month: 'short',
      ...(isLong ? { year: 'numeric' } : {}),
      hour: '2-digit',
      minute: '2-digit'
    })
  const clock = (at: number): string => formatZonedTime(at, zones, { hour: '2-digit', minute: '2-digit' })
  if (data?.kind === 'band') {
    const parts = listVisibleParts(data.parts, view, data.step)
    // A total has no average.
    if (data.isAmount === true || parts.every(({ count }) => count === 1))
      return {
        head: [t('timeline.time'), withUnit(t('timeline.value'))],
        rows: parts.map(part => [time(part.time), formatRounded(part.mean)])
      }
    return {
      head: [
        t('timeline.time'),
        withUnit(t('shell.average')),
        t('shell.min'),
        t('shell.max'),
        t('timeline.count')
      ],
      rows: parts.map(part => [
        time(part.time),
        formatRounded(part.mean),
        formatRounded(part.min),
        formatRounded(part.max),
        formatRounded(part.count, 0)
      ])
    }
  }
  if (data?.kind === 'pairs')
    return {
      head: [t('timeline.time'), withUnit(t('timeline.systolic')), withUnit(t('timeline.diastolic'))],
      rows: data.bars
        .filter(bar => overlaps(bar.time, bar.time, view))
        .map(bar => [time(bar.time), formatRounded(bar.high, 0), formatRounded(bar.low, 0)])
    }
  if (data?.kind === 'nights')
    return {
      head: [t('timeline.time'), t('timeline.toBed'), t('timeline.gotUp'), t('timeline.asleep')],
      rows: groupNights(data, zones)
        .filter(night => isNightVisible(night, view))
        .map(night => [
          formatZonedTime(night.time, zones, {
            day: 'numeric',
            month: 'short',
            ...(isLong ? { year: 'numeric' } : {})
          }),
          clock(Math.min(...night.periods.map(({ from }) => from))),
          clock(Math.max(...night.periods.map(({ to }) => to))),
          formatHoursMinutes(getSleepDuration(night))
        ])
    }
  if (data?.kind === 'heat')
    return {
      head: [t('timeline.time'), t('timeline.count')],
      rows: data.parts
        .filter(part => overlaps(part.time, part.time, view))
        .map(part => [time(part.time), formatRounded(part.count, 0)])
    }
  return {
    head: [t('timeline.time'), t('timeline.what')],
    rows: (data?.marks ?? [])
      .filter(mark => overlaps(mark.time, mark.end, view))
      .map(mark => [time(mark.time), toPlainText(mark.label)])
  }
}
