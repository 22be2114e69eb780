/** `coffer init`: prompts for the main settings, and writes `coffer.yaml` with all settings explained. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { loadSettings, readSettings } from '../../core/settings/load.js'
import { settingsList, type Setting } from '../../core/settings/list.js'
import { split, UsageError } from '../terminal/operands.js'

export interface InitOptions {
  readonly file: string
  readonly yes?: true
  readonly json?: true
}

const whoRegisters = 'registration.invitationTokens'

/** The prompts; a setting given as a flag is not asked for. */
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
  [whoRegisters, 'Who can register: open (anyone), invited (only with an invitation), closed (no one)'],
  ['services.email.smtp.host', 'Mail server (empty = none, links from emails go to the log)']
]

/** Prompts for settings that are not given as flags, and writes the file. */
export async function init(args: readonly string[], { file, json, yes }: InitOptions): Promise<void> {
  const { flags } = split(args)
  const path = resolve(file)
  if (existsSync(path))
    throw new UsageError(`${path} already exists. Remove it, or choose another file with --file`)
  // Told before the questions, not after them.
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`Folder not found: ${dirname(path)}. Create it, or choose another file with --file`)
  assertFlags(flags)
  const answered = yes ? [] : await answers(questions.filter(([key]) => !isGiven(key, flags)))
  // Neither environment variables nor existing files are copied into the new one.
  const settings = loadSettings({ argv: [...flags, ...answered], env: {}, cwd: '/nowhere', pageSettings: {} })
  const values = new Map(settingsList.map(setting => [setting.key, valueAt(settings, setting.path)]))
  if (values.get('adminKey') === '') values.set('adminKey', randomBytes(24).toString('base64url'))
  await writeFile(path, yamlOf(values), { flag: 'wx', mode: 0o600 })
  console.log(
    json
      ? JSON.stringify({ file: path })
      : `Created ${path}. Commands read it from the current folder, or with --config. Start the service with "coffer serve"`
  )
}

/** Throws a `SettingsError` for flags that are wrong, before anything is asked. */
function assertFlags(flags: readonly string[]): void {
  loadSettings({ argv: flags, env: {}, cwd: '/nowhere', pageSettings: {} })
}

function isGiven(key: string, flags: readonly string[]): boolean {
  return flags.some(flag => flag === `--${key}` || flag.startsWith(`--${key}=`))
}

/** Asks the questions in turn; an empty answer keeps the default. A wrong answer is asked for again on a terminal. */
async function answers(wanted: typeof questions): Promise<string[]> {
  const lines = createInterface({ input: process.stdin })
  const typed = lines[Symbol.asyncIterator]()
  const flags: string[] = []
  try {
    for (const [key, question] of wanted) flags.push(...(await flagFor(key, question, typed)))
    return flags
  } finally {
    lines.close()
  }
}

/** The flag for an answer; none for the default. */
async function flagFor(key: string, question: string, typed: AsyncIterator<string>): Promise<string[]> {
  const { defaultValue } = settingsList.find(setting => setting.key === key)!
  const usual = key === whoRegisters ? 'open' : JSON.stringify(defaultValue)
  for (;;) {
    process.stderr.write(`${question} [${usual}]: `)
    const { done, value } = (await typed.next()) as IteratorResult<string, undefined>
    if (done)
      throw new UsageError('\nInput ended before all questions were answered. Use --yes for the defaults')
    const answer = value.trim()
    if (answer === '') return []
    const tokens = key === whoRegisters ? tokensFor(answer) : answer
    const problem = tokens === undefined ? notAWord(answer) : problemOf(`--${key}=${tokens}`)
    if (problem === undefined) return [`--${key}=${tokens}`]
    if (!process.stdin.isTTY) throw new UsageError(`\n${problem}`)
    process.stderr.write(`${problem}\n`)
  }
}

/** What is wrong with a setting by itself, if anything. */
function problemOf(flag: string): string | undefined {
  return readSettings({ argv: [flag], env: {}, cwd: '/nowhere', pageSettings: {} }).problems[0]
}

/** The value for `registration.invitationTokens`. With at least one token listed, those of `coffer invite` are valid too. */
function tokensFor(answer: string): string | undefined {
  if (answer === 'open') return 'null'
  if (answer === 'closed') return '[]'
  return answer === 'invited' ? JSON.stringify([randomBytes(12).toString('base64url')]) : undefined
}

function notAWord(answer: string): string {
  return `Enter open, invited or closed, not ${JSON.stringify(answer)}`
}

function valueAt(settings: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => new Map(Object.entries(at as object)).get(name), settings)
}

/** YAML with all settings; those at their defaults are commented out. */
function yamlOf(values: ReadonlyMap<string, unknown>): string {
  const lines = ['# Coffer settings. Commented-out settings have their default values.']
  let open: readonly string[] = []
  for (const setting of settingsList) {
    const groups = setting.path.slice(0, -1)
    const fresh = groups.findIndex((name, depth) => open[depth] !== name)
    for (const [depth, name] of groups.entries())
      if (fresh !== -1 && depth >= fresh) lines.push(...groupLine(depth, name, groups, values))
    open = groups
    const indent = '  '.repeat(groups.length)
    lines.push('', `${indent}# ${setting.description}`)
    const isDefault = isStandard(setting, values)
    const [name = ''] = setting.path.slice(-1)
    const text = `${name}: ${JSON.stringify(values.get(setting.key))}`
    lines.push(isDefault ? `${indent}# ${text}` : `${indent}${text}`)
  }
  return `${lines.join('\n')}\n`
}

function groupLine(
  depth: number,
  name: string,
  groups: readonly string[],
  values: ReadonlyMap<string, unknown>
): string[] {
  const prefix = `${groups.slice(0, depth + 1).join('.')}.`
  const isUsed = settingsList.some(setting => setting.key.startsWith(prefix) && !isStandard(setting, values))
  return ['', `${'  '.repeat(depth)}${isUsed ? '' : '# '}${name}:`]
}

function isStandard({ key, defaultValue }: Setting, values: ReadonlyMap<string, unknown>): boolean {
  return JSON.stringify(values.get(key)) === JSON.stringify(defaultValue)
}
