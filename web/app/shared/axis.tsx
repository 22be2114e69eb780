/** The time axis below the lanes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatTime } from '../parts/format-time.js'
import { createDayTicks, createMonthTicks, type Range, type Span } from './spans.js'

/** Shows as many ticks as fit the width; hidden from screen readers. */
export function Axis({ range, span }: { readonly range: Range; readonly span: Span }) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(480)
  useEffect(() => {
    const size = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    size.observe(box.current!)
    return () => size.disconnect()
  }, [])
  const maxTicks = Math.max(2, Math.floor(width / (span === 'week' ? 62 : 54)))
  const ticks = span === 'year' ? createMonthTicks(range, maxTicks) : createDayTicks(range, maxTicks)
  let month = -1
  return (
    <div class="axis num" aria-hidden="true">
      <div ref={box}>
        {ticks.map(tick => {
          const tickMonth = new Date(tick * 1000).getMonth()
          const isFirst = tickMonth !== month && span !== 'year'
          month = tickMonth
          const left = ((tick - range.from) / (range.to - range.from)) * 100
          return (
            <span key={tick} class={isFirst ? 'first' : undefined} style={{ insetInlineStart: `${left}%` }}>
              {formatTime(tick, {
                ...(span === 'week' ? { weekday: 'short' } : {}),
                ...(span === 'year' ? {} : { day: 'numeric' }),
                ...(isFirst || span === 'year' ? { month: 'short' } : {})
              })}
            </span>
          )
        })}
      </div>
    </div>
  )
}
