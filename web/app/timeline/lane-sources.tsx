/** The dialog with the sources of a measure's lane, which the user puts in order of preference. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import { formatReadings } from '../data/format-values.js'
import { useStore } from '../data/store.js'
import { getSourceName } from '../lanes/plan-measure.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { AppLink } from '../parts/app-link.js'
import { Dialog } from '../parts/dialog.js'
import { formatDay } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'

interface Props {
  readonly plan: LanePlan
  readonly onClose: () => void
}

/** Key in the private profile set: ids of streams by id of the measure. (docs/api/measure-methods.md#order-of-sources) */
const orderKey = 'coffer:sources'

/** A stream that holds data of the measure, of one or several types. */
interface Source {
  readonly streamId: string
  readonly count: number
  readonly first: number
}

/**
 * Lists the sources. The owner's order is stored in the profile, and facts are read again; guests cannot change
 * it.
 */
export function LaneSources({ plan, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const profile = useStore(account.profile)
  const [problem, setProblem] = useState<Message>()
  const { measure, name } = plan
  const sources = listSources(plan)
  const move = async (streamId: string, to: number): Promise<void> => {
    const others = sources.map(source => source.streamId).filter(id => id !== streamId)
    const order = [...others.slice(0, to), streamId, ...others.slice(to)]
    const before = profile[orderKey]
    const all = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {}
    try {
      await account.updateProfile({ [orderKey]: { ...all, [measure!.definition.id]: order } })
      await account.readFacts()
    } catch (error) {
      setProblem(explainError(error).message)
    }
  }
  return (
    <Dialog title={t('timeline.sourcesOf', { name })} onClose={onClose}>
      {sources.length > 1 && <p class="hint">{t('timeline.sourcesHint')}</p>}
      {problem !== undefined && <ReadProblem message={problem} />}
      <ol class="timeline-sources">
        {sources.map(({ count, first, streamId }, index) => {
          const source = tree ? getSourceName(streamId, tree) : streamId
          return (
            <li key={streamId}>
              <span>
                <AppLink to={{ page: 'streams', id: streamId }}>{source}</AppLink>
                <small class="num">
                  {formatReadings(count)}, {t('timeline.sourceSince', { date: formatDay(first) })}
                </small>
              </span>
              {account.isOwner && sources.length > 1 && (
                <>
                  <button
                    type="button"
                    class="round"
                    disabled={index === 0}
                    aria-label={t('timeline.preferMore', { name: source })}
                    onClick={() => void move(streamId, index - 1)}
                  >
                    <Icon name="up" />
                  </button>
                  <button
                    type="button"
                    class="round"
                    disabled={index === sources.length - 1}
                    aria-label={t('timeline.preferLess', { name: source })}
                    onClick={() => void move(streamId, index + 1)}
                  >
                    <Icon name="down" />
                  </button>
                </>
              )}
            </li>
          )
        })}
      </ol>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          {t('timeline.done')}
        </button>
      </div>
    </Dialog>
  )
}

/** Returns the streams of a lane in order of preference. */
function listSources({ measure }: LanePlan): Source[] {
  const byStream = new Map<string, Source>()
  for (const { count, first, streamId } of measure?.sources ?? []) {
    const known = byStream.get(streamId)
    byStream.set(streamId, {
      streamId,
      count: count + (known?.count ?? 0),
      first: Math.min(first, known?.first ?? Infinity)
    })
  }
  return [...byStream.values()]
}
