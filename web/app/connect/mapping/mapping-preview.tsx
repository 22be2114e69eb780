/** Shows what a mapping makes of the waiting bodies. */
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../../../explain-error.js'
import { t } from '../../../language.js'
import { toPlainText } from '../../../plain-text.js'
import { useAccount } from '../../data/account.js'
import { formatContent } from '../../data/event-types.js'
import { getMeasureName, type AnyMeasure } from '../../data/measures.js'
import { formatQuantityIn, getUnit } from '../../data/units.js'
import { formatDateTime } from '../../parts/format-time.js'
import type { Connection, Mapping } from '../connections.js'

interface Props {
  readonly connection: Connection
  readonly mappings: readonly Mapping[]
  readonly measures: readonly AnyMeasure[]
}

/** A value as the service reads it. Times are in seconds. */
interface Value {
  readonly time: number
  readonly type: string
  readonly stream: string
  readonly measure?: string
  readonly content?: unknown
}

interface Read {
  readonly values: readonly Value[]
  readonly notUnderstood: Readonly<Record<string, number>>
}

const maxValues = 5
const maxTextLength = 80

/**
 * Asks the service for a preview, without storing, each time `mappings` change. Shows the first values, or why
 * there are none.
 */
export function MappingPreview({ connection: { id, waiting }, mappings, measures }: Props) {
  const { client } = useAccount()
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<Message>()
  const key = JSON.stringify(mappings)
  useEffect(() => {
    if (mappings.length === 0) return setRead(undefined)
    let isGone = false
    client.call<Read>('connections.preview', { id, mapping: mappings }).then(
      found => {
        if (isGone) return
        setRead(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (isGone) return
        setRead(undefined)
        setProblem(explainError(error).message)
      }
    )
    return () => void (isGone = true)
  }, [client, id, key, waiting.length])
  const missed = Object.values(read?.notUnderstood ?? {}).reduce((sum, count) => sum + count, 0)
  return (
    <div class="gives" role="status">
      <h3>{t('connect.map.gives')}</h3>
      {problem !== undefined && <p class="notice bad">{problem}</p>}
      {mappings.length === 0 && <p>{t('connect.map.noValue')}</p>}
      {read && read.values.length === 0 && <p>{t('connect.map.nothing')}</p>}
      {read && read.values.length > 0 && (
        <ul>
          {read.values.slice(0, maxValues).map((value, index) => (
            <li key={index}>{describe(value, measures)}</li>
          ))}
        </ul>
      )}
      {missed > 0 && <p class="hint">{t('connect.notUnderstood', { count: missed })}</p>}
    </div>
  )
}

/** Describes a value: `Weight: 71.5 kg, on 26 Nov 2026 at 08:02`. */
function describe(
  { content, measure: id, stream, time, type }: Value,
  measures: readonly AnyMeasure[]
): string {
  const measure = measures.find(each => each.id === id)
  const { value, unit } =
    typeof content === 'number' && getUnit(type)
      ? formatQuantityIn(type, type, content)
      : typeof content === 'object' && content !== null
        ? { value: formatContent(type, content), unit: '' }
        : { value: typeof content === 'string' ? content : (JSON.stringify(content) ?? '…'), unit: '' }
  return t('connect.map.value', {
    name: measure ? getMeasureName(measure) : toPlainText(stream),
    value: `${toPlainText(value.slice(0, maxTextLength))} ${unit}`.trim(),
    time: formatDateTime(time)
  })
}
