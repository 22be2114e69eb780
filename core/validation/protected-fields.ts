/**
 * Fields that only the service sets: an update that names one is refused, or ignores it. Creations always ignore them, so
 * that items that were read can be created again.
 */
import { Type, type TOptional, type TUnknown } from 'typebox'
import { fail } from '../errors.js'
import type { Log } from '../log.js'

/** Who created and last changed an item, and when. */
export const trackingFields = ['created', 'createdBy', 'modified', 'modifiedBy'] as const

/**
 * Returns schema properties that accept protected fields with any value; {@link refuseProtected} may refuse them later.
 */
export function acceptProtectedFields<const K extends string>(
  names: readonly K[]
): Record<K, TOptional<TUnknown>> {
  return Object.fromEntries(
    names.map(name => [name, Type.Optional(Type.Unknown({ readOnly: true }))])
  ) as Record<K, TOptional<TUnknown>>
}

/** The parts of a call that are needed here. */
interface UpdateContext {
  readonly services: { readonly config: { readonly ignoreProtectedFieldUpdates: boolean }; readonly log: Log }
}

/**
 * Throws `forbidden` if an update names a protected field; with the setting `ignoreProtectedFieldUpdates` the attempt
 * is only logged.
 */
export function refuseProtected({ services }: UpdateContext, names: readonly string[], update: object): void {
  const named = names.filter(name => Object.hasOwn(update, name))
  if (named.length === 0) return
  const listedNames = named.slice(0, maxNames).map(name => name.slice(0, 100))
  const fields = listedNames.map(name => `"${name}"`).join(', ')
  if (!services.config.ignoreProtectedFieldUpdates)
    fail('forbidden', `Only the service can set ${fields}`, { protectedFields: listedNames })
  services.log.warn(`an update of protected fields was ignored: ${fields}`)
}

/** Maximum number of names in the error. */
const maxNames = 20
