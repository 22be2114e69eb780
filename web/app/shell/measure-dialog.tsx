/** Chooses the measure to which the events of a stream belong. */
import { measureKey, noMeasure } from '../../../schemas/measures/measure.js'
import { getLocale, t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { getMeasureName } from '../data/measures.js'
import type { Stream } from '../data/model.js'
import { toPointType } from '../data/units.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { showToast } from '../parts/toast.js'
import { updateStream } from '../data/update-stream.js'

interface Props {
  readonly stream: Stream
  readonly onClose: () => void
}

/**
 * Shows the choice, limited to measures that fit the stream's types. Saving marks the stream and shows a toast
 * that can undo it.
 */
export function MeasureDialog({ stream, onClose }: Props) {
  const account = useAccount()
  const { read: measures, problem } = useReading(async () => await account.measures.readAll())
  const mark = stream.clientData?.[measureKey]
  const current = typeof mark === 'string' ? mark : ''
  const streamIds = new Set(account.tree.value?.listSubtreeIds(stream.id))
  const facts = account.facts.value.filter(({ streamId }) => streamIds.has(streamId))
  const types = new Set(facts.map(({ type }) => toPointType(type)))
  // An empty stream may become anything.
  const choices = measures
    ?.filter(({ id, types: own }) => types.size === 0 || id === current || own.some(type => types.has(type)))
    .map(measure => ({ id: measure.id, name: getMeasureName(measure) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, getLocale()))
  const isUnknown = current !== '' && choices?.every(({ id }) => id !== current) === true
  return (
    <Dialog title={t('streams.measureTitle', { stream: toPlainText(stream.name) })} onClose={onClose}>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!choices && problem === undefined && <Skeleton kind="rows" />}
      {choices && (
        <Form
          action={t('shell.save')}
          onSubmit={async ({ measure = '' }) => {
            const undo = await updateStream(account, stream, {
              clientData: { [measureKey]: measure === '' ? null : measure }
            })
            onClose()
            showToast(t('streams.measureChanged'), undo)
          }}
        >
          <FormRow name="measure" label={t('streams.measure')} hint={t('streams.measureHint')}>
            {controlProps => (
              <select {...controlProps}>
                <option value="">{t('streams.measureAuto')}</option>
                {isUnknown && (
                  <option value={current} selected>
                    {current === noMeasure ? t('streams.measureNone') : toPlainText(current)}
                  </option>
                )}
                {choices.map(({ id, name }) => (
                  <option key={id} value={id} selected={id === current}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </FormRow>
        </Form>
      )}
    </Dialog>
  )
}
