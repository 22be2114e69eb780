/** `coffer demo`: fills an account with a year of sample data. */
import { Value } from 'typebox/value'
import { toConfig } from '../../core/settings/config.js'
import { version } from '../../core/version.js'
import { Username } from '../../schemas/account.js'
import { createAccount, fillLocalAccount, type LocalAccountOptions } from '../demo/fill-local-account.js'
import { appId } from '../demo/local-target.js'
import { fillAccount } from '../demo/fill-account.js'
import { parsePlan } from '../demo/plan.js'
import { createReport, type FilledAccount } from '../demo/report.js'
import { parseBaseUrl, ServiceTarget, signIn } from '../demo/service-target.js'
import { assertEmpty, throwPasswordKept } from '../demo/target.js'
import type { Plan } from '../demo/person/days.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitOptionalArgument, UsageError } from '../terminal/operands.js'
import { runDirectlyOrRemotely, type Operator } from '../terminal/operator.js'
import { promptHidden } from '../terminal/passphrase.js'
import { openSession } from '../terminal/user-session.js'
import { withProgressBar } from '../terminal/progress.js'

export interface DemoOptions extends JsonOption {
  readonly user?: string
  readonly password?: string
  readonly days: string
  readonly until?: string
  readonly seed: string
  readonly url?: string
}

/**
 * Fills a new or empty account of the data directory, whether or not a service uses it, or with `--url` of
 * another service. Prints the password of a new account. Throws an error if the account has data.
 */
export async function demo(args: readonly string[], options: DemoOptions): Promise<void> {
  const { flags, operands } = splitOptionalArgument(args, 'name')
  const username = getUsername(operands[0], options.user)
  const plan = parsePlan(options, Date.now() / 1000)
  const startMs = performance.now()
  const filled =
    options.url === undefined
      ? await fillInDirectory(flags, username, plan, options)
      : await fillAtService(options.url, username, plan, options)
  const seconds = (performance.now() - startMs) / 1000
  const { lines, report } = createReport({ ...filled, username, plan, seconds })
  printResult(options.json, report, ...lines)
}

function getUsername(operand: string | undefined, option: string | undefined): string {
  if (operand !== undefined && option !== undefined && operand !== option)
    throw new UsageError(`Two usernames are given: ${operand} and ${option}. Leave out --user`)
  const username = operand ?? option ?? 'daisy'
  if (Value.Check(Username, username)) return username.toLowerCase()
  throw new UsageError(`"${operand ?? option}" is not a valid username`)
}

/** Fills an account of a data directory, directly or through the service that has it open. */
async function fillInDirectory(
  flags: readonly string[],
  username: string,
  plan: Plan,
  { json, password }: DemoOptions
): Promise<FilledAccount> {
  const { settings } = loadDirectory(flags)
  const url = toConfig(settings, version).publicUrl
  return await runDirectlyOrRemotely(
    settings,
    async () => {
      const filled = await withProgressBar(
        json,
        progress => fillLocalAccount({ settings, username, password, plan, progress }),
        'days'
      )
      return { ...filled, url, isRunning: false }
    },
    async operator => await fillThroughService(operator, { settings, username, password, plan }, json)
  )
}

/** Fills an account of the service that uses the data directory. Creates the account, unless an empty one exists. */
async function fillThroughService(
  operator: Operator,
  account: Pick<LocalAccountOptions, 'settings' | 'username' | 'password' | 'plan'>,
  json: JsonOption['json']
): Promise<FilledAccount> {
  const { plan, settings, username } = account
  const { url = '' } = operator
  const isKnown = await operator.call('system.getUser', { username }).then(
    () => true,
    () => false
  )
  if (isKnown && account.password !== undefined) throwPasswordKept(username)
  const password = isKnown ? undefined : await createAccount(operator, account)
  const { token } = await openSession(operator, username, appId)
  const target = new ServiceTarget(username, `${url}/${username}/`)
  const filled = await fillWithToken(target, token, plan, json)
  return { ...filled, url: settings.publicUrl || url, ...(password !== undefined && { password }) }
}

/** Fills an empty, existing account of another service. Prompts for its password if none is given. */
async function fillAtService(
  url: string,
  username: string,
  plan: Plan,
  { json, password }: DemoOptions
): Promise<FilledAccount> {
  const base = parseBaseUrl(url)
  const { target, token } = await signIn(
    base,
    username,
    password ?? (await promptHidden(`Password of ${username}: `))
  )
  return { ...(await fillWithToken(target, token, plan, json)), url: base }
}

/** Fills an empty account of a running service, and signs out. Throws an error if the account has data. */
async function fillWithToken(
  target: ServiceTarget,
  token: string,
  plan: Plan,
  json: JsonOption['json']
): Promise<Pick<FilledAccount, 'made' | 'isRunning'>> {
  try {
    await assertEmpty(target, token)
    const made = await withProgressBar(json, progress => fillAccount(target, token, plan, progress), 'days')
    return { made, isRunning: true }
  } finally {
    // Ignored, so that an earlier error is reported instead.
    await target.batch(token, [{ method: 'auth.logout', params: {} }]).catch(() => undefined)
  }
}
