/** Forms that come with offers: a member of the offer that other servers ignore. (docs/spec/consent.md#forms) */
import type { Permission } from '../../schemas/permission.js'
import { getBaseId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { Caller } from '../permissions/caller.js'
import { isObject } from '../validation/is-object.js'
import type { Content } from './contents.js'
import { refuse, TriggerFailed } from './failures.js'

/** The member of the content of a request, and of its offer. */
export const formKey = 'coffer:form'
const reason = 'cmc-offer-invalid-form'

/** Checks the form of a request that is being written. Throws `invalid-operation`. */
export function assertForm({ offeredForms }: Services, content: Content): void {
  if (!isValid(offeredForms, content))
    refuse(reason, 'The form of the request is not one that accounts accept')
}

/** Checks the form of an offer that has been read. Throws `TriggerFailed`. */
export function checkForm({ offeredForms }: Services, content: Content): void {
  if (!isValid(offeredForms, content)) throw new TriggerFailed(reason)
}

function isValid(forms: Services['offeredForms'], content: Content): boolean {
  const form = content[formKey]
  if (form === undefined) return true
  try {
    forms.check(form)
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

/** Adds the form of an offer to the account that accepts it, if its stream is granted. Returns the id of the form. */
export function addForm(
  call: Call,
  { author, content, ownStreams, permissions }: Granted
): string | undefined {
  const { services, store } = call
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
  try {
    return services.offeredForms.add({ ...call, caller: new Caller(store, access) }, form, streamId)
  } catch {
    throw new TriggerFailed(reason)
  }
}
