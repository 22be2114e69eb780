/** Details of an event: values of its content, duration, streams, type. */
import { useMemo } from 'preact/hooks'
import { isKey, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getChoiceName, getTypeName } from '../data/event-types.js'
import type { Event, EventTypes } from '../data/model.js'
import { useStore } from '../data/store.js'
import { displayUnits } from '../data/display-units.js'
import { toPointType, getUnit, getDisplayType, formatNumber } from '../data/units.js'
import { AppLink } from '../parts/app-link.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatDateTime } from '../parts/format-time.js'
import { listFields, findSchema } from './fields.js'

/** Maximum number of characters of a displayed value. */
const maxCharacters = 300

/** Shows the details. The stored value is added if the display unit differs; duration only if there is one. */
export function EventDetails({ event, types }: { readonly event: Event; readonly types: EventTypes }) {
  const tree = useStore(useAccount().tree)
  useStore(displayUnits)
  const { content, streamIds, type } = event
  const values = useMemo(() => listValues(content, type, types), [content, type, types])
  const length = formatPeriod(event)
  const isOtherUnit = typeof content === 'number' && getDisplayType(type) !== type
  return (
    <dl class="facts">
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
      {isOtherUnit && (
        <div>
          <dt>{t('events.asGiven')}</dt>
          <dd class="num">{`${formatNumber(content)} ${getUnit(type)?.symbol ?? ''}`}</dd>
        </div>
      )}
      {length !== undefined && (
        <div>
          <dt>{t('events.lasting')}</dt>
          <dd>{length}</dd>
        </div>
      )}
      <div>
        <dt>{t(streamIds.length > 1 ? 'shell.streams' : 'events.stream')}</dt>
        <dd class="in">
          {streamIds.map(id => (
            <AppLink key={id} to={{ page: 'streams', id }}>
              {toPlainText(tree?.find(id)?.name ?? id)}
            </AppLink>
          ))}
        </dd>
      </div>
      <div>
        <dt>{t('events.type')}</dt>
        <dd>
          {getTypeName(type)} <code>{type}</code>
        </dd>
      </div>
    </dl>
  )
}

/** Formats a duration: `until 14 Nov, 19:10 (46 min)`. */
function formatPeriod({ duration, time }: Event): string | undefined {
  if (duration === null) return t('events.lasting.running')
  if (!duration) return undefined
  return t('events.untilTime', { time: formatDateTime(time + duration), length: formatDuration(duration) })
}

/** Returns the names and values of an object content; nothing for other contents. */
function listValues(
  content: unknown,
  type: string,
  types: EventTypes
): readonly (readonly [string, string])[] {
  if (typeof content !== 'object' || content === null || type.startsWith('series:')) return []
  const known = listFields(findSchema(types, toPointType(type)))
  return Object.entries(content)
    .filter(([, value]) => value !== null && value !== undefined)
    .slice(0, 50)
    .map(([key, value]) => [
      getFieldName(key),
      formatValue(
        value,
        known.some(field => field.kind === 'choice' && field.path[0] === key)
      )
    ])
}

function getFieldName(key: string): string {
  const text = `events.field.${key}`
  return isKey(text) ? t(text) : toPlainText(key).slice(0, 80)
}

function formatValue(value: unknown, isChoice: boolean): string {
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'boolean') return t(value ? 'data.yes' : 'data.no')
  const text = typeof value === 'string' ? (isChoice ? getChoiceName(value) : value) : JSON.stringify(value)
  return toPlainText(text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text)
}
