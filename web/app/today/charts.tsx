/** Small charts of a card: a line of the last 28 days, bars of the last seven. */
import type { DayValue } from './goals.js'

interface Props {
  readonly values: readonly DayValue[]
  /** Days since 1 January 1970. */
  readonly today: number
  /** What the chart shows, for screen readers. */
  readonly label: string
}

const height = 28
const barDays = 7

/**
 * A line through the days that have a value, with a dot at the latest one. Renders nothing for fewer than
 * three days.
 */
export function Sparkline({ values, today, label, days }: Props & { readonly days: number }) {
  const shown = values.filter(({ number }) => number >= today - days)
  if (shown.length < 3) return null
  const numbers = shown.map(({ value }) => value)
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const toX = (number: number): number => 3 + ((number - (today - days)) / days) * 94
  const toY = (value: number): number =>
    // Halves: the difference may be too large for a number.
    high === low ? height / 2 : height - 3 - ((value / 2 - low / 2) / (high / 2 - low / 2)) * (height - 6)
  const points = shown.map(({ number, value }) => `${toX(number).toFixed(1)},${toY(value).toFixed(1)}`)
  const last = shown.at(-1)!
  return (
    <svg class="spark" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
      {/* A line without length, with round ends: a circle would be stretched. */}
      <path class="end" d={`M${toX(last.number)} ${toY(last.value)}h0`} />
    </svg>
  )
}

/** A bar for each of the last seven days. Renders nothing if all are zero. */
export function Bars({ values, today, label }: Props) {
  const days = Array.from({ length: barDays }, (_, index) => {
    const number = today - barDays + 1 + index
    return { number, value: Math.max(0, values.find(each => each.number === number)?.value ?? 0) }
  })
  const high = Math.max(...days.map(({ value }) => value))
  if (high === 0) return null
  return (
    <svg class="spark" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {days.map(({ number, value }, index) => {
        const size = Math.max(value > 0 ? 1.5 : 0.5, (value / high) * height)
        return (
          <rect
            key={number}
            class={number === today ? 'now' : undefined}
            x={index * (100 / barDays) + 2}
            y={height - size}
            width={100 / barDays - 4}
            height={size}
          />
        )
      })}
    </svg>
  )
}
