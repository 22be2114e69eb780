/** Checks the service on this machine: whether it responds, and whether its data is consistent. */
import type { Settings } from '../../core/settings/settings.js'
import type { Layout } from '../../storage/files/layout.js'
import { formatCount } from '../terminal/output.js'
import { runDirectlyOrRemotely, type Operator } from '../terminal/operator.js'
import { isPlatformFileIntact } from './rebuild-platform.js'

/** The result of a step. `ok` is `undefined` if the step does not apply. */
interface OwnStep {
  readonly name: 'service' | 'platform' | 'disk' | 'accounts'
  readonly ok: boolean | undefined
  readonly detail: string
}

/** Timeout of a request. */
const timeoutMs = 10_000

/**
 * Runs the steps; without a running service, the service's own step fails and only the platform database is
 * checked. Never rejects because of the state of the service.
 */
export async function checkOwnHealth({
  layout,
  settings
}: {
  readonly layout: Layout
  readonly settings: Settings
}): Promise<OwnStep[]> {
  return await runDirectlyOrRemotely(
    settings,
    () => [
      { name: 'service', ok: false, detail: `not running: no process uses ${layout.root}` },
      { name: 'platform', ...checkPlatform(layout) }
    ],
    checkRunning
  )
}

function checkPlatform(layout: Layout): Pick<OwnStep, 'ok' | 'detail'> {
  try {
    return isPlatformFileIntact(layout)
      ? { ok: true, detail: 'platform database is intact' }
      : { ok: false, detail: 'platform database is damaged or missing' }
  } catch (error) {
    return { ok: false, detail: (error as Error).message }
  }
}

/** Checks the service that has the data directory open. Never rejects: what fails is a step that is not ok. */
async function checkRunning(operator: Operator): Promise<OwnStep[]> {
  const { url = '' } = operator
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })
    const { checks } = (await response.json()) as { checks?: { platform?: boolean; disk?: boolean } }
    if (!checks) return [{ name: 'service', ok: false, detail: `another program is responding at ${url}` }]
    return [
      { name: 'service', ok: true, detail: `responding at ${url}` },
      {
        name: 'platform',
        ok: checks.platform === true,
        detail: checks.platform ? 'platform database is responding' : 'platform database is not responding'
      },
      {
        name: 'disk',
        ok: checks.disk === true,
        detail: checks.disk ? 'data directory is writable' : 'data directory is not writable'
      },
      await checkConsistency(operator)
    ]
  } catch (error) {
    const { cause, message } = error as Error
    const detail = `running, but not responding at ${url}: ${cause instanceof Error ? cause.message : message}`
    return [{ name: 'service', ok: false, detail }]
  }
}

/** Checks that the platform file and the accounts are consistent. */
async function checkConsistency(operator: Operator): Promise<OwnStep> {
  try {
    const { checks } = (await operator.call('system.checkPlatformIntegrity', {})) as {
      checks: { title: string; errors: unknown[]; infos: { accounts?: number } }[]
    }
    const errors = checks.flatMap(check => check.errors)
    const accounts = checks[0]?.infos.accounts ?? 0
    if (errors.length === 0)
      return { name: 'accounts', ok: true, detail: `${formatCount(accounts, 'account')}, consistent` }
    const titles = checks.filter(check => check.errors.length > 0).map(({ title }) => title)
    return {
      name: 'accounts',
      ok: false,
      detail: `${formatCount(errors.length, 'inconsistency', 'inconsistencies')} (${titles.join(', ')}). Run "coffer check"`
    }
  } catch (error) {
    return { name: 'accounts', ok: false, detail: (error as Error).message }
  }
}
