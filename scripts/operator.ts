/** Works on a data directory: alone, where no service owns it, or through the operator's routes of the one that does. */
import { loadSettings } from '../core/load-settings.js'
import type { Settings } from '../core/settings.js'
import { urlOf } from '../core/config.js'
import { Layout } from '../storage/layout.js'
import { DirectoryLocked, lockDirectory } from '../storage/lock.js'

/** A service refuses, cannot be reached, or has to be stopped. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** What a route of the operator answers. */
export type Answer = Readonly<Record<string, unknown>>

/** A running service, by its operator's routes. */
export class RunningService {
  constructor(private readonly settings: Settings) {}

  /** Makes a call; raises {@link OperatorError} with what the service says. */
  async call(verb: string, path: string, body?: object): Promise<Answer> {
    const { adminKey, host, port } = this.settings
    if (adminKey === '')
      throw new OperatorError(
        'A service owns the data directory: stop it, or give it and this command an adminKey.'
      )
    const url = urlOf(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port) + path
    const response = await fetch(url, {
      method: verb,
      redirect: 'manual',
      headers: { authorization: adminKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) })
    }).catch((cause: Error) => {
      throw new OperatorError(
        `A service owns the data directory, but does not answer at ${url}: ${cause.message}`
      )
    })
    const text = await response.text()
    const answer = (text === '' ? {} : JSON.parse(text)) as Answer & { error?: { message?: string } }
    if (response.ok) return answer
    throw new OperatorError(answer.error?.message ?? `The service answers ${response.status}.`)
  }
}

/** The data directory that the settings name. */
export function directoryOf(flags: readonly string[]): { settings: Settings; layout: Layout } {
  const settings = loadSettings({ argv: flags, env: process.env, cwd: process.cwd() })
  return { settings, layout: new Layout(settings.dataDir) }
}

/** Does `alone` while nobody else may own the directory, or `beside` where a service does. */
export async function eitherWay<T>(
  settings: Settings,
  alone: () => Promise<T> | T,
  beside: (service: RunningService) => Promise<T>
): Promise<T> {
  let release: () => void
  try {
    release = lockDirectory(new Layout(settings.dataDir).lockFile)
  } catch (error) {
    if (error instanceof DirectoryLocked) return await beside(new RunningService(settings))
    throw error
  }
  try {
    return await alone()
  } finally {
    release()
  }
}
