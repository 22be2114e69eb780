/** A scatter chart: a dot for each day, at the values of both measures. */
import { getLocale, t } from '../../language.js'
import { formatMeasureNumber, getMeasureColour, getMeasureName, type AnyMeasure } from '../data/measures.js'
import { getUnitSymbol } from '../data/format-values.js'
import { joinQuantity } from '../data/units.js'
import { formatDuration } from '../parts/format-duration.js'
import type { Pair } from './comparison.js'

interface Props {
  readonly pairs: readonly Pair[]
  readonly measures: readonly [AnyMeasure, AnyMeasure]
}

/** Size of the drawing, in its own units. */
const width = 320
const height = 240
const margin = 10

/** Shows the chart; its axes span the smallest to the largest value of `pairs`. */
export function Scatter({ pairs, measures }: Props) {
  const [a, b] = measures
  const [x, y] = [0, 1].map(index => createScale(pairs.map(({ values }) => values[index]!))) as [Scale, Scale]
  return (
    <figure class="card scatter">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={describePairs(measures, pairs.length)}>
        <path class="frame" d={`M${margin} ${margin}V${height - margin}H${width - margin}`} />
        {pairs.map(({ day, values }) => (
          <circle
            key={day}
            cx={margin + x.at(values[0]) * (width - 2 * margin)}
            cy={height - margin - y.at(values[1]) * (height - 2 * margin)}
            r="3"
            style={{ '--c': getMeasureColour(b) }}
          >
            <title>
              {day}: {formatMeasured(a, values[0])}, {formatMeasured(b, values[1])}
            </title>
          </circle>
        ))}
      </svg>
      <figcaption>
        <span>
          → {getMeasureName(a)} {formatRange(a, x)}
        </span>
        <span>
          ↑ {getMeasureName(b)} {formatRange(b, y)}
        </span>
      </figcaption>
    </figure>
  )
}

interface Scale {
  readonly min: number
  readonly max: number
  /** Returns where a value is, from 0 to 1. */
  at(value: number): number
}

function createScale(values: readonly number[]): Scale {
  const min = values.reduce((least, value) => Math.min(least, value), Infinity)
  const max = values.reduce((most, value) => Math.max(most, value), -Infinity)
  return { min, max, at: value => (max > min ? (value - min) / (max - min) : 0.5) }
}

function describePairs(measures: Props['measures'], count: number): string {
  const [a, b] = measures.map(getMeasureName) as [string, string]
  return t('compare.chart', { a, b, count })
}

function formatRange(measure: AnyMeasure, { max, min }: Scale): string {
  return Number.isFinite(min) ? `${formatMeasured(measure, min)} – ${formatMeasured(measure, max)}` : ''
}

/** Formats the value of a day: seconds of periods, the first number of pairs, the number of texts, or a number in its unit. */
function formatMeasured(measure: AnyMeasure, value: number): string {
  const { kind, types } = measure
  if (kind === 'span') return formatDuration(value)
  if (kind === 'level' || kind === 'sum')
    return joinQuantity(formatMeasureNumber(measure, value, { isRounded: true }))
  const number = new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 0 }).format(value)
  return kind === 'pair' ? joinQuantity({ value: number, unit: getUnitSymbol(types[0]!) }) : number
}
