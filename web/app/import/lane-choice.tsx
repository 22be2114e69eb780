/** Chooses where the records of a lane go: the measure, or an existing stream. */
import { useState } from 'preact/hooks'
import { noMeasure } from '../../../schemas/measures/measure.js'
import { t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { toPointType } from '../data/units.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { StreamOptions } from '../parts/stream-options.js'
import { formatLanePath, formatStreamPath, getMeasureId, type Measures } from './lane-targets.js'
import { formatCount, type Lane, type LaneChoice } from './model.js'

interface Props {
  readonly lane: Lane
  readonly name: string
  readonly choice: LaneChoice | null | undefined
  readonly measures: Measures
  readonly onChoose: (choice: LaneChoice | null) => void
  readonly onClose: () => void
}

/** Shows the dialog. Applying calls `onChoose`, with null if nothing is chosen, which restores the default. */
export function LaneChoiceDialog({ lane, name, choice, measures, onChoose, onClose }: Props) {
  const tree = useStore(useAccount().tree)
  const [streamId, setStreamId] = useState(choice?.streamId ?? '')
  const [measure, setMeasure] = useState(choice?.measure === null ? noMeasure : (choice?.measure ?? ''))
  const shownId = measure === '' ? getMeasureId(lane, lane.choice ? undefined : choice) : measure
  const sources = (shownId === undefined ? undefined : measures.getFact(shownId)?.sources) ?? []
  return (
    <Dialog title={t('import.targetTitle', { name })} onClose={onClose}>
      <Form
        action={t('import.apply')}
        onSubmit={async () => {
          if (streamId !== '') onChoose({ streamId })
          else if (measure !== '') onChoose({ measure: measure === noMeasure ? null : measure })
          else onChoose(null)
          onClose()
          await Promise.resolve()
        }}
      >
        <FormRow
          name="stream"
          label={t('import.stream')}
          hint={
            streamId === '' && !lane.choice ? t('import.storedIn', { path: formatLanePath(tree, lane) }) : ''
          }
        >
          {controlProps => (
            <select
              {...controlProps}
              value={streamId}
              onChange={event => setStreamId(event.currentTarget.value)}
            >
              <option value="">{t('import.ownStream')}</option>
              <StreamOptions chosen={streamId} />
            </select>
          )}
        </FormRow>
        {streamId === '' && (
          <FormRow name="measure" label={t('import.measure')}>
            {controlProps => (
              <select
                {...controlProps}
                value={measure}
                onChange={event => setMeasure(event.currentTarget.value)}
              >
                <option value="">{t('import.asFound')}</option>
                <option value={noMeasure}>{t('import.noMeasure')}</option>
                {measures.listOfType(toPointType(lane.type)).map(each => (
                  <option key={each.id} value={each.id}>
                    {each.name}
                  </option>
                ))}
              </select>
            )}
          </FormRow>
        )}
        {streamId === '' && sources.length > 0 && (
          <div class="sources">
            <p>{t('import.sourcesSoFar')}</p>
            <ul>
              {sources.map(source => (
                <li key={`${source.streamId} ${source.type}`}>
                  <span>{formatStreamPath(tree, source.streamId)}</span>
                  <span class="num">{formatCount(source.count)}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
