/**
 * Fields that only the service sets: an update that names one is refused, or has it ignored. Creations never mind them, so
 * that what has been read can be created again.
 */
import { Type, type TOptional, type TUnknown } from 'typebox'
import { fail } from '../errors.js'
import type { Log } from '../log.js'

/** Who made and last changed an item, and when. */
export const trackingFields = ['created', 'createdBy', 'modified', 'modifiedBy'] as const

/** Schema properties that let protected fields through, whatever they hold: to {@link refuseProtected}, or to nobody. */
export function protectedFields<const K extends string>(names: readonly K[]): Record<K, TOptional<TUnknown>> {
  return Object.fromEntries(
    names.map(name => [name, Type.Optional(Type.Unknown({ readOnly: true }))])
  ) as Record<K, TOptional<TUnknown>>
}

/** A call, as far as it says whether such updates are refused. */
interface Tolerant {
  readonly core: { readonly config: { readonly ignoreProtectedFieldUpdates: boolean }; readonly log: Log }
}

/** Raises `forbidden` if an update names a protected field; with `ignoreProtectedFieldUpdates` only the log says so. */
export function refuseProtected({ core }: Tolerant, names: readonly string[], update: object): void {
  const named = names.filter(name => Object.hasOwn(update, name))
  if (named.length === 0) return
  const told = named.slice(0, shown).map(name => name.slice(0, 100))
  const fields = told.map(name => `"${name}"`).join(', ')
  if (!core.config.ignoreProtectedFieldUpdates)
    fail('forbidden', `Only the service sets ${fields}`, { protectedFields: told })
  core.log.warn(`an update of protected fields was ignored: ${fields}`)
}

/** Names told at most: an update may hold a million of them. */
const shown = 20
