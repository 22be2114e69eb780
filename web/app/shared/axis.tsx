/** The time axis below the lanes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatted } from '../parts/time.js'
import { dayTicks, monthTicks, type Range, type Span } from './spans.js'

export function Axis({ range, span }: { readonly range: Range; readonly span: Span }) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(480)
  useEffect(() => {
    const size = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    size.observe(box.current!)
    return () => size.disconnect()
  }, [])
  const most = Math.max(2, Math.floor(width / (span === 'week' ? 62 : 54)))
  const ticks = span === 'year' ? monthTicks(range, most) : dayTicks(range, most)
  let month = -1
  return (
    <div class="axis num" aria-hidden="true">
      <div ref={box}>
        {ticks.map(tick => {
          const own = new Date(tick * 1000).getMonth()
          const isFirst = own !== month && span !== 'year'
          month = own
          const left = ((tick - range.from) / (range.to - range.from)) * 100
          return (
            <span key={tick} class={isFirst ? 'first' : undefined} style={{ insetInlineStart: `${left}%` }}>
              {formatted(tick, {
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
