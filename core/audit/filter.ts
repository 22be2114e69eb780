/** Which methods are audited. (supplement 19.4) */
import { SettingsError } from '../load-settings.js'
import type { AnyMethod } from '../method.js'
import { aliases } from '../method-names.js'

/** Methods by id, by the resource that they are about as `<resource>.all`, or `all` of them. */
export interface MethodFilter {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** Reading what everybody may know, and the operator's own reading, leave no trace. */
const never = new Set([
  'service.info',
  'system.getUserInfo',
  'auth.usernameCheck',
  'auth.emailCheck',
  'system.checkPlatformIntegrity'
])

/**
 * The ids of the methods that a filter lets through: those included without those excluded. Throws a
 * {@link SettingsError} for what names no method.
 */
export function methodsWithin(
  key: string,
  { include, exclude }: MethodFilter,
  definitions: readonly Pick<AnyMethod, 'id'>[]
): ReadonlySet<string> {
  const ids = definitions.map(({ id }) => id)
  const problems: string[] = []
  const meant = (name: string, list: string): string[] => {
    if (name === 'all') return ids
    const found = name.endsWith('.all')
      ? ids.filter(id => id.startsWith(name.slice(0, -'all'.length)))
      : ids.filter(id => id === (aliases.get(name) ?? name))
    if (found.length === 0) problems.push(`${key}.${list}: "${name}" is neither a method nor a group of them`)
    return found
  }
  // Nothing included means everything.
  const included = include.length === 0 ? ids : include.flatMap(name => meant(name, 'include'))
  const excluded = new Set(exclude.flatMap(name => meant(name, 'exclude')))
  if (problems.length > 0) throw new SettingsError(problems)
  return new Set(included.filter(id => !excluded.has(id) && !never.has(id)))
}
