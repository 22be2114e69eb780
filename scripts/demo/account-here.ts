/** Fills an account of a data directory that is locked: makes it first, unless there is one that is empty. */
import { randomInt } from 'node:crypto'
import { toConfig } from '../../core/settings/config.js'
import { createPasswords } from '../../core/security/passwords.js'
import type { Settings } from '../../core/settings/settings.js'
import { assertPasswordComplexity } from '../../core/sign-in/password-rules.js'
import { version } from '../../core/version.js'
import type { Account } from '../../storage/platform/account.js'
import type { Runtime } from '../../server/runtime.js'
import { own, withRuntime } from '../terminal/operator.js'
import type { Progress } from '../terminal/progress.js'
import { fill, type Made } from './filling.js'
import { HereTarget, PastClock, signInHere } from './here.js'
import { daysOf, type Plan } from './person/days.js'
import { call, DemoError, isEmpty, refuse } from './target.js'

export interface HereOptions {
  readonly settings: Settings
  readonly username: string
  /** Generated if left out. */
  readonly password: string | undefined
  readonly plan: Plan
  readonly progress: Progress | undefined
}

/** Returns what was made, with the password of a new account. Throws {@link DemoError}. */
export async function fillHere(options: HereOptions): Promise<{ made: Made; password?: string }> {
  const { plan, progress, settings, username } = options
  const clock = new PastClock()
  return await withRuntime(unheard(settings), clock, async runtime => {
    const known = runtime.services.accounts.find(username)
    if (known) assertFree(runtime, known, options)
    // What an account that is there records must not be older than what it has recorded.
    else clock.moveTo(daysOf(plan)[0]!.from)
    const password = known ? undefined : await created(runtime, options)
    const target = new HereTarget(runtime, username, known ? undefined : clock)
    const token = await signInHere(runtime, username)
    const made = await fill(target, token, plan, progress)
    await call(target, token, [{ method: 'auth.logout', params: {} }])
    await runtime.settle()
    return { made, ...(password !== undefined && { password }) }
  })
}

function assertFree({ services }: Runtime, account: Account, { password, username }: HereOptions): void {
  const store = services.accounts.store(account)
  if (
    !store.read(() =>
      isEmpty(
        store.streams.roots().map(({ stream }) => stream),
        store.accesses.list()
      )
    )
  )
    refuse(username)
  if (password !== undefined)
    throw new DemoError(`The account ${username} already exists and keeps its password. Leave out --password`)
}

/** Creates the account; returns its password. */
async function created(runtime: Runtime, { password, settings, username }: HereOptions): Promise<string> {
  const chosen = password ?? generated(settings)
  assertPasswordRules(settings, chosen)
  await own(runtime).call('system.createUser', {
    username,
    passwordHash: await createPasswords().hash(chosen),
    email: `${username}@example.com`,
    language: 'en'
  })
  return chosen
}

function assertPasswordRules(settings: Settings, password: string): void {
  if (password.length < 6) throw new DemoError('The password must have at least 6 characters')
  try {
    assertPasswordComplexity(toConfig(settings, version), password, 'password')
  } catch (error) {
    throw new DemoError((error as Error).message)
  }
}

/** Groups of letters and digits that are not mistaken for each other, with a capital and a sign for strict rules. */
function generated({ auth }: Settings): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz'
  const groups = Math.max(4, Math.ceil((auth.passwordComplexityMinLength + 1) / 5))
  const group = (): string =>
    `${letters[randomInt(letters.length)]!.toUpperCase()}${Array.from({ length: 2 }, () => letters[randomInt(letters.length)]).join('')}${randomInt(2, 10)}`
  return Array.from({ length: groups }, group).join('-')
}

/**
 * Nobody reads the mail of an invented person, and these calls concern no auditor. Call limits are off: their clock stands still
 * here while a day's calls are made.
 */
function unheard(settings: Settings): Settings {
  const { audit, limits, services } = settings
  return {
    ...settings,
    services: { ...services, email: { ...services.email, enabled: false } },
    audit: { ...audit, syslog: { ...audit.syslog, host: '' } },
    limits: { ...limits, callsPerToken: { ...limits.callsPerToken, app: 0, personal: 0, shared: 0 } }
  }
}
