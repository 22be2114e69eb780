/** Checks the service of this machine by its settings: is it up, and is what it keeps whole? */
import type { Settings } from '../../core/settings/settings.js'
import type { Layout } from '../../storage/files/layout.js'
import { counted } from '../terminal/counted.js'
import { eitherWay, ownUrl, type Operator } from '../terminal/operator.js'
import { isSound } from './rebuild-platform.js'

/** The result of a step; `ok` is `undefined` if the step does not apply. */
export interface OwnStep {
  readonly name: 'service' | 'platform' | 'disk' | 'accounts'
  readonly ok: boolean | undefined
  readonly detail: string
}

/** Time for an answer, in milliseconds. */
const timeoutMs = 10_000

/** Returns the steps. Never rejects because of the state of the service. */
export async function checkOwnHealth({
  layout,
  settings
}: {
  readonly layout: Layout
  readonly settings: Settings
}): Promise<OwnStep[]> {
  return await eitherWay(
    settings,
    () => [
      { name: 'service', ok: false, detail: `it does not run: nobody owns ${layout.root}` },
      { name: 'platform', ...checkPlatform(layout) }
    ],
    async operator => await whileRunning(settings, operator)
  )
}

function checkPlatform(layout: Layout): Pick<OwnStep, 'ok' | 'detail'> {
  try {
    return isSound(layout)
      ? { ok: true, detail: 'the platform file is sound' }
      : { ok: false, detail: 'the platform file is damaged or missing' }
  } catch (error) {
    return { ok: false, detail: (error as Error).message }
  }
}

async function whileRunning(settings: Settings, operator: Operator): Promise<OwnStep[]> {
  const url = ownUrl(settings)
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })
    const { checks } = (await response.json()) as { checks?: { platform?: boolean; disk?: boolean } }
    if (!checks) return [{ name: 'service', ok: false, detail: `what answers at ${url} is another program` }]
    return [
      { name: 'service', ok: true, detail: `it answers at ${url}` },
      {
        name: 'platform',
        ok: checks.platform === true,
        detail: checks.platform ? 'the platform file answers' : 'the platform file does not answer'
      },
      {
        name: 'disk',
        ok: checks.disk === true,
        detail: checks.disk ? 'the data directory can be written' : 'the data directory cannot be written'
      },
      await wholeness(settings, operator)
    ]
  } catch (error) {
    const { cause, message } = error as Error
    const detail = `it runs, but does not answer at ${url}: ${cause instanceof Error ? cause.message : message}`
    return [{ name: 'service', ok: false, detail }]
  }
}

/** Whether the platform file and the accounts say the same. */
async function wholeness({ adminKey }: Settings, operator: Operator): Promise<OwnStep> {
  if (adminKey === '')
    return {
      name: 'accounts',
      ok: undefined,
      detail: 'set adminKey, and the service can be asked about its accounts'
    }
  try {
    const { checks } = (await operator.call('system.checkPlatformIntegrity', {})) as {
      checks: { title: string; errors: unknown[]; infos: { accounts?: number } }[]
    }
    const errors = checks.flatMap(check => check.errors)
    const accounts = checks[0]?.infos.accounts ?? 0
    if (errors.length === 0)
      return { name: 'accounts', ok: true, detail: `${counted(accounts, 'account')}, nothing contradicts` }
    const titles = checks.filter(check => check.errors.length > 0).map(({ title }) => title)
    return {
      name: 'accounts',
      ok: false,
      detail: `${counted(errors.length, 'contradiction')} (${titles.join(', ')}): run "coffer check"`
    }
  } catch (error) {
    return { name: 'accounts', ok: false, detail: (error as Error).message }
  }
}
