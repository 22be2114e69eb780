/** Asks another account for more than this one may see now. */
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { Dialog } from '../parts/dialog.js'
import { showToast } from '../parts/toast.js'
import { everything, MeasureChoice } from './measure-choice.js'
import { getStreams, types, writeEvent, type Relationship } from './people.js'

interface Props {
  readonly relationship: Relationship
  /** What may be seen now. */
  readonly current: readonly { readonly streamId: string; readonly level: string }[]
  readonly onClose: () => void
}

/**
 * Shows the dialog. Sending asks for the chosen measures in addition to `current`; nothing chosen is refused
 * with a message.
 */
export function AskMore({ relationship, current, onClose }: Props) {
  const account = useAccount()
  const [measures, setMeasures] = useState<readonly AnyMeasure[]>([])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    account.measures.readAll().then(setMeasures, () => undefined)
  }, [])
  return (
    <Dialog title={t('people.askMore')} onClose={onClose}>
      <Form
        action={t('people.sendRequest')}
        onSubmit={async ({ message = '' }) => {
          if (chosen.size === 0) throw new Refusal('people-nothing', t('people.chooseSome'))
          const known = new Set(current.map(({ streamId }) => streamId))
          const asked = [...chosen].filter(id => !known.has(id))
          await writeEvent(account, getStreams(relationship).collectors, types.scopeRequest, {
            newPermissions: [
              ...current.map(({ level, streamId }) => ({ streamId, level })),
              ...asked.map(streamId => ({ streamId, level: 'read', ...nameOf(streamId, measures) }))
            ],
            ...(message.trim() !== '' && { message: message.trim() })
          })
          showToast(t('people.requestSent', { name: relationship.name }))
          onClose()
        }}
      >
        <MeasureChoice measures={measures} chosen={chosen} onChoose={setChosen} />
        <div class="field">
          <label for="ask-more-message">{t('people.reason')}</label>
          <textarea id="ask-more-message" name="message" maxLength={2000} rows={3} />
        </div>
      </Form>
    </Dialog>
  )
}

function nameOf(id: string, measures: readonly AnyMeasure[]): { readonly defaultName?: string } {
  const measure = id === everything ? undefined : measures.find(each => each.id === id)
  return measure ? { defaultName: getMeasureName(measure) } : {}
}
