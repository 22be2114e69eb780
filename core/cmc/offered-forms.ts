/** Forms that come with offers: a member of the offer that other servers ignore. (docs/spec/consent.md#forms) */
import type { Permission } from '../../schemas/permission.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import { getBaseId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { zonesKey, type ZonePeriod } from '../../schemas/zones.js'
import { NoRoom } from '../accesses/room.js'
import { addOfferedForm, checkOfferedForm } from '../forms/offered-form.js'
import { readOwn } from '../measures/read-own.js'
import { Caller } from '../permissions/caller.js'
import { isObject } from '../validation/is-object.js'
import type { Content } from './contents.js'
import { refuse, TriggerFailed } from './failures.js'

/** The member of the content of a request, and of its offer. */
const formKey = 'coffer:form'
const reason = 'cmc-offer-invalid-form'

/** Checks the form of a request that is being written. Throws `invalid-operation`. */
export function assertForm(content: Content): void {
  if (!isValid(content)) refuse(reason, 'The form of the request is not one that accounts accept')
}

/** Checks the form of an offer that has been read. Throws `TriggerFailed`. */
export function checkForm(content: Content): void {
  if (!isValid(content)) throw new TriggerFailed(reason)
}

function isValid(content: Content): boolean {
  const form = content[formKey]
  if (form === undefined) return true
  try {
    checkOfferedForm(form)
    return true
  } catch {
    return false
  }
}

/** What is granted. */
interface Granted {
  readonly content: Content
  readonly permissions: readonly Permission[]
  /** The streams of the user for those that the offer names. */
  readonly ownStreams: unknown
  /** Who accepts: the author of the event. */
  readonly author: string
}

/**
 * Adds the form of an offer to the account that accepts it. Returns the id of the form; `undefined` if there
 * is none, if its stream is not granted for reading, or if the author is not the user. Throws `TriggerFailed`
 * if it cannot be added.
 */
export function* addForm(
  call: Call,
  { author, content, ownStreams, permissions }: Granted
): Steps<string | undefined> {
  const { store } = call
  const form = content[formKey]
  if (!isObject(form)) return undefined
  const offered = String(form['streamId'])
  const own = isObject(ownStreams) ? ownStreams[offered] : undefined
  const streamId = typeof own === 'string' ? own : offered
  const isGranted = permissions.some(
    each =>
      'streamId' in each &&
      each.streamId === streamId &&
      ['contribute', 'manage', 'read'].includes(each.level)
  )
  const access = store.accesses.findEver(getBaseId(author.split(' ')[0]!))
  if (!isGranted || access?.type !== 'personal') return undefined
  const { permissions: asked } = content['request'] as { readonly permissions: readonly Content[] }
  const name = asked.find(each => each['streamId'] === offered)?.['defaultName']
  try {
    return yield* addOfferedForm({ ...call, caller: new Caller(store, access) }, form, {
      streamId,
      name: typeof name === 'string' ? name : undefined,
      zone: findZone(call)
    })
  } catch (error) {
    if (error instanceof NeedsSteps) throw error
    if (error instanceof NoRoom) throw new TriggerFailed('cmc-handler-no-room', { problem: error.message })
    throw new TriggerFailed(reason)
  }
}

/** Whether the form of an offer comes with a schedule: its reminder needs the account's timers. */
export function hasSchedule(content: Content): boolean {
  return readOwn(content[formKey], 'schedule') !== undefined
}

/** Returns the time zone in which the user was last, as apps note it in the private profile set. */
function findZone({ store }: Call): string {
  const periods = store.profile.find('private')[zonesKey] as readonly ZonePeriod[] | null | undefined
  return periods?.at(-1)?.zone ?? 'UTC'
}
