/** `coffer init`: asks what a service cannot do without knowing, and writes `coffer.yaml` with all settings explained. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { loadSettings } from '../../core/settings/load.js'
import { settingsList, type Setting } from '../../core/settings/list.js'
import { split, UsageError } from '../terminal/operands.js'

export interface InitOptions {
  readonly file: string
  readonly yes?: true
  readonly json?: true
}

const whoRegisters = 'registration.invitationTokens'

/** What is asked for, unless a flag says it. */
const questions: readonly (readonly [key: string, question: string])[] = [
  ['dataDir', 'Folder for all data'],
  ['host', 'Address to listen on (0.0.0.0: all)'],
  ['port', 'Port to listen on'],
  ['publicUrl', 'URL under which clients reach the service (empty: host and port)'],
  ['domain', 'Domain below which users have host names (empty: names in the path)'],
  ['service.name', 'Name of the platform'],
  ['http.trustedProxies', 'Addresses of proxies in front, with commas (127.0.0.1,::1: one on this machine)'],
  [whoRegisters, 'Who may register: everybody, invited (those with an invitation), nobody'],
  ['services.email.smtp.host', 'Mail server (empty: none, links of mails go to the log)']
]

/** Writes the file; whatever is given as a flag is not asked for. */
export async function init(args: readonly string[], { file, json, yes }: InitOptions): Promise<void> {
  const { flags } = split(args)
  const path = resolve(file)
  if (existsSync(path))
    throw new UsageError(`${path} exists already: remove it, or name another one by --file`)
  const asked = yes ? [] : await answers(questions.filter(([key]) => !isGiven(key, flags)))
  // Settings of the surroundings are not written down: they stay where they are.
  const settings = loadSettings({ argv: [...flags, ...asked], env: {}, cwd: '/nowhere' })
  const values = new Map(settingsList.map(setting => [setting.key, valueAt(settings, setting.path)]))
  if (values.get('adminKey') === '') values.set('adminKey', randomBytes(24).toString('base64url'))
  await writeFile(path, yamlOf(values), { flag: 'wx', mode: 0o600 })
  console.log(
    json
      ? JSON.stringify({ file: path })
      : `Written: ${path}. All commands take it from this folder, or from elsewhere by --config; "coffer serve" starts the service`
  )
}

function isGiven(key: string, flags: readonly string[]): boolean {
  return flags.some(flag => flag === `--${key}` || flag.startsWith(`--${key}=`))
}

/** Asks one question after the other; an empty answer leaves the setting as it is. */
async function answers(wanted: typeof questions): Promise<string[]> {
  const lines = createInterface({ input: process.stdin })
  const typed = lines[Symbol.asyncIterator]()
  const flags: string[] = []
  try {
    for (const [key, question] of wanted) {
      const { standard } = settingsList.find(setting => setting.key === key)!
      const usual = key === whoRegisters ? 'everybody' : JSON.stringify(standard)
      process.stderr.write(`${question} [${usual}]: `)
      const { done, value } = await typed.next()
      if (done) throw new UsageError('\nNot all questions have been answered (--yes takes the defaults).')
      const answer = value.trim()
      if (answer !== '') flags.push(`--${key}=${key === whoRegisters ? tokensFor(answer) : answer}`)
    }
    return flags
  } finally {
    lines.close()
  }
}

/** Invitations count where at least one is listed: that one, and those that `coffer invite` makes. */
function tokensFor(answer: string): string {
  if (answer === 'everybody') return 'null'
  if (answer === 'nobody') return '[]'
  if (answer === 'invited') return JSON.stringify([randomBytes(12).toString('base64url')])
  throw new UsageError(`\nWho may register: everybody, invited or nobody, not ${JSON.stringify(answer)}.`)
}

function valueAt(settings: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => new Map(Object.entries(at as object)).get(name), settings)
}

/** All settings: those that differ from their defaults in force, the others as comments. */
function yamlOf(values: ReadonlyMap<string, unknown>): string {
  const lines = ['# Settings of Coffer. What is commented out is as it is by default.']
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

function isStandard({ key, standard }: Setting, values: ReadonlyMap<string, unknown>): boolean {
  return JSON.stringify(values.get(key)) === JSON.stringify(standard)
}
