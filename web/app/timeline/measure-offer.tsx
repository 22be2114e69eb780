/** Asks once which measure a lane shows, if its type alone does not tell. */
import { useEffect, useState } from 'preact/hooks'
import { measureKey } from '../../../schemas/measures/measure.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { toPointType } from '../data/units.js'
import { getMeasureLaneId } from '../lanes/plan-measure.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { Icon } from '../parts/icon.js'
import { MeasureDialog } from '../shell/measure-dialog.js'
import { updateStream } from '../data/update-stream.js'

interface Props {
  readonly plan: LanePlan
  /** Shows these lanes instead. */
  readonly onReplace: (ids: readonly string[]) => void
}

/** An empty mark of a stream counts as none, but the user has been asked. */
const noMeasure = ''

/**
 * Shows the question to the owner, for one unmarked stream that a measure fits; otherwise nothing. Dismissing
 * marks the stream as having no measure.
 */
export function MeasureOffer({ plan, onReplace }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const measureFacts = useStore(account.measureFacts)
  const [isFitting, setFitting] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const { kind, streamIds, types } = plan
  const [streamId] = streamIds
  const [type] = types
  const stream = streamIds.length === 1 ? tree?.find(streamId!) : undefined
  const isUnmarked =
    stream && tree!.getPath(stream.id).every(each => each.clientData?.[measureKey] === undefined)
  const isMeasured = measureFacts.some(({ sources }) =>
    sources.some(source => source.streamId === streamId && source.type === type)
  )
  const isOpen = account.isOwner && kind !== 'marks' && isUnmarked === true && !isMeasured
  useEffect(() => {
    if (!isOpen) return undefined
    let isCurrent = true
    account.measures.readAll().then(
      all => isCurrent && setFitting(all.some(measure => measure.types.includes(toPointType(type!)))),
      // The question can wait.
      () => undefined
    )
    return () => {
      isCurrent = false
    }
  }, [isOpen, type, account])
  /** Shows the lane of the measure that the user has chosen. */
  const finish = (): void => {
    setChoosing(false)
    const mark = account.tree.value?.find(streamId!)?.clientData?.[measureKey]
    if (typeof mark === 'string' && mark !== noMeasure) onReplace([getMeasureLaneId(mark)])
  }
  if (isChoosing && stream) return <MeasureDialog stream={stream} onClose={finish} />
  if (!isOpen || !isFitting) return null
  return (
    <p class="offer">
      <button type="button" class="text" onClick={() => setChoosing(true)}>
        {t('timeline.whichMeasure')}
      </button>
      <button
        type="button"
        class="round"
        aria-label={t('timeline.noMeasure')}
        onClick={() =>
          void updateStream(account, stream, { clientData: { [measureKey]: noMeasure } }).catch(
            () => undefined
          )
        }
      >
        <Icon name="close" />
      </button>
    </p>
  )
}
