/** A chart of daily values that prints in black and white: a line with dots, two for pairs, and dotted lines at normal ranges. */
import { t } from '../../language.js'
import type { ReportRow } from './read-report.js'

interface Props {
  readonly row: ReportRow
  readonly dayCount: number
}

const [width, height, margin] = [320, 90, 4]
/** Maximum number of days for which dots are drawn. */
const maxDots = 92

/** Shows the chart. The line runs across days without a value; dots only up to 92 days with values. */
export function DayChart({ row, dayCount }: Props) {
  const { days, formatShort, name, normalRanges } = row
  const shown = days.flatMap(({ values }) => values).filter(Number.isFinite)
  const all = [...shown, ...normalRanges.flat()]
  const [min, max] = [Math.min(...all), Math.max(...all)]
  const x = (at: number): number => margin + (at / Math.max(1, dayCount - 1)) * (width - 2 * margin)
  // Halves: the difference may be too large for a number.
  const y = (value: number): number =>
    height - margin - ((value / 2 - min / 2) / (max / 2 - min / 2 || 1)) * (height - 2 * margin)
  const lines = Array.from({ length: days[0]?.values.length ?? 0 }, (_, at) =>
    days.flatMap(day => {
      const value = day.values[at]!
      return Number.isFinite(value) ? [[x(day.at), y(value)] as const] : []
    })
  )
  return (
    <figure class="day-chart">
      <figcaption>
        {name} {row.unit && <small>{row.unit}</small>}
      </figcaption>
      <div>
        <span class="bounds num">
          <span>{formatShort(max)}</span>
          <span>{formatShort(min)}</span>
        </span>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={t('report.chart', {
            measure: name,
            min: formatShort(Math.min(...shown)),
            max: formatShort(Math.max(...shown))
          })}
        >
          {normalRanges.flat().map((value, index) => (
            <line key={index} class="normal" x1={0} x2={width} y1={y(value)} y2={y(value)} />
          ))}
          {lines.map((points, index) => (
            <g key={index}>
              <polyline points={points.map(point => point.join(',')).join(' ')} />
              {days.length <= maxDots &&
                points.map(([cx, cy]) => <circle key={cx} cx={cx} cy={cy} r={1.6} />)}
            </g>
          ))}
        </svg>
      </div>
    </figure>
  )
}
