/** The form of a reminder: what, when, what "done" records, and who is notified. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { ChannelChoice } from '../channels/channel-choice.js'
import { useAccount } from '../data/account.js'
import type { Schedule } from '../shell/describe-schedule.js'
import { createStream, type NewStream } from '../events/save-event.js'
import { StreamOptions } from '../parts/stream-options.js'
import { getZone, type Reminder } from './reminders.js'
import { ScheduleFields } from './schedule-fields.js'

interface Props {
  /** Undefined for a new one. */
  readonly reminder?: Reminder
  /** Of a new reminder: the form to fill in. */
  readonly formId?: string | undefined
  readonly onSave: (fields: Omit<Reminder, 'id' | 'next'>) => Promise<void>
}

/** Value of the option that creates a stream. */
const newStream = ''

/** Shows the form, filled from `reminder`. Awaits `onSave` with the fields; stores nothing itself. */
export function ReminderForm({ reminder, formId, onSave }: Props) {
  const account = useAccount()
  const [schedule, setSchedule] = useState<Schedule>(reminder?.schedule ?? { times: ['08:00'] })
  const [channelIds, setChannelIds] = useState<readonly string[]>(reminder?.channelIds ?? [])
  const known = reminder && findRecording(reminder)
  const [recordingId, setRecordingId] = useState<string>(known?.id ?? (reminder ? 'own' : 'tablets'))
  const isForm = formId !== undefined || reminder?.kind === 'form'
  const recording = isForm ? undefined : recordings.find(({ id }) => id === recordingId)
  const zone = reminder?.zone ?? getZone()
  const save = async (values: Values): Promise<void> => {
    const name = values['name']!
    const event = recording
      ? buildEvent(recording, values['entry'] ?? '')
      : (reminder?.event ?? { type: 'questionnaire/response' })
    const streamId =
      values['streamId'] === newStream && recording
        ? (await createStream(account, buildStream(recording, name))).id
        : values['streamId']!
    await onSave({
      name,
      kind: isForm ? 'form' : (values['kind'] as Reminder['kind']),
      ...(formId !== undefined && { formId }),
      schedule,
      zone: values['zone'] ?? zone,
      streamId,
      event,
      channelIds,
      repeats: Number(values['repeats']),
      isActive: values['isActive'] === 'on',
      showsName: values['showsName'] === 'on'
    })
  }
  return (
    <Form action={t('shell.save')} onSubmit={save}>
      <Field
        name="name"
        label={t('reminders.name')}
        input={{ defaultValue: reminder?.name ?? '', maxLength: 200 }}
      />
      {!isForm && (
        <Choice
          name="kind"
          label={t('reminders.kind')}
          value={reminder?.kind ?? 'medication'}
          options={(['medication', 'habit'] as const).map(each => [each, t(`reminders.kind.${each}`)])}
        />
      )}
      <ScheduleFields value={schedule} onChange={setSchedule} />
      {zone !== getZone() && (
        <Choice
          name="zone"
          label={t('reminders.zone')}
          value={zone}
          options={[zone, getZone()].map(each => [each, each])}
        />
      )}
      {!isForm && (
        <div class="field">
          <label for="recording">{t('reminders.records')}</label>
          <select id="recording" onChange={event => setRecordingId(event.currentTarget.value)}>
            {reminder && !known && (
              <option value="own" selected>
                {reminder.event.type}
              </option>
            )}
            {recordings.map(({ id }) => (
              <option key={id} value={id} selected={id === recordingId}>
                {t(`reminders.records.${id}`)}
              </option>
            ))}
          </select>
        </div>
      )}
      {recording?.entry !== undefined && (
        <Field
          key={recording.id}
          name="entry"
          label={t(`reminders.entry.${recording.entry}`)}
          input={{
            defaultValue:
              known === recording ? String(reminder!.event.content) : recording.entry === 'number' ? '1' : '',
            ...(recording.entry === 'number' && { inputMode: 'numeric' })
          }}
        />
      )}
      <div class="field">
        <label for="streamId">{t('reminders.stream')}</label>
        <select id="streamId" name="streamId">
          {recording && <option value={newStream}>{t('reminders.newStream')}</option>}
          <StreamOptions chosen={reminder?.streamId} />
        </select>
      </div>
      <ChannelChoice value={channelIds} onChange={setChannelIds} />
      <Choice
        name="repeats"
        label={t('reminders.repeats')}
        value={String(reminder?.repeats ?? 0)}
        options={['0', '1', '2', '3', '4', '5'].map(each => [
          each,
          t('reminders.repeatCount', { count: Number(each) })
        ])}
      />
      <Tick name="showsName" label={t('reminders.showsName')} value={reminder?.showsName ?? false} />
      <Tick name="isActive" label={t('reminders.isActive')} value={reminder?.isActive ?? true} />
    </Form>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
}

/** Shows a labelled choice of the form. `options`: values with their texts. */
function Choice({ name, label, value, options }: ChoiceProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

interface TickProps {
  readonly name: string
  readonly label: string
  readonly value: boolean
}

function Tick({ name, label, value }: TickProps) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} defaultChecked={value} />
      <span>{label}</span>
    </label>
  )
}

/** A kind of event. Its id is also part of a text key. */
interface Recording {
  readonly id: 'note' | 'tablets' | 'mg' | 'taken' | 'activity'
  readonly type: string
  /** Measure of the stream that is created for it. */
  readonly measure?: string
  /** What is entered; `undefined` if nothing is. */
  readonly entry?: 'text' | 'number'
}

const recordings: readonly Recording[] = [
  { id: 'tablets', type: 'count/generic', measure: 'tablets', entry: 'number' },
  { id: 'mg', type: 'mass/mg', entry: 'number' },
  { id: 'taken', type: 'boolean/bool', measure: 'medication-taken' },
  { id: 'note', type: 'note/txt', measure: 'medication', entry: 'text' },
  { id: 'activity', type: 'activity/plain' }
]

/** Returns the event for an entry: a number, a text, or `true`, or none for kinds without content. */
function buildEvent({ entry, type }: Recording, text: string): Reminder['event'] {
  if (entry === 'number') return { type, content: Number(text.replace(',', '.')) }
  if (entry === 'text') return { type, content: text }
  return type === 'boolean/bool' ? { type, content: true } : { type }
}

/** Returns the kind that a reminder records; `undefined` for others, which apps have chosen. */
function findRecording({ event }: Reminder): Recording | undefined {
  return recordings.find(({ type }) => type === event.type)
}

/** Returns the stream to be created. */
function buildStream({ id, measure }: Recording, name: string): NewStream {
  return { name, ...(measure !== undefined && { id: `reminder-${id}`, measure }) }
}
