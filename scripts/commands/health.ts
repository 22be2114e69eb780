/** `coffer health`: whether a running service is well, for monitoring. (docs/spec/service-information.md#health) */
import { newToken } from '../../core/ids.js'
import { checkHealth, prepareHealthUser } from '../maintenance/health.js'

export interface HealthOptions {
  readonly user: string
  readonly prepare?: true
  readonly email?: string
  readonly origin?: string
}

/** Prints a line for each step; the exit code is 1 unless all is well. With `prepare` prints a token for later checks. */
export async function health(serviceInfoUrl: string, options: HealthOptions): Promise<void> {
  const { user: username, prepare, email = `${username}@localhost`, origin } = options
  if (prepare) {
    // Nobody signs in as this user again: the token does not expire.
    const user = { username, email, password: newToken(), ...(origin === undefined ? {} : { origin }) }
    console.log(await prepareHealthUser(serviceInfoUrl, user))
    return
  }
  const token = process.env['COFFER_HEALTH_TOKEN'] ?? ''
  const steps = await checkHealth(serviceInfoUrl, { username, token })
  for (const { name, ok, detail } of steps)
    console.log(`${ok === undefined ? 'not applicable' : ok ? 'ok' : 'failed'}\t${name}\t${detail}`)
  if (steps.some(({ ok }) => ok === false)) process.exitCode = 1
}
