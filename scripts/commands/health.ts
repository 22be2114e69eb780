/** `coffer health`: checks the health of a running service, for monitoring. (docs/spec/service-information.md#health) */
import { createToken } from '../../core/ids.js'
import { checkHealth, prepareHealthUser } from '../maintenance/health.js'
import { checkOwnHealth } from '../maintenance/own-health.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { splitOptionalArgument, UsageError } from '../terminal/operands.js'

export interface HealthOptions extends JsonOption {
  readonly user?: string
  readonly prepare?: true
  readonly email?: string
  readonly origin?: string
}

/**
 * Checks the service that the settings name, or the one at a URL as clients see it, and prints one line per step. The exit code is 1
 * if a step fails. At a URL, `user` is the account to check with; its token is read from `COFFER_HEALTH_TOKEN`. With
 * `prepare`, registers that account there and prints the token for later checks instead. Throws {@link UsageError} for a
 * URL without `user`, and for options that do not go together.
 */
export async function health(args: readonly string[], options: HealthOptions): Promise<void> {
  const { flags, operands } = splitOptionalArgument(args, 'url')
  const [url] = operands
  if (url === undefined) {
    if (options.user !== undefined || options.prepare)
      throw new UsageError('--user and --prepare need the URL of a service. Pass its service information URL')
    return printSteps(await checkOwnHealth(loadExistingDirectory(flags)), options)
  }
  if (flags.length > 0)
    throw new UsageError(`${flags[0]!.split('=')[0]} can't be combined with a URL. Leave it out`)
  await checkAtUrl(url, options)
}

/**
 * Checks a service at a URL with the token in `COFFER_HEALTH_TOKEN`; with `--prepare`, creates the account for that.
 * Throws `UsageError` without `--user`.
 */
async function checkAtUrl(serviceInfoUrl: string, options: HealthOptions): Promise<void> {
  const { user: username, prepare, origin } = options
  if (username === undefined)
    throw new UsageError(
      'Checking a service at a URL needs an account. Pass --user, and --prepare the first time'
    )
  if (prepare) {
    const { email = `${username}@localhost` } = options
    // A random password that is not stored: later checks use the token, which does not expire.
    const user = { username, email, password: createToken(), ...(origin === undefined ? {} : { origin }) }
    console.log(await prepareHealthUser(serviceInfoUrl, user))
    return
  }
  const token = process.env['COFFER_HEALTH_TOKEN'] ?? ''
  printSteps(await checkHealth(serviceInfoUrl, { username, token }), options)
}

interface Step {
  readonly name: string
  /** `undefined` if the step does not apply. */
  readonly ok: boolean | undefined
  readonly detail: string
}

function printSteps(steps: readonly Step[], { json }: JsonOption): void {
  const lines = steps.map(
    ({ detail, name, ok }) =>
      `${ok === undefined ? 'not applicable' : ok ? 'ok' : 'failed'}\t${name}\t${detail}`
  )
  printResult(json, steps, ...lines)
  if (steps.some(({ ok }) => ok === false)) process.exitCode = 1
}
