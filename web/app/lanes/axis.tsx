/** The time axis below the lanes. */
import type { Store } from '../data/store.js'
import { formatTime } from '../parts/format-time.js'
import { getShownWeekends, useCanvas } from './chart.js'
import type { Zones } from './calendar.js'
import { toX, type View } from './view.js'
import { createTimeTicks, type Tick } from './ticks.js'

interface Props {
  readonly view: Store<View>
  readonly zones: Zones
  /** Whether space is reserved for value labels, as in the lanes. */
  readonly hasGutter?: boolean
}

/** Renders the axis; fills its container. */
export function TimeAxis({ view, zones, hasGutter = true }: Props) {
  const canvas = useCanvas(
    ({ colours, context, font, height, plot }) => {
      const current = view.value
      context.fillStyle = colours.ink
      context.globalAlpha = 0.035
      for (const { from, to } of getShownWeekends(current, zones)) {
        const [left, right] = [Math.max(0, toX(from, current, plot)), Math.min(plot, toX(to, current, plot))]
        context.fillRect(left, 0, right - left, height)
      }
      context.globalAlpha = 1
      context.textBaseline = 'middle'
      let end = -Infinity
      const ticks = createTimeTicks(current, plot, zones)
      // Of two overlapping labels, the weaker one is omitted.
      const placed = ticks.map((tick, index) => {
        const isStrong = tick.isStrong || (index === 0 && tick.unit === 'day')
        const text = formatTick(tick, isStrong)
        context.font = `${isStrong ? 600 : 450} 11px ${font}`
        const width = context.measureText(text).width
        const x = toX(tick.time, current, plot)
        return { text, isStrong, width, x: Math.max(width / 2 + 2, Math.min(plot - width / 2, x)) }
      })
      placed.forEach(({ isStrong, text, width, x }, index) => {
        const next = placed[index + 1]
        if (x - width / 2 < end + 6) return
        if (!isStrong && next?.isStrong === true && next.x - next.width / 2 < x + width / 2 + 6) return
        context.font = `${isStrong ? 600 : 450} 11px ${font}`
        context.fillStyle = isStrong ? colours.ink : colours.soft
        context.textAlign = 'center'
        context.fillText(text, x, height / 2)
        end = x + width / 2
      })
    },
    view,
    [zones],
    hasGutter
  )
  return <canvas ref={canvas} aria-hidden="true" />
}

function formatTick({ time, unit, zone }: Tick, isStrong: boolean): string {
  const timeZone = zone
  if (unit === 'year') return formatTime(time, { year: 'numeric', timeZone })
  if (unit === 'month')
    return formatTime(time, isStrong ? { year: 'numeric', timeZone } : { month: 'short', timeZone })
  if (unit === 'day')
    return formatTime(
      time,
      isStrong ? { day: 'numeric', month: 'short', timeZone } : { day: 'numeric', timeZone }
    )
  if (isStrong) return formatTime(time, { day: 'numeric', month: 'short', timeZone })
  return formatTime(time, {
    hour: '2-digit',
    minute: '2-digit',
    ...(unit === 'second' ? { second: '2-digit' } : {}),
    timeZone
  })
}
