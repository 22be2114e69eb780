/** Who may use which reminder, and what is valid. (docs/api/reminders.md#reminders-of-apps) */
import type { StoredReminder } from '../../schemas/plans/reminder.js'
import type { ReminderRow } from '../../storage/reminders/reminder-repository.js'
import { assertCreator } from '../auth/allow.js'
import type { Call } from '../call/method.js'
import { findAccessInForce } from '../channels/account-messages.js'
import { listOwnChannels, requireOwnChannel } from '../channels/rules.js'
import { fail, quoteText } from '../errors.js'
import { assertMayAddTo } from '../events/event-permissions.js'
import { isSeries } from '../events/fields.js'
import { Caller } from '../permissions/caller.js'
import { assertNotSecretType } from '../shared-secrets/rules.js'
import { isTrashed } from '../streams/tree.js'
import { refuseParams } from '../validation/params.js'
import { assertZone } from '../validation/zones.js'

/** Maximum length of the content of an event, as JSON. */
const maxContentLength = 10_000

/** Returns a reminder if the caller created it or is personal. Errors: `unknown-resource`, `forbidden`. */
export function requireOwnReminder(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  id: string
): ReminderRow {
  const row = store.reminders.find(id) ?? fail('unknown-resource', `Unknown reminder ${quoteText(id)}`)
  assertCreator(caller, row.reminder.accessId)
  return row
}

/**
 * Checks that "done" can be recorded by the caller, and returns the type and content. `path`: of the fields in
 * the params. Errors: `invalid-parameters-format` (also if the content does not fit the type), and those of
 * {@link assertMayAddTo}. The content may not be too long, and neither series nor secrets (`forbidden`) can be
 * recorded.
 */
export function checkRecording(
  call: Call,
  { event, streamId, zone }: Pick<StoredReminder, 'event' | 'streamId' | 'zone'>,
  path = '#'
): StoredReminder['event'] {
  assertZone(zone, `${path}/zone`)
  const { content, type } = event
  const refuse = (field: string, message: string): never =>
    refuseParams([{ code: 'INVALID', message, path: `${path}/event/${field}` }])
  if (isSeries(type)) refuse('type', 'must not be the type of a series')
  if (content !== undefined && JSON.stringify(content).length > maxContentLength)
    refuse('content', `must not be longer than ${maxContentLength} characters of JSON`)
  assertNotSecretType(type)
  assertMayAddTo(call, streamId)
  const checked = call.services.eventTypes.check(type, content)
  return checked === undefined ? { type } : { type, content: checked }
}

/**
 * Checks that reminders of kind `form`, and no others, have a form that the caller may use. When a reminder
 * is changed, its form may have been removed. Errors: `invalid-parameters-format`,
 * `unknown-referenced-resource`, `forbidden`.
 */
export function assertForm(
  { caller, store }: Call,
  { formId, kind }: Pick<StoredReminder, 'formId' | 'kind'>,
  path = '#'
): void {
  if ((kind === 'form') !== (formId !== undefined))
    refuseParams([{ code: 'INVALID', message: 'must be form if there is a formId', path: `${path}/kind` }])
  if (formId === undefined) return
  const form = store.forms.find(formId)
  // A form may have been removed since.
  if (!form && path === '#') fail('unknown-referenced-resource', 'Unknown form', { formId })
  if (form) assertCreator(caller, form.accessId)
}

/**
 * Checks that the caller may use channels, and that a reminder of an access may. By default, the access is the caller's. Errors:
 * `unknown-resource`, `forbidden`.
 */
export function assertOwnChannels(call: Call, ids: readonly string[], accessId?: string): void {
  for (const id of ids) requireOwnChannel(call, id)
  if (accessId !== undefined && listOwnChannels(call, { accessId, channelIds: ids }).length < ids.length)
    fail('forbidden', 'A reminder of an app can only use the channels of that app')
}

/**
 * Returns whether a reminder may tell the user: its access is in force, may add to the stream, and the stream is there. Reminders that
 * users have created themselves belong to the account, and outlast their sessions.
 */
export function mayRemind(
  call: Pick<Call, 'now' | 'store'>,
  { accessId, streamId }: StoredReminder
): boolean {
  const { store } = call
  const node = store.streams.find(streamId)
  if (!node || isTrashed(node)) return false
  const access = findAccessInForce(call, accessId)
  if (access?.type === 'personal') return true
  return access !== undefined && new Caller(store, access).may('contribute', streamId)
}
