/** The latest value of each measure in a copy of someone's data. Shows nothing without measures, or if they cannot be read. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { formatEvent } from '../data/event-types.js'
import { readFollowed } from '../data/news.js'
import { getMeasureName, type MeasureFact } from '../data/measures.js'
import type { Event } from '../data/model.js'
import { formatAgo } from '../parts/format-time.js'

/** Maximum number of measures that are listed. */
const maxMeasures = 20

/** Shows up to 20 measures, read once for each `streamId`. */
export function CopyMeasures({ streamId }: { readonly streamId: string }) {
  const account = useAccount()
  const [facts, setFacts] = useState<readonly MeasureFact[]>([])
  useEffect(() => {
    readFollowed(account, streamId).then(
      ({ measureFacts }) => setFacts(measureFacts.slice(0, maxMeasures)),
      // The page is complete without these lines.
      () => undefined
    )
  }, [streamId])
  if (facts.length === 0) return null
  return (
    <>
      <h3>{t('people.latestOf')}</h3>
      <ul class="given">
        {facts.map(({ latest, measure }) => {
          const definition = account.measures.find(measure)
          return (
            definition && (
              <li key={measure}>
                <b>{getMeasureName(definition)}</b>
                <small>
                  {formatEvent(latest as unknown as Event)}, {formatAgo(latest.time)}
                </small>
              </li>
            )
          )
        })}
      </ul>
    </>
  )
}
