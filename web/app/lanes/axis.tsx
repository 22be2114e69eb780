/** The time axis below the lanes. */
import type { Store } from '../data/store.js'
import { getShownWeekends, useCanvas } from './chart.js'
import type { Zones } from './calendar.js'
import { toX, type View } from './view.js'
import { placeLabels } from './tick-labels.js'
import { createTimeTicks } from './ticks.js'

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
      context.textAlign = 'center'
      const setFont = (isStrong: boolean): void => {
        context.font = `${isStrong ? 600 : 450} 11px ${font}`
      }
      const labels = placeLabels(createTimeTicks(current, plot, zones), {
        plot,
        toX: time => toX(time, current, plot),
        measure: (text, isStrong) => {
          setFont(isStrong)
          return context.measureText(text).width
        }
      })
      for (const { isStrong, text, x } of labels) {
        setFont(isStrong)
        context.fillStyle = isStrong ? colours.ink : colours.soft
        context.fillText(text, x, height / 2)
      }
    },
    view,
    [zones],
    hasGutter
  )
  return <canvas ref={canvas} aria-hidden="true" />
}
