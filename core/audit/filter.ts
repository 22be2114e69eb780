/** Which methods are audited. (docs/spec/audit.md#filters) */
import { SettingsError } from '../settings/load.js'
import { type AnyMethod, methodAliases } from '../call/method.js'
import type { Settings } from '../settings/settings.js'

/** Methods by id, by resource as `<resource>.all`, or `all` of them. */
interface MethodFilter {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** Never audited: reading public information, the operator's own reading, and the proof that comes with another call. */
const unauditedMethods = new Set([
  'service.info',
  'system.getUserInfo',
  'auth.usernameCheck',
  'auth.emailCheck',
  'oauth.prove',
  'system.checkPlatformIntegrity'
])

/** Ids of the methods whose calls are recorded, and ids of the methods whose calls are sent to syslog. */
export interface AuditedMethods {
  readonly recorded: ReadonlySet<string>
  readonly sent: ReadonlySet<string>
}

/** Returns the problems of the filters: names that are not methods. */
export function findFilterProblems(
  { audit }: Pick<Settings, 'audit'>,
  definitions: readonly Pick<AnyMethod, 'id'>[]
): string[] {
  const ids = definitions.map(({ id }) => id)
  const { storage, syslog } = audit
  return [
    ...listProblems('audit.storage.filter.methods', storage.filter.methods, ids),
    ...listProblems('audit.syslog.filter.methods', syslog.filter.methods, ids)
  ]
}

/** Resolves the filters. Throws a {@link SettingsError} for names that are not methods. */
export function resolveAuditedMethods(
  settings: Pick<Settings, 'audit'>,
  definitions: readonly Pick<AnyMethod, 'id'>[]
): AuditedMethods {
  const problems = findFilterProblems(settings, definitions)
  if (problems.length > 0) throw new SettingsError(problems)
  const ids = definitions.map(({ id }) => id)
  const { storage, syslog } = settings.audit
  const recorded = applyFilter(storage.filter.methods, ids)
  return { recorded, sent: syslog.host === '' ? new Set() : applyFilter(syslog.filter.methods, ids) }
}

/** Returns the included methods without the excluded ones; an empty `include` means all. */
function applyFilter({ include, exclude }: MethodFilter, ids: readonly string[]): ReadonlySet<string> {
  const included = include.length === 0 ? ids : include.flatMap(name => resolveMethods(name, ids))
  const excluded = new Set(exclude.flatMap(name => resolveMethods(name, ids)))
  return new Set(included.filter(id => !excluded.has(id) && !unauditedMethods.has(id)))
}

function* listProblems(key: string, filter: MethodFilter, ids: readonly string[]): Generator<string> {
  for (const list of ['include', 'exclude'] as const)
    for (const name of filterTexts(filter[list])) {
      if (resolveMethods(name, ids).length > 0) continue
      const known = findNearest(name, listFilterNames(ids))
      const hint = known === undefined ? '' : `; "${known}" is`
      yield `${key}.${list}: "${name}" is not a known method or group of methods${hint}`
    }
}

/** Returns the texts of a list; the schema check reports items that are no texts. */
function filterTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(name => typeof name === 'string') : []
}

/** Returns the methods that a name of a filter stands for. */
function resolveMethods(name: string, ids: readonly string[]): readonly string[] {
  if (name === 'all') return ids
  if (name.endsWith('.all')) return ids.filter(id => id.startsWith(name.slice(0, -'all'.length)))
  return ids.filter(id => id === (methodAliases.get(name) ?? name))
}

function listFilterNames(ids: readonly string[]): Set<string> {
  const groups = ids.filter(id => id.includes('.')).map(id => `${id.split('.', 1)[0]}.all`)
  return new Set(['all', ...ids, ...groups, ...methodAliases.keys()])
}

/** Returns the known name most similar to `name`, which was probably meant; `undefined` if none is similar enough. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  // With more than a third of its characters wrong it is a different word.
  let least = Math.floor(name.length / 3) + 1
  let found: string | undefined
  for (const candidate of known) {
    const distance = computeDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    found = candidate
  }
  return found
}

/**
 * Computes the Levenshtein distance: the number of characters to add, remove or replace to turn one text into the
 * other.
 */
function computeDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 0; row < one.length; row++) {
    const current = [row + 1]
    for (let column = 0; column < other.length; column++) {
      const replaced = above[column]! + (one[row] === other[column] ? 0 : 1)
      current.push(Math.min(replaced, above[column + 1]! + 1, current[column]! + 1))
    }
    above = current
  }
  return above.at(-1)!
}
