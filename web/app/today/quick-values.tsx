/**
 * Buttons that add a value with one touch: the values of an own measure, or values that were added before. Shows nothing
 * without values.
 */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { ignoreFailure, useAccount, type Account } from '../data/account.js'
import { formatMeasureNumber, getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import type { Event } from '../data/model.js'
import { joinQuantity } from '../data/units.js'
import { createEvent, createStream, trashEvent } from '../events/save-event.js'
import { showFailure, showToast } from '../parts/toast.js'
import { formatWords } from './describe-value.js'
import type { MeasureRow } from './read-today.js'

/** A content, as it is stored. */
type QuickValue = string | number | boolean

interface Props {
  readonly measure: AnyMeasure
  readonly fact: MeasureFact | undefined
  readonly rows: readonly MeasureRow[]
}

/** Categories whose values people enter themselves, and often repeat. */
const repeatedCategories = new Set(['mind', 'nutrition', 'medication', 'symptoms', 'cycle'])
const maxSuggested = 3

/** Shows the buttons. A click stores the value at once and shows a toast that can undo it. */
export function QuickValues({ measure, fact, rows }: Props) {
  const account = useAccount()
  const [isBusy, setBusy] = useState(false)
  const values = listQuickValues(measure, fact, rows)
  if (values.length === 0) return null
  const add = async (value: QuickValue): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      const event = await addValue(account, measure, fact, value)
      ignoreFailure(account.readFacts())
      const what = `${getMeasureName(measure)}: ${formatQuick(measure, fact, value)}`
      showToast(t('today.added', { what }), async () => await trashEvent(account, event.id))
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <p class="quick">
      {values.map(value => {
        const text = formatQuick(measure, fact, value)
        return (
          <button
            key={text}
            type="button"
            aria-label={t('today.addQuick', { value: text, name: getMeasureName(measure) })}
            aria-disabled={isBusy}
            onClick={() => void add(value)}
          >
            + {text}
          </button>
        )
      })}
    </p>
  )
}

/** Returns the values to offer, as they are stored. */
function listQuickValues(
  measure: AnyMeasure,
  fact: MeasureFact | undefined,
  rows: readonly MeasureRow[]
): readonly QuickValue[] {
  if ('quickValues' in measure && measure.quickValues) return measure.quickValues
  if (!fact || !('category' in measure) || !repeatedCategories.has(measure.category)) return []
  const { content, type } = fact.latest
  if (type.startsWith('series:')) return []
  if (typeof content === 'boolean') return [true]
  if (typeof content === 'string') return measure.choices ? [content] : []
  if (typeof content !== 'number') return []
  // Days with one value tell what it was. Numbers of days are in the first type of the measure.
  const earlier =
    type === measure.types[0]
      ? rows
          .toReversed()
          .flatMap(({ count, value }) => (count === 1 && typeof value === 'number' ? [value] : []))
      : []
  return [...new Set([content, ...earlier])].slice(0, maxSuggested).toSorted((a, b) => a - b)
}

/** Adds a value now: in the stream of the latest one, or in a new stream. */
async function addValue(
  account: Account,
  measure: AnyMeasure,
  fact: MeasureFact | undefined,
  content: QuickValue
): Promise<Event> {
  const { streamId, type } =
    fact && !fact.latest.type.startsWith('series:')
      ? fact.latest
      : {
          streamId: (await createStream(account, { name: getMeasureName(measure), measure: measure.id })).id,
          type: measure.types[0]!
        }
  // A medicine is named in the description.
  const description =
    'category' in measure && measure.category === 'medication' ? await readDescription() : ''
  const time = Date.now() / 1000
  return await createEvent(account, {
    type,
    content,
    time,
    duration: undefined,
    streamIds: [streamId],
    description
  })

  async function readDescription(): Promise<string> {
    const { events } = await account.client.call<{ events: readonly Event[] }>('events.get', {
      streams: [streamId],
      types: [type],
      limit: 1
    })
    return events[0]?.description ?? ''
  }
}

function formatQuick(measure: AnyMeasure, fact: MeasureFact | undefined, value: QuickValue): string {
  const words = formatWords(measure, value)
  if (words !== undefined) return words
  const type = fact && !fact.latest.type.startsWith('series:') ? fact.latest.type : measure.types[0]!
  return joinQuantity(formatMeasureNumber(measure, Number(value), { type }))
}
