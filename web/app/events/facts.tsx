/** Details of an event: values of its content, duration, streams, type. */
import { useMemo } from 'preact/hooks'
import { isKey, t } from '../../language.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import { choiceName, typeName } from '../data/event-types.js'
import type { Event, EventTypes } from '../data/model.js'
import { useStore } from '../data/store.js'
import { unitWishes } from '../data/unit-wishes.js'
import { plainType, unitOf, wishedType, written } from '../data/units.js'
import { Go } from '../parts/go.js'
import { lengthInWords } from '../parts/lengths.js'
import { dayAndTime } from '../parts/time.js'
import { fieldsOf, schemaOf } from './fields.js'

/** Maximum characters of a displayed value. */
const maxCharacters = 300

export function Facts({ event, types }: { readonly event: Event; readonly types: EventTypes }) {
  const tree = useStore(useAccount().tree)
  useStore(unitWishes)
  const { content, streamIds, type } = event
  const values = useMemo(() => listValues(content, type, types), [content, type, types])
  const length = formatPeriod(event)
  const isOtherUnit = typeof content === 'number' && wishedType(type) !== type
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
          <dd class="num">{`${written(content)} ${unitOf(type)?.symbol ?? ''}`}</dd>
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
            <Go key={id} to={{ page: 'streams', id }}>
              {plain(tree?.find(id)?.name ?? id)}
            </Go>
          ))}
        </dd>
      </div>
      <div>
        <dt>{t('events.type')}</dt>
        <dd>
          {typeName(type)} <code>{type}</code>
        </dd>
      </div>
    </dl>
  )
}

/** Formats a duration: `until 14 Nov, 19:10 (46 min)`. */
function formatPeriod({ duration, time }: Event): string | undefined {
  if (duration === null) return t('events.lasting.running')
  if (!duration) return undefined
  return t('events.untilTime', { time: dayAndTime(time + duration), length: lengthInWords(duration) })
}

/** Returns the names and values of an object content; nothing for other contents. */
function listValues(
  content: unknown,
  type: string,
  types: EventTypes
): readonly (readonly [string, string])[] {
  if (typeof content !== 'object' || content === null || type.startsWith('series:')) return []
  const known = fieldsOf(schemaOf(types, plainType(type)))
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
  return isKey(text) ? t(text) : plain(key).slice(0, 80)
}

function formatValue(value: unknown, isChoice: boolean): string {
  if (typeof value === 'number') return written(value)
  if (typeof value === 'boolean') return t(value ? 'data.yes' : 'data.no')
  const text = typeof value === 'string' ? (isChoice ? choiceName(value) : value) : JSON.stringify(value)
  return plain(text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text)
}
