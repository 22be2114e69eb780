/** The form that comes with a request: choosing it, and telling the person who is asked. (docs/api/forms.md#forms-of-requests) */
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Schedule } from '../shell/describe-schedule.js'
import { FileDropzone } from '../parts/file-dropzone.js'
import { addModuleTexts } from '../texts.js'

/** The member of a request, and of its offer. */
export const formKey = 'coffer:form'
/** The stream of the answers, where the person who is asked chooses no other. */
const answersId = 'form-answers'

interface OfferedForm {
  readonly questionnaire: Readonly<Record<string, unknown>>
  readonly streamId: string
  readonly schedule?: Schedule
}

interface FieldProps {
  readonly file: File | undefined
  readonly onFile: (file: File | undefined) => void
}

/** A field for a file with a questionnaire. */
export function FormField({ file, onFile }: FieldProps) {
  return (
    <div class="field">
      <label for="form">{t('people.form')}</label>
      <FileDropzone
        label={file?.name ?? t('people.chooseFile')}
        accept=".json,application/json"
        controlProps={{ id: 'form', name: 'form', 'aria-invalid': false, 'aria-describedby': 'form-hint' }}
        onFiles={([first]) => onFile(first)}
      />
      {file && (
        <button type="button" class="button" onClick={() => onFile(undefined)}>
          {t('people.remove')}
        </button>
      )}
      <p class="hint" id="form-hint">
        {t('people.formHint')}
      </p>
    </div>
  )
}

/** Reads the chosen file; `undefined` if none is chosen. Throws `Refusal` if it has no questionnaire. */
export async function readForm(file: File | undefined): Promise<OfferedForm | undefined> {
  if (!file) return undefined
  try {
    const questionnaire = JSON.parse(await file.text()) as OfferedForm['questionnaire']
    if (questionnaire['resourceType'] === 'Questionnaire') return { questionnaire, streamId: answersId }
  } catch {
    // Reported below.
  }
  throw new Refusal('people-form', t('people.formInvalid'))
}

/** Builds the permission to ask for: to read the stream of the answers. */
export function buildAnswersPermission({ questionnaire: { title }, streamId }: OfferedForm): object {
  const defaultName = typeof title === 'string' && title !== '' ? title.slice(0, 200) : t('people.form')
  return { streamId, level: 'read', defaultName }
}

/**
 * Tells that a form comes with the request, and when the user is reminded of it; renders nothing if none does.
 */
export function FormNotice({ content }: { readonly content: object }) {
  const form = (content as Readonly<Record<string, OfferedForm | undefined>>)[formKey]
  const [when, setWhen] = useState('')
  useEffect(() => {
    if (form?.schedule) void describe(form.schedule).then(setWhen)
  }, [])
  if (!form) return null
  const { title } = form.questionnaire
  return (
    <p class="hint">
      {t('people.withForm', { title: typeof title === 'string' ? toPlainText(title) : '' })}{' '}
      {when !== '' && t('people.formSchedule', { when })}
    </p>
  )
}

async function describe(schedule: Schedule): Promise<string> {
  await addModuleTexts('reminders')
  return (await import('../shell/describe-schedule.js')).describeSchedule(schedule)
}
