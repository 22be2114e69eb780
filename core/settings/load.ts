/**
 * Reads the settings: defaults, then the settings changed on the service's own pages, then a file, then the
 * environment, then flags. All problems are reported at once.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findAttachmentProblems } from './groups/attachments.js'
import { findBackupProblems } from './groups/backup.js'
import { findClusterProblems } from './groups/cluster.js'
import { findMetricsProblems } from './groups/metrics.js'
import { pageSettingsFile, type PageSettings } from './page-settings.js'
import { findAuthProblems } from './groups/auth.js'
import { findKeyProblems, findRedirectProblems, oauthAliases } from './groups/oauth.js'
import { findStreamProblems } from './custom-streams.js'
import { findPasskeyProblem } from './relying-party.js'
import { settingsList, toVariableName } from './list.js'
import { findProblem, parseValue } from './values.js'
import type { Settings } from './settings.js'

interface Sources {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where `coffer.yaml` is looked for. */
  readonly cwd: string
  /** Settings changed on the service's own pages, which replace the stored ones in the data directory. */
  readonly pageSettings?: PageSettings
}

/** All problems found in the settings. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map(problem => `- ${problem}`).join('\n')}`)
    this.name = 'SettingsError'
  }
}

/** Where a value comes from: the service's own pages, a settings file, the environment, or a flag. */
export interface Origin {
  readonly kind: 'page' | 'file' | 'environment' | 'flag'
  /** The path of the file, the variable, or the flag. */
  readonly source: string
}

interface FoundValue extends Origin {
  readonly value: unknown
}

/** Variables that are not settings. */
const otherVariables = /^COFFER_(?:CONFIG$|BACKUP_PASSPHRASE$|UNPACK_DIR$|TEST_)/

/** Settings as given, and all problems with them. */
export interface ReadSettings {
  readonly settings: Settings
  readonly problems: readonly string[]
  /**
   * The source of each setting that is neither a default nor changed on a page: a variable, a flag, or the path of a
   * file.
   */
  readonly given: ReadonlyMap<string, string>
  /** The origin of each setting that is not the default. */
  readonly origins: ReadonlyMap<string, Origin>
  /** Settings changed on the service's own pages. */
  readonly pageSettings: PageSettings
}

/** Returns the validated settings. Throws a {@link SettingsError}. */
export function loadSettings(sources: Sources): Settings {
  const { problems, settings } = readSettings(sources)
  if (problems.length > 0) throw new SettingsError(problems)
  return settings
}

/**
 * Returns the settings with all problems that can be found by looking at the settings alone: they may be
 * invalid. Reads the settings file, and that of the pages.
 */
export function readSettings(sources: Sources): ReadSettings {
  const problems: string[] = []
  const found = new Map<string, FoundValue>()
  readFile(sources, found, problems)
  readEnvironment(sources.env, found, problems)
  readFlags(sources.argv, found, problems)
  const fixed = new Map(Array.from(found, ([key, { source }]) => [key, source]))
  const pageSettings = readPageSettings(sources, found.get('dataDir')?.value, problems)
  const choices = new Map<string, FoundValue>()
  collectValues(pageSettings, [], { kind: 'page', source: pageSettingsFile }, choices, problems)
  if (choices.delete('dataDir'))
    problems.push(`dataDir can't be set in ${pageSettingsFile} of the data directory`)
  const origins = new Map<string, Origin>()
  for (const [key, { kind, source }] of [...choices, ...found]) origins.set(key, { kind, source })
  const settings: Record<string, unknown> = {}
  for (const setting of settingsList) {
    const { value, source } = found.get(setting.key) ??
      choices.get(setting.key) ?? { value: setting.defaultValue, source: 'default' }
    const problem = findProblem(setting, value)
    if (problem !== undefined) problems.push(`${setting.key} (${source}) ${problem}`)
    setAtPath(settings, setting.path, value)
  }
  const {
    access,
    attachments,
    auth,
    backup,
    cluster,
    custom,
    domain,
    hf,
    metrics,
    port,
    publicUrl,
    workers
  } = settings as unknown as Settings
  problems.push(...findStreamProblems(custom.systemStreams), ...findAuthProblems(auth))
  problems.push(...findClusterProblems(cluster, workers), ...findBackupProblems(backup))
  problems.push(...findMetricsProblems(metrics), ...findAttachmentProblems(attachments, cluster.node))
  if (problems.length === 0) problems.push(...findRedirectProblems(access), ...findKeyProblems(access))
  // May be of any type: problems are collected, not thrown.
  const url: unknown = publicUrl
  if (['reg', 'access'].some(name => domain !== '' && String(url).includes(`://${name}.${domain}`)))
    problems.push(`publicUrl must be a host that serves all users, such as https://${domain}`)
  const passkeyError = findPasskeyProblem(auth.passkeyDomain, publicUrl, domain)
  if (passkeyError !== undefined) problems.push(passkeyError)
  const ports = Object.entries({ port, 'hf.port': hf.port, 'metrics.port': metrics.port })
  for (const [index, [key, own]] of ports.entries())
    if (own && ports.findIndex(([, other]) => other === own) < index)
      problems.push(`${key} must be a different port: ${own} is used by another setting`)
  return { settings: settings as unknown as Settings, problems, given: fixed, origins, pageSettings }
}

/** Reads settings changed on the service's pages, from the data directory that the other sources name. */
function readPageSettings(
  { pageSettings, cwd }: Sources,
  dataDir: unknown,
  problems: string[]
): PageSettings {
  if (pageSettings !== undefined) return pageSettings
  const { defaultValue } = settingsList.find(({ key }) => key === 'dataDir')!
  const folder = typeof dataDir === 'string' && !dataDir.includes('\0') ? dataDir : String(defaultValue)
  const read = parseFile(resolve(cwd, folder, pageSettingsFile), problems)
  if (read === undefined || read === null) return {}
  if (typeof read === 'object' && !Array.isArray(read)) return read as PageSettings
  problems.push(`${pageSettingsFile} must contain a group of settings`)
  return {}
}

/** Parses a file, if it exists. Also parses JSON, a subset of YAML. */
function parseFile(file: string, problems: string[]): unknown {
  try {
    const text = readFileSync(file, 'utf8')
    // The parser is loaded only if there is a file: its seventy modules take time and memory.
    const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
    return parse(text) as unknown
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      problems.push(`can't read ${file}: ${describeFileError(code, message)}`)
    return undefined
  }
}

/** Describes what is wrong with a file that a setting names. `message`: for other errors. */
export function describeFileError(code: string | undefined, message: string): string {
  if (code === 'EISDIR') return 'it is a folder'
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'file not found'
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : message
}

function readFile({ argv, env, cwd }: Sources, found: Map<string, FoundValue>, problems: string[]): void {
  const named = getConfigFlag(argv) ?? env['COFFER_CONFIG']
  const file = resolve(cwd, named || 'coffer.yaml')
  if (!existsSync(file)) {
    if (isLink(file)) problems.push(`the settings file ${file} is a broken symbolic link`)
    else if (named) problems.push(`the settings file ${file} does not exist`)
    return
  }
  collectValues(parseFile(file, problems), [], { kind: 'file', source: file }, found, problems)
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink()
  } catch {
    return false
  }
}

function getConfigFlag(argv: readonly string[]): string | undefined {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: { config: { type: 'string' } }
  })
  return typeof values['config'] === 'string' ? values['config'] : undefined
}

/** Returns the key of a setting that may be given by another name. */
function resolveAlias(name: string): string {
  return Object.hasOwn(oauthAliases, name) ? oauthAliases[name]! : name
}

/** Collects the settings in a nested object by their keys, and the problems of unknown or misplaced ones. */
function collectValues(
  node: unknown,
  path: readonly string[],
  origin: Origin,
  found: Map<string, FoundValue>,
  problems: string[]
): void {
  const key = resolveAlias(path.join('.'))
  const isSetting = settingsList.some(setting => setting.key === key)
  if (isSetting) return void found.set(key, { value: node, ...origin })
  const isGroup = path.length === 0 || settingsList.some(setting => setting.key.startsWith(`${key}.`))
  if (!isGroup) return void problems.push(`${key} (${origin.source}) is not a known setting`)
  if (node === null || node === undefined) return
  if (typeof node !== 'object' || Array.isArray(node))
    return void problems.push(
      `${key === '' ? origin.source : `${key} (${origin.source})`} must be a group of settings`
    )
  for (const [name, value] of Object.entries(node))
    collectValues(value, [...path, name], origin, found, problems)
}

function readEnvironment(env: Sources['env'], found: Map<string, FoundValue>, problems: string[]): void {
  const settings = new Map(settingsList.map(setting => [setting.variable, setting]))
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('COFFER_') || otherVariables.test(variable) || text === undefined) continue
    const setting = settings.get(variable) ?? settings.get(variablesOfAliases.get(variable) ?? '')
    if (setting)
      found.set(setting.key, { value: parseValue(setting, text), kind: 'environment', source: variable })
    else problems.push(`${variable} (environment) is not a known setting`)
  }
}

/** Variables of settings by the variables of their other names. */
const variablesOfAliases = new Map(
  Object.entries(oauthAliases).map(([alias, key]) => [
    toVariableName(alias.split('.')),
    toVariableName(key.split('.'))
  ])
)

/** Collects the settings given as flags, and the problems of the arguments. */
function readFlags(argv: readonly string[], found: Map<string, FoundValue>, problems: string[]): void {
  const names = [...settingsList.map(({ key }) => key), ...Object.keys(oauthAliases), 'config']
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(names.map(name => [name, { type: 'string' as const }]))
  })
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument "${token.value}"`)
    if (token.kind !== 'option') continue
    const setting = settingsList.find(({ key }) => key === resolveAlias(token.name))
    if (!setting && token.name !== 'config') problems.push(`${token.rawName} (flag) is not a known setting`)
    else if (token.value === undefined || isNextFlag(token))
      problems.push(`${token.rawName} (flag) needs a value`)
    else if (setting)
      found.set(setting.key, { value: parseValue(setting, token.value), kind: 'flag', source: token.rawName })
  }
}

/** Returns whether the value is the next flag, as in `--domain --port=1`. */
function isNextFlag({
  value,
  inlineValue
}: {
  value?: string | undefined
  inlineValue?: boolean | undefined
}): boolean {
  return inlineValue === false && value?.startsWith('--') === true
}

/** Sets the value at a path, whose names come from the schema. */
function setAtPath(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...below] = path
  if (below.length === 0) settings[name] = value
  else setAtPath((settings[name] ??= {}) as Record<string, unknown>, below, value)
}
