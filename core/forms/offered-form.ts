/** A form that comes with a request for data: checked as untrusted input, and added once the user accepts. (docs/api/forms.md#forms-of-requests) */
import { Type, type Static } from 'typebox'
import { FhirResource } from '../../schemas/plans/form.js'
import { Schedule } from '../../schemas/plans/reminder.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import type { Steps } from '../../storage/steps.js'
import { provideStreams } from '../accesses/provide-streams.js'
import type { Call } from '../call/method.js'
import { isShallow } from '../json/depth.js'
import { truncateText } from '../truncate-text.js'
import { createChecker } from '../validation/params.js'
import { refuse } from './fhir-json.js'
import { insertForm } from './insert-form.js'
import { insertReminder } from './insert-reminder.js'
import { readQuestionnaire, type Questionnaire } from './questionnaire.js'
import { responseType } from './rules.js'
import { readSchedule } from './schedule.js'

/** The form of a request, as the requester writes it. */
const OfferedForm = Type.Object(
  {
    questionnaire: FhirResource,
    /** A stream that the request asks to read: it gets the answers. */
    streamId: Identifier,
    /** When the user is reminded to fill it in. */
    schedule: Type.Optional(Schedule)
  },
  closed
)
type OfferedForm = Static<typeof OfferedForm>

/** Maximum length as JSON, in characters. */
const maxLength = 65_536
const maxDepth = 30
/** Maximum length of the name of a stream or a reminder, in characters. */
const maxNameLength = 200
const markup = /<\s*[!/?a-z]|javascript:/i
/** Characters that make a text look like another one. */
const bidiOverrides = /[\u202a-\u202e\u2066-\u2069]/
const lineBreaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

const assertShape = createChecker(OfferedForm)

/**
 * Returns the checked form. Throws `invalid-parameters-format` for one that is too long, has markup or
 * overrides of the direction of text, names streams, or is none.
 */
export function checkOfferedForm(form: unknown): OfferedForm & { readonly checked: Questionnaire } {
  if (!isShallow(form, maxDepth)) refuse('#', `must not be nested deeper than ${maxDepth} levels`)
  const text = JSON.stringify(form)
  if (text.length > maxLength) refuse('#', `must not be longer than ${maxLength} characters`)
  if (markup.test(text)) refuse('#', 'must not have markup')
  if (bidiOverrides.test(text)) refuse('#', 'must not change the direction of text')
  assertShape(form)
  const given = form as OfferedForm
  if (given.schedule) readSchedule(given.schedule)
  const checked = readQuestionnaire(given.questionnaire)
  const bindings = [...[...checked.items.values()].flatMap(({ binding }) => binding ?? []), ...checked.scores]
  // Answers go to the stream that the request asks to read: the user knows of no other.
  if (bindings.some(({ streamId }) => streamId !== undefined))
    refuse('#/questionnaire', 'must not name streams')
  return { ...given, checked }
}

/** What the user has chosen for a form. */
interface Choice {
  /** The stream that the user has chosen for the one that the form names. */
  readonly streamId: string
  /** The name of that stream as the user has seen it, if it has to be created; by default the title of the form. */
  readonly name: string | undefined
  /** The time zone of the schedule. */
  readonly zone: string
}

/**
 * Adds the form of a request that the user accepts, and a reminder if it has a schedule. `call`: of the user.
 * Returns the id of the form. Also creates the stream that the form names, or restores it, if needed. Throws
 * `NoRoom` if the account has too many forms or reminders. Other refusals are those of the methods that add
 * forms and streams.
 */
export function* addOfferedForm(call: Call, form: unknown, { name, streamId, zone }: Choice): Steps<string> {
  const { checked, questionnaire, schedule } = checkOfferedForm(form)
  const defaultName = findFreeName(call, name ?? checked.title)
  yield* provideStreams(call, [{ streamId, level: 'read', defaultName }])
  const { id } = insertForm(call, { questionnaire: checked, resource: questionnaire, streamId })
  if (schedule)
    insertReminder(call, {
      name: toLine(checked.title),
      kind: 'form',
      formId: id,
      schedule,
      zone,
      streamId,
      event: { type: responseType }
    })
  return id
}

/** Removes a form with the reminders of it. */
export function removeForm({ changes, store }: Call, id: string): void {
  store.forms.remove(id)
  for (const { reminder } of store.reminders.list())
    if (reminder.formId === id) store.reminders.remove(reminder.id)
  changes.add('timers')
}

/** Returns a name for a stream at the root: another stream may have it already. */
function findFreeName({ store }: Call, wanted: string): string {
  const name = toLine(wanted)
  const known = new Set(Array.from(store.streams.roots(), ({ stream }) => stream.name))
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name} (${number})`
    if (!known.has(numbered)) return numbered
  }
}

/** Returns a text as one line of at most {@link maxNameLength} characters, without overrides of its direction. */
function toLine(text: string): string {
  const line = text.replaceAll(lineBreaks, ' ').replaceAll(new RegExp(bidiOverrides, 'gu'), '').trim()
  return truncateText(line, maxNameLength).trim() || 'Form'
}
