/** Which methods are audited. (docs/spec/audit.md#filters) */
import { SettingsError } from '../settings/load.js'
import type { AnyMethod } from '../call/method.js'
import { aliases } from '../call/method-names.js'
import { nearest } from '../settings/nearest.js'
import type { Settings } from '../settings/settings.js'

/** Methods by id, by resource as `<resource>.all`, or `all` of them. */
export interface MethodFilter {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** Never audited: reading public information, and the operator's own reading. */
const never = new Set([
  'service.info',
  'system.getUserInfo',
  'auth.usernameCheck',
  'auth.emailCheck',
  'system.checkPlatformIntegrity'
])

/** Ids of the methods whose calls are recorded, and of those whose calls are sent to the syslog. */
export interface AuditedMethods {
  readonly recorded: ReadonlySet<string>
  readonly told: ReadonlySet<string>
}

/** Returns the problems of the filters: names that are not methods. */
export function filterProblems(
  { audit }: Pick<Settings, 'audit'>,
  definitions: readonly Pick<AnyMethod, 'id'>[]
): string[] {
  const ids = definitions.map(({ id }) => id)
  const { storage, syslog } = audit
  return [
    ...problemsOf('audit.storage.filter.methods', storage.filter.methods, ids),
    ...problemsOf('audit.syslog.filter.methods', syslog.filter.methods, ids)
  ]
}

/** Resolves the filters. Throws a {@link SettingsError} for names that are not methods. */
export function auditedMethods(
  settings: Pick<Settings, 'audit'>,
  definitions: readonly Pick<AnyMethod, 'id'>[]
): AuditedMethods {
  const problems = filterProblems(settings, definitions)
  if (problems.length > 0) throw new SettingsError(problems)
  const ids = definitions.map(({ id }) => id)
  const { storage, syslog } = settings.audit
  const recorded = within(storage.filter.methods, ids)
  return { recorded, told: syslog.host === '' ? new Set() : within(syslog.filter.methods, ids) }
}

/** The included methods without the excluded ones; an empty `include` means all. */
function within({ include, exclude }: MethodFilter, ids: readonly string[]): ReadonlySet<string> {
  const included = include.length === 0 ? ids : include.flatMap(name => methodsOf(name, ids))
  const excluded = new Set(exclude.flatMap(name => methodsOf(name, ids)))
  return new Set(included.filter(id => !excluded.has(id) && !never.has(id)))
}

function* problemsOf(key: string, filter: MethodFilter, ids: readonly string[]): Generator<string> {
  for (const list of ['include', 'exclude'] as const)
    for (const name of texts(filter[list])) {
      if (methodsOf(name, ids).length > 0) continue
      const known = nearest(name, namesOf(ids))
      const hint = known === undefined ? '' : `; "${known}" is`
      yield `${key}.${list}: "${name}" is neither a method nor a group of them${hint}`
    }
}

/** The texts of a list; the schema check reports what is not one. */
function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(name => typeof name === 'string') : []
}

/** The methods that a name of a filter stands for. */
function methodsOf(name: string, ids: readonly string[]): readonly string[] {
  if (name === 'all') return ids
  if (name.endsWith('.all')) return ids.filter(id => id.startsWith(name.slice(0, -'all'.length)))
  return ids.filter(id => id === (aliases.get(name) ?? name))
}

function namesOf(ids: readonly string[]): Set<string> {
  const groups = ids.filter(id => id.includes('.')).map(id => `${id.split('.', 1)[0]}.all`)
  return new Set(['all', ...ids, ...groups, ...aliases.keys()])
}
