/** The data of a lane as a table. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import type { Zones } from '../lanes/calendar.js'
import type { LaneData } from '../lanes/data.js'
import { asleepIn, nightsOf } from '../lanes/nights.js'
import { isWithin, lengthOf, type View } from '../lanes/scale.js'
import { Dialog } from '../parts/dialog.js'
import type { Plan } from '../lanes/plan.js'
import { partsIn, sentenceOf } from './reading.js'
import { dated } from './titles.js'
import { hoursAndMinutes, number, unitFor } from './units.js'

/** Maximum rows; the table page shows more. */
const maxRows = 500

interface Props {
  readonly plan: Plan
  readonly data: LaneData | undefined
  readonly view: View
  readonly zones: Zones
  readonly onClose: () => void
}

/** The header row. */
export function Columns({ names }: { readonly names: readonly string[] }) {
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

export function TableOf({ plan, data, view, zones, onClose }: Props) {
  const { head, rows } = tableOf(plan, data, view, zones)
  return (
    <Dialog title={plan.name} onClose={onClose} isWide>
      <div class="timeline-table" tabIndex={0} role="region" aria-label={plan.name}>
        <table>
          <caption>{sentenceOf(plan, data, view, zones)}</caption>
          <Columns names={head} />
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

/** Returns the rows of a lane, in order of time. */
export function tableOf(plan: Plan, data: LaneData | undefined, view: View, zones: Zones): Table {
  const unit = unitFor(plan.types[0]!)
  const withUnit = (text: string): string => (unit === '' ? text : `${text} (${unit})`)
  const isLong = lengthOf(view) > 300 * 86_400
  const time = (at: number): string =>
    dated(at, zones, {
      day: 'numeric',
      month: 'short',
      ...(isLong ? { year: 'numeric' } : {}),
      hour: '2-digit',
      minute: '2-digit'
    })
  const clock = (at: number): string => dated(at, zones, { hour: '2-digit', minute: '2-digit' })
  if (data?.kind === 'band') {
    const parts = partsIn(data.parts, view, data.step)
    if (parts.every(({ count }) => count === 1))
      return {
        head: [t('timeline.time'), withUnit(t('timeline.value'))],
        rows: parts.map(part => [time(part.time), number(part.mean)])
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
        number(part.mean),
        number(part.min),
        number(part.max),
        number(part.count, 0)
      ])
    }
  }
  if (data?.kind === 'pairs')
    return {
      head: [t('timeline.time'), withUnit(t('timeline.systolic')), withUnit(t('timeline.diastolic'))],
      rows: data.bars
        .filter(bar => isWithin(bar.time, bar.time, view))
        .map(bar => [time(bar.time), number(bar.high, 0), number(bar.low, 0)])
    }
  if (data?.kind === 'nights')
    return {
      head: [t('timeline.time'), t('timeline.toBed'), t('timeline.gotUp'), t('timeline.asleep')],
      rows: nightsOf(data, zones)
        .filter(night => isWithin(night.time, night.time, view))
        .map(night => [
          dated(night.time, zones, {
            day: 'numeric',
            month: 'short',
            ...(isLong ? { year: 'numeric' } : {})
          }),
          clock(Math.min(...night.stretches.map(({ from }) => from))),
          clock(Math.max(...night.stretches.map(({ to }) => to))),
          hoursAndMinutes(asleepIn(night))
        ])
    }
  if (data?.kind === 'heat')
    return {
      head: [t('timeline.time'), t('timeline.count')],
      rows: data.parts
        .filter(part => isWithin(part.time, part.time, view))
        .map(part => [time(part.time), number(part.count, 0)])
    }
  return {
    head: [t('timeline.time'), t('timeline.what')],
    rows: (data?.marks ?? [])
      .filter(mark => isWithin(mark.time, mark.end, view))
      .map(mark => [time(mark.time), plain(mark.label)])
  }
}
