/** `coffer init`: prompts for the main settings, and writes a `coffer.yaml` that documents all settings. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { loadSettings, readSettings } from '../../core/settings/load.js'
import { settingsList, type Setting } from '../../core/settings/list.js'
import { splitArguments, UsageError } from '../terminal/operands.js'

export interface InitOptions {
  readonly file: string
  readonly yes?: true
  readonly json?: true
}

const registrationKey = 'registration.invitationTokens'

/** The prompts. Settings given as flags are skipped. */
const questions: readonly (readonly [key: string, question: string])[] = [
  ['dataDir', 'Data directory'],
  ['host', 'Address to listen on (0.0.0.0 = all)'],
  ['port', 'Port to listen on'],
  ['publicUrl', 'Public URL (empty = host and port)'],
  ['domain', 'Domain for a host name per user (empty = username in the path)'],
  ['service.name', 'Service name'],
  [
    'http.trustedProxies',
    'IP addresses of trusted proxies, separated by commas (127.0.0.1,::1 = a proxy on this machine)'
  ],
  [registrationKey, 'Who can register: open (anyone), invited (only with an invitation), closed (no one)'],
  ['services.email.smtp.host', 'Mail server (empty = none, links from emails go to the log)']
]

/**
 * Prompts for settings that are not given as flags (or uses defaults with `yes`), and writes the file, which
 * only its owner can read. Generates a missing admin key. Throws {@link UsageError} if the file exists or its
 * folder does not, or if an answer is missing.
 */
export async function init(args: readonly string[], { file, json, yes }: InitOptions): Promise<void> {
  const { flags } = splitArguments(args)
  const path = resolve(file)
  if (existsSync(path))
    throw new UsageError(`${path} already exists. Remove it, or choose another file with --file`)
  // The directory is checked before the prompts, so that no answers are lost.
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`Folder not found: ${dirname(path)}. Create it, or choose another file with --file`)
  assertFlags(flags)
  const answered = yes ? [] : await promptAll(questions.filter(([key]) => !isGiven(key, flags)))
  // Neither environment variables nor existing files are copied into the new one.
  const settings = loadSettings({ argv: [...flags, ...answered], env: {}, cwd: '/nowhere', pageSettings: {} })
  const values = new Map(settingsList.map(setting => [setting.key, getValue(settings, setting.path)]))
  if (values.get('adminKey') === '') values.set('adminKey', randomBytes(24).toString('base64url'))
  await writeFile(path, formatYaml(values), { flag: 'wx', mode: 0o600 })
  console.log(
    json
      ? JSON.stringify({ file: path })
      : `Created ${path}. Commands read it from the current folder, or with --config. Start the service with "coffer serve"`
  )
}

/** Throws a `SettingsError` for invalid flags, before the prompts. */
function assertFlags(flags: readonly string[]): void {
  loadSettings({ argv: flags, env: {}, cwd: '/nowhere', pageSettings: {} })
}

function isGiven(key: string, flags: readonly string[]): boolean {
  return flags.some(flag => flag === `--${key}` || flag.startsWith(`--${key}=`))
}

/** Prompts for each setting; an empty answer keeps the default. On a terminal, prompts again after an invalid answer. */
async function promptAll(wanted: typeof questions): Promise<string[]> {
  const lines = createInterface({ input: process.stdin })
  const answers = lines[Symbol.asyncIterator]()
  const flags: string[] = []
  try {
    for (const [key, question] of wanted) flags.push(...(await promptForFlag(key, question, answers)))
    return flags
  } finally {
    lines.close()
  }
}

/** Returns the flag for an answer; no flag if the answer is the default. */
async function promptForFlag(
  key: string,
  question: string,
  answers: AsyncIterator<string>
): Promise<string[]> {
  const { defaultValue } = settingsList.find(setting => setting.key === key)!
  const defaultText = key === registrationKey ? 'open' : JSON.stringify(defaultValue)
  for (;;) {
    process.stderr.write(`${question} [${defaultText}]: `)
    const { done, value } = (await answers.next()) as IteratorResult<string, undefined>
    if (done)
      throw new UsageError('\nInput ended before all questions were answered. Use --yes for the defaults')
    const answer = value.trim()
    if (answer === '') return []
    const tokens = key === registrationKey ? toInvitationTokens(answer) : answer
    const problem = tokens === undefined ? formatAnswerError(answer) : findProblem(`--${key}=${tokens}`)
    if (problem === undefined) return [`--${key}=${tokens}`]
    if (!process.stdin.isTTY) throw new UsageError(`\n${problem}`)
    process.stderr.write(`${problem}\n`)
  }
}

/** Returns the problem of a single setting; `undefined` if it is valid. */
function findProblem(flag: string): string | undefined {
  return readSettings({ argv: [flag], env: {}, cwd: '/nowhere', pageSettings: {} }).problems[0]
}

/**
 * Returns the value of `registration.invitationTokens`. With at least one token listed, tokens made by `coffer invite`
 * are valid too.
 */
function toInvitationTokens(answer: string): string | undefined {
  if (answer === 'open') return 'null'
  if (answer === 'closed') return '[]'
  return answer === 'invited' ? JSON.stringify([randomBytes(12).toString('base64url')]) : undefined
}

function formatAnswerError(answer: string): string {
  return `Enter open, invited or closed, not ${JSON.stringify(answer)}`
}

function getValue(settings: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => new Map(Object.entries(at as object)).get(name), settings)
}

/** Formats all settings as YAML. Settings with default values are commented out. */
function formatYaml(values: ReadonlyMap<string, unknown>): string {
  const lines = ['# Coffer settings. Commented-out settings have their default values.']
  let open: readonly string[] = []
  for (const setting of settingsList) {
    const groups = setting.path.slice(0, -1)
    const firstNew = groups.findIndex((name, depth) => open[depth] !== name)
    for (const [depth, name] of groups.entries())
      if (firstNew !== -1 && depth >= firstNew) lines.push(...formatGroup(depth, name, groups, values))
    open = groups
    const indent = '  '.repeat(groups.length)
    lines.push('', `${indent}# ${setting.description}`)
    const isDefault = isDefaultValue(setting, values)
    const [name = ''] = setting.path.slice(-1)
    const text = `${name}: ${JSON.stringify(values.get(setting.key))}`
    lines.push(isDefault ? `${indent}# ${text}` : `${indent}${text}`)
  }
  return `${lines.join('\n')}\n`
}

function formatGroup(
  depth: number,
  name: string,
  groups: readonly string[],
  values: ReadonlyMap<string, unknown>
): string[] {
  const prefix = `${groups.slice(0, depth + 1).join('.')}.`
  const isUsed = settingsList.some(
    setting => setting.key.startsWith(prefix) && !isDefaultValue(setting, values)
  )
  return ['', `${'  '.repeat(depth)}${isUsed ? '' : '# '}${name}:`]
}

function isDefaultValue({ key, defaultValue }: Setting, values: ReadonlyMap<string, unknown>): boolean {
  return JSON.stringify(values.get(key)) === JSON.stringify(defaultValue)
}
