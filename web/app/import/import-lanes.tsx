/** The contents of a file: for each type and source, its values, count and period. */
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getStreamColour } from '../data/stream-colours.js'
import { isGlucose, formatContent, getTypeName } from '../data/event-types.js'
import { formatTime } from '../parts/format-time.js'
import { formatCount, type Lane } from './model.js'

interface Props {
  readonly lanes: readonly Lane[]
  /** Number of records in the file. */
  readonly total: number
}

export function ImportLanes({ lanes, total }: Props) {
  return (
    <section class="card found">
      <h2>{t('import.records', { count: total })}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('import.what')}</th>
            <th scope="col">{t('import.values')}</th>
            <th scope="col" class="num">
              {t('import.count')}
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(lane => (
            <tr key={lane.key}>
              <td>
                <span class="to">
                  <i class="dot" style={{ '--c': getStreamColour({ id: lane.key, name: lane.stream }) }} />
                  <b>{toPlainText(lane.stream)}</b>
                </span>
                <small>{toPlainText(lane.source) || getTypeName(lane.type)}</small>
              </td>
              <td>{formatValues(lane)}</td>
              <td class="num">
                {formatCount(lane.count)}
                <small>{t(lane.form === 'series' ? 'import.asSeries' : 'import.asEvents')}</small>
                <small>{formatPeriod(lane)}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function formatPeriod({ from, to }: Lane): string {
  const [first, last] = [from, to].map(time => formatTime(time, { year: 'numeric', month: 'short' }))
  return first === last ? first! : `${first} – ${last}`
}

/** Formats values: the range of numbers, `61 – 64 kg`; ranges by field if there are several; otherwise an example. */
function formatValues({ example, max, min, stream, type }: Lane): ComponentChildren {
  const show = (content: unknown): string =>
    formatContent(type.replace(/^series:/, ''), content, { isGlucose: isGlucose([{ id: '', name: stream }]) })
  if (min === undefined || max === undefined || type.startsWith('position/'))
    return example === undefined ? '' : show(example)
  const whole = formatRange(show(min), show(max))
  if (typeof min === 'number' || typeof max === 'number' || whole !== getTypeName(type)) return whole
  return Object.keys(min).map(field => (
    <small key={field}>
      {toPlainText(field)} {formatRange(formatCount(min[field]!), formatCount(max[field] ?? min[field]!))}
    </small>
  ))
}

function formatRange(min: string, max: string): string {
  if (min === max) return min
  // Shows the unit once: `61 – 64 kg`.
  const unit = /\u00a0\D+$/.exec(max)?.[0] ?? ''
  return `${unit !== '' && min.endsWith(unit) ? min.slice(0, -unit.length) : min} – ${max}`
}
