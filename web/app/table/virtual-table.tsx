/** A virtualized table: only visible rows are rendered, and spacers above and below stand for the others. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { buildHref, navigate } from '../route.js'
import type { Column } from './columns.js'

interface Props {
  readonly events: readonly Event[]
  readonly columns: readonly Column[]
  /** Whether the order is ascending. */
  readonly isUp: boolean
  readonly onSort: () => void
  /** Called when the user scrolls near the end. */
  readonly onEnd: () => void
}

/** Row heights in pixels, as in the style sheet: as table rows, and as cards on phones. */
const heights = { row: 44, card: 64 }
const narrowQuery = '(max-width: 60rem)'
/** Rows rendered beyond the window; rows before the end at which more are loaded. */
const extraRows = 12
const loadAhead = 60

/** Shows the rows in view. A click opens the event's page; `onEnd` is called near the last row. */
export function VirtualTable({ events, columns, isUp, onSort, onEnd }: Props) {
  const { username } = useAccount()
  const body = useRef<HTMLTableSectionElement>(null)
  const [from, setFrom] = useState(0)
  const [count, setCount] = useState(40)
  const [height, setHeight] = useState(heights.row)
  useEffect(() => {
    const update = (): void => {
      const { row, card } = heights
      const rowHeight = matchMedia(narrowQuery).matches ? card : row
      setHeight(rowHeight)
      // Events may still fire while the rows are being removed.
      if (!body.current) return
      const { top } = body.current.getBoundingClientRect()
      setFrom(Math.max(0, Math.floor(-top / rowHeight) - extraRows))
      setCount(Math.ceil(innerHeight / rowHeight) + 2 * extraRows)
    }
    update()
    addEventListener('scroll', update, { passive: true })
    addEventListener('resize', update)
    return () => {
      removeEventListener('scroll', update)
      removeEventListener('resize', update)
    }
  }, [])
  const until = Math.min(from + count, events.length)
  useEffect(() => {
    if (until > events.length - loadAhead) onEnd()
  }, [until, events.length])
  return (
    <div class="card sheet">
      <table role="table" aria-rowcount={events.length + 1}>
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {columns.map(({ key, title, isNumber = false }) => (
              <th
                key={key}
                role="columnheader"
                scope="col"
                class={getCellClass(key, isNumber)}
                {...(key === 'time' ? { 'aria-sort': isUp ? 'ascending' : 'descending' } : {})}
              >
                {key === 'time' ? (
                  <button type="button" title={t('table.sortTime')} onClick={onSort}>
                    {title}
                    <Icon name={isUp ? 'up' : 'down'} />
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body}>
          <Spacer height={from * height} columns={columns.length} />
          {events.slice(from, until).map((event, index) => (
            <tr
              key={event.id}
              role="row"
              aria-rowindex={from + index + 2}
              onClick={({ target }) => {
                if (!(target as Element).closest('a'))
                  navigate(buildHref(username, { page: 'events', id: event.id }))
              }}
            >
              {columns.map(({ key, title, text, isNumber = false }) => (
                <td key={key} role="cell" class={getCellClass(key, isNumber)} data-title={title}>
                  {key === 'time' ? (
                    <AppLink to={{ page: 'events', id: event.id }}>{text(event)}</AppLink>
                  ) : (
                    text(event)
                  )}
                </td>
              ))}
            </tr>
          ))}
          <Spacer height={(events.length - until) * height} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}

/** A spacer for rows that are not rendered. `height` is in pixels. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true" class="room">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  )
}

function getCellClass(key: string, isNumber: boolean): string {
  return `${key.split('.')[0]!}${isNumber ? ' num' : ''}`
}
