/** The form of a new or existing event, generated from the directory of event types. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Form, type Values } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { ignoreFailure, useAccount } from '../data/account.js'
import type { Event, EventTypes } from '../data/model.js'
import { toPointType, getUnit } from '../data/units.js'
import { formatDateTime } from '../parts/format-time.js'
import { FormRow } from '../parts/form-row.js'
import { ContentFields } from './content-fields.js'
import { toContent, toEntries, listFields, findSchema, type Entries } from './fields.js'
import { FilePicker } from './file-picker.js'
import { toFieldError, createFieldError } from './field-errors.js'
import { buildUpdate, createEvent, createStream, type EventInput, type NewStream } from './save-event.js'
import { newStreamField, StreamFields } from './stream-fields.js'
import { TimeFields } from './time-fields.js'
import { toTimeEntries, parseLocalEntry, readTimes } from './time-entries.js'

interface Props {
  readonly types: EventTypes
  readonly type: string
  /** The event to change; undefined for a new one. */
  readonly event?: Event
  /** For new events. */
  readonly streamId?: string | undefined
  readonly time?: number | undefined
  /** The stream to create if none is chosen. */
  readonly newStream?: NewStream | undefined
  /** The latest value. */
  readonly last?: string | undefined
  /** Label of the value. */
  readonly label?: string | undefined
  /** Receives the event; of several files, the events of all. */
  readonly onSaved: (events: readonly Event[]) => void
  readonly others?: ComponentChildren
}

/** Renders the form that creates an event, or edits `event`. */
export function EventForm({
  types,
  type: given,
  event,
  streamId,
  time,
  newStream,
  last,
  label,
  onSaved,
  others
}: Props) {
  const account = useAccount()
  const [type, setType] = useState(given)
  const [chosen, setChosen] = useState<readonly string[]>(
    event?.streamIds ?? (streamId === undefined ? [] : [streamId])
  )
  const [files, setFiles] = useState<readonly File[]>([])
  /** Events created, and the uploaded share of the next one. */
  const [sent, setSent] = useState<{ readonly count: number; readonly part: number }>()
  const savedBefore = useRef<readonly Event[]>([])
  const [isOpen, setOpen] = useState(event !== undefined || /^(?:sleep|activity)\//.test(given))
  const container = useRef<HTMLDivElement>(null)
  const isSeries = type.startsWith('series:')
  const fields = useMemo(() => (isSeries ? [] : listFields(findSchema(types, type))), [types, type, isSeries])
  const entries = toEntries(fields, event?.content)
  const times = useMemo(
    () => (event ? toTimeEntries(event.time, event.duration) : getDefaultTimes(given, time)),
    [event]
  )
  useEffect(() => {
    // Focuses the first field of a new event.
    if (!event)
      container.current?.querySelector<HTMLElement>('.content :is(input, select, textarea)')?.focus()
  }, [])

  const readInput = (values: Values): EventInput & { readonly streamName: string } => {
    const { content, problems: contentProblems } = toContent(fields, values, event?.content)
    const when = readTimes(values, Date.now() / 1000, event)
    const problems = new Map([...contentProblems, ...when.problems])
    const streamName = (values[newStreamField] ?? newStream?.name ?? '').trim()
    if (chosen.length === 0 && streamName === '') problems.set(newStreamField, 'missing')
    if (isFileNeeded(type) && !event && files.length === 0) problems.set('files', 'file')
    if ([...problems.keys()].some(name => !name.startsWith('content'))) setOpen(true)
    if (problems.size > 0) throw createFieldError(problems)
    const { time: at, duration } = when
    return {
      type,
      content: isSeries ? event?.content : content,
      time: at,
      duration: isSeries ? event?.duration : duration,
      streamIds: chosen,
      description: (values['description'] ?? '').trim(),
      streamName
    }
  }
  const save = async (values: Values): Promise<void> => {
    const { streamName, ...draft } = readInput(values)
    let { streamIds } = draft
    if (streamIds.length === 0) {
      const { id } = await createStream(account, { ...newStream, name: streamName })
      streamIds = [id]
      // If saving fails, the next attempt uses the same stream.
      setChosen(streamIds)
    }
    try {
      onSaved(await write({ ...draft, streamIds }))
    } catch (error) {
      throw toFieldError(error, fields)
    } finally {
      setSent(undefined)
    }
    ignoreFailure(account.readFacts())
  }
  const write = async (draft: EventInput): Promise<readonly Event[]> => {
    if (!event) return await create(draft)
    const update = buildUpdate(event, draft)
    if (!update) return [event]
    return [(await account.client.call<{ event: Event }>('events.update', { id: event.id, update })).event]
  }
  /** Creates an event for each file, or one for all. After a failure, the next attempt continues with the files that are left. */
  const create = async (draft: EventInput): Promise<readonly Event[]> => {
    const groups = files.length > 1 && !type.endsWith('-multiple') ? files.map(file => [file]) : [files]
    let count = 0
    try {
      for (const group of groups) {
        const created = await createEvent(account, draft, group, part => setSent({ count, part }))
        savedBefore.current = [...savedBefore.current, created]
        count++
      }
    } finally {
      if (count < groups.length) setFiles(groups.slice(count).flat())
    }
    return savedBefore.current
  }
  const stream = chosen[0] === undefined ? newStream?.name : account.tree.value?.find(chosen[0])?.name
  const beginning = parseLocalEntry(times['time'] ?? '')
  const summary = t('events.when', {
    time: beginning === undefined ? t('events.now') : formatDateTime(beginning),
    stream: toPlainText(stream ?? t('events.newStream'))
  })
  const more = (
    <>
      <TimeFields entries={times} hasDuration={!isSeries} hint={event && getZoneHint(event)} />
      <StreamFields chosen={chosen} onChosen={setChosen} newName={newStream?.name ?? ''} />
      <FormRow name="description" label={t('events.optional', { name: t('events.description') })}>
        {controlProps => <textarea {...controlProps} rows={2} defaultValue={event?.description ?? ''} />}
      </FormRow>
    </>
  )
  return (
    <div class="event-form" ref={container}>
      <Form action={t('shell.save')} onSubmit={save} others={others}>
        <ContentFields
          type={type}
          fields={fields}
          entries={entries}
          others={listUnitTypes(types, type)}
          onType={setType}
          last={last}
          label={label}
        />
        {isFileNeeded(type) && !event && (
          <FilePicker type={type} files={files} sentCount={sent?.count} onFiles={setFiles} />
        )}
        {sent !== undefined && (
          <progress
            value={sent.count + sent.part}
            max={Math.max(1, files.length)}
            aria-label={t('events.sending')}
          />
        )}
        {event ? (
          more
        ) : (
          <details class="more" open={isOpen} onToggle={each => setOpen(each.currentTarget.open)}>
            <summary>{summary}</summary>
            <div>{more}</div>
          </details>
        )}
      </Form>
    </div>
  )
}

/** Returns the types of the same class with other units. */
function listUnitTypes(types: EventTypes, type: string): readonly string[] {
  const [group = ''] = toPointType(type).split('/')
  if (group === 'count' || type.startsWith('series:') || getUnit(type) === undefined) return []
  return Object.keys(types).filter(each => each.startsWith(`${group}/`) && getUnit(each) !== undefined)
}

/** Returns a hint for an event created in a different time zone from that of this device. */
function getZoneHint({ clientData, time }: Event): string | undefined {
  const zone = clientData?.['coffer:zone']
  if (typeof zone !== 'string' || zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return undefined
  return t('events.zone', { zone, time: formatDateTime(time, zone) })
}

/** Returns the initial time fields of a new event: now, except for types that are usually entered afterwards. */
function getDefaultTimes(type: string, time: number | undefined): Entries {
  if (type === 'activity/plain') return toTimeEntries(time, 1800)
  if (type !== 'sleep/analysis') return toTimeEntries(time, undefined)
  const night = 8 * 3600
  const start = time ?? Math.round(Date.now() / 60_000) * 60 - night
  return { ...toTimeEntries(start, night), lasting: 'until' }
}

function isFileNeeded(type: string): boolean {
  return /\/attached(?:-multiple)?$/.test(type)
}
