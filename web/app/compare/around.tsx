/** Compares the days before events with those after them. (docs/api/measure-methods.md#before-and-after) */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getTypeName } from '../data/event-types.js'
import { formatMeasureNumber, getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { joinQuantity } from '../data/units.js'
import { formatDuration } from '../parts/format-duration.js'

interface Side {
  readonly count: number
  readonly median?: number
}

interface Around {
  readonly events: number
  readonly before: Side
  readonly after: Side
  readonly difference?: { readonly value: number; readonly low?: number; readonly high?: number }
  readonly warnings: readonly ('few' | 'overlapping' | 'truncated')[]
}

const dayChoices = [7, 14, 30]

/**
 * Shows the choice of events and number of days, and the result in a sentence; no result until events are
 * chosen, or if reading fails.
 */
export function BeforeAndAfter({ measure }: { readonly measure: AnyMeasure }) {
  const account = useAccount()
  const facts = useStore(account.facts).filter(({ type }) => !type.startsWith('series:'))
  const tree = useStore(account.tree)
  const [kind, setKind] = useState('')
  const [days, setDays] = useState(14)
  const [around, setAround] = useState<Around>()
  useEffect(() => {
    setAround(undefined)
    const [type, streamId] = [kind.slice(0, kind.indexOf(' ')), kind.slice(kind.indexOf(' ') + 1)]
    if (kind === '') return undefined
    let isGone = false
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    account.client
      .call<{ around: readonly Around[] }>('measures.around', {
        measure: measure.id,
        streamId,
        type,
        before: days,
        after: days,
        zone
      })
      .then(
        found => {
          if (!isGone) setAround(found.around[0])
        },
        // The stream may be gone by now: then nothing is shown.
        () => undefined
      )
    return () => {
      isGone = true
    }
  }, [account, kind, days, measure.id])
  return (
    <section class="card around" aria-labelledby="around">
      <h2 id="around">{t('compare.around')}</h2>
      <div class="choices">
        <label>
          <span>{t('compare.events')}</span>
          <select value={kind} onChange={event => setKind(event.currentTarget.value)}>
            <option value="">–</option>
            {facts.map(({ streamId, type }) => (
              <option key={`${type} ${streamId}`} value={`${type} ${streamId}`}>
                {`${toPlainText(tree?.find(streamId)?.name ?? streamId)}: ${getTypeName(type)}`}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t('compare.aroundDays')}</span>
          <select value={days} onChange={event => setDays(Number(event.currentTarget.value))}>
            {dayChoices.map(count => (
              <option key={count} value={count}>
                {count}
              </option>
            ))}
          </select>
        </label>
      </div>
      {kind === '' && <p class="hint">{t('compare.aroundLead')}</p>}
      {around && (
        <div role="status">
          <p class="words">{describeAround(around, measure)}</p>
          <p class="hint">
            {[
              t('compare.eventCount', { count: around.events }),
              ...around.warnings.map(each => t(`compare.${each}`))
            ].join(' ')}
          </p>
        </div>
      )}
    </section>
  )
}

/** Describes how a measure differs after events: as higher or lower only if the difference is certain. */
function describeAround({ after, before, difference }: Around, measure: AnyMeasure): string {
  const name = getMeasureName(measure)
  if (before.median === undefined || after.median === undefined || !difference)
    return t('compare.noneAround', { name })
  const { high, low } = difference
  const isClear = low !== undefined && high !== undefined && (low > 0 || high < 0)
  const direction = isClear ? (low > 0 ? 'higher' : 'lower') : 'same'
  return t(`compare.after.${direction}`, {
    name,
    before: formatMeasured(measure, before.median),
    after: formatMeasured(measure, after.median)
  })
}

function formatMeasured(measure: AnyMeasure, value: number): string {
  return measure.kind === 'span'
    ? formatDuration(value)
    : joinQuantity(formatMeasureNumber(measure, value, { isRounded: true }))
}
