/** The user's own measures: making, changing and removing them. Shows nothing to guests. */
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type OwnMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { Icon } from '../parts/icon.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { showToast } from '../parts/toast.js'
import { addModuleTexts } from '../texts.js'
import { describeUnit, MeasureForm } from './measure-form.js'
import {
  createMeasureId,
  emptyDraft,
  maxOwn,
  removeMeasure,
  saveMeasure,
  toDraft,
  toMeasure
} from './own-measures.js'
import './style.css'

/**
 * Shows the list and the form; a new measure only below the maximum number. Removing shows a toast that can
 * undo it.
 */
export default function Measures() {
  const account = useAccount()
  const facts = useStore(account.measureFacts)
  const profile = useStore(account.profile)
  const [own, setOwn] = useState<readonly OwnMeasure[]>()
  const [problem, setProblem] = useState<Message>()
  /** The measure that is changed; `new` while one is made. */
  const [edited, setEdited] = useState<OwnMeasure | 'new'>()
  const fail = (error: unknown): void => setProblem(explainError(error).message)
  const read = async (): Promise<void> => {
    // Problems of the form's fields are in the texts of the forms for events.
    const [all] = await Promise.all([account.measures.readAll(), addModuleTexts('events')])
    setOwn(all.filter((measure): measure is OwnMeasure => 'name' in measure))
    setProblem(undefined)
  }
  useEffect(() => {
    document.title = t('measures.title')
    if (account.isOwner) read().catch(fail)
  }, [account, profile])
  // A shared link has no profile.
  if (!account.isOwner) return null
  const remove = async (measure: OwnMeasure): Promise<void> => {
    const restore = await removeMeasure(account, measure)
    await read()
    showToast(t('measures.removed', { name: getMeasureName(measure) }), async () => {
      await restore()
      await read()
    })
  }
  const before = edited === 'new' ? undefined : edited
  return (
    <div class="column">
      <header class="head">
        <div>
          <h1>{t('measures.title')}</h1>
          <p class="lead">{t('measures.lead')}</p>
        </div>
        <button
          type="button"
          class="button primary"
          disabled={!own || own.length >= maxOwn}
          onClick={() => setEdited('new')}
        >
          <Icon name="plus" />
          {t('measures.create')}
        </button>
      </header>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!own && problem === undefined && <Skeleton kind="rows" />}
      {own?.length === 0 && <p class="card hint">{t('measures.none')}</p>}
      {own && own.length > 0 && (
        <ul class="card own">
          {own.map(measure => (
            <li key={measure.id}>
              <MeasureIcon icon={measure.icon} hue={measure.hue} />
              <p>
                <b>{getMeasureName(measure)}</b>
                <small>{describeMeasure(measure)}</small>
              </p>
              <button
                type="button"
                class="round"
                aria-label={t('measures.changeNamed', { name: getMeasureName(measure) })}
                onClick={() => setEdited(measure)}
              >
                <Icon name="edit" />
              </button>
              <button
                type="button"
                class="round"
                aria-label={t('measures.removeNamed', { name: getMeasureName(measure) })}
                onClick={() => void remove(measure).catch(fail)}
              >
                <Icon name="trash" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {edited !== undefined && (
        <MeasureForm
          title={t(before ? 'measures.change' : 'measures.create')}
          draft={before ? toDraft(before) : emptyDraft}
          hasData={facts.some(({ measure }) => measure === before?.id)}
          onSave={async draft => {
            await saveMeasure(account, toMeasure(draft, before?.id ?? createMeasureId(), before))
            await read()
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  )
}

/** Describes what is recorded: `Number, in kilograms (kg)`, `Scale from 1 to 5`. */
function describeMeasure(measure: OwnMeasure): string {
  const { form, from, to, type } = toDraft(measure)
  if (form === 'scale') return t('measures.scaleOf', { from: String(from), to: String(to) })
  const words = t(`measures.form.${form}`)
  return form === 'yesNo' ? words : `${words} · ${describeUnit(type)}`
}
