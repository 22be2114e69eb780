/** Works on a data directory: alone, where no service owns it, or through the operator's routes of the one that does. */
import { randomBytes } from 'node:crypto'
import { toConfig, urlOf } from '../../core/settings/config.js'
import { silentLog } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import { systemClock } from '../../core/time.js'
import { version } from '../../core/version.js'
import { Layout } from '../../storage/files/layout.js'
import { DirectoryLocked, lockDirectory } from '../../storage/sqlite/lock.js'
import type { Runtime } from '../../server/runtime.js'
import { serviceRoutes } from '../../transports/http/routes.js'
import type { Services } from '../../core/call/services.js'

/** A service refuses, cannot be reached, or has to be stopped. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** What a method of the operator answers. */
export type Answer = Readonly<Record<string, unknown>>

/** Calls methods as the operator. */
export interface Operator {
  /** Makes a call; raises {@link OperatorError} with what the service says. */
  call(method: string, params: Readonly<Record<string, string | number>>): Promise<Answer>
  /** The core, where no service owns the directory. */
  readonly core?: Services
}

/** Does `alone` while nobody else may own the directory, or `beside` where a service does. */
export async function eitherWay<T>(
  settings: Settings,
  alone: () => Promise<T> | T,
  beside: (service: Operator) => Promise<T>
): Promise<T> {
  let release: () => void
  try {
    release = lockDirectory(new Layout(settings.dataDir).lockFile)
  } catch (error) {
    if (error instanceof DirectoryLocked) return await beside(running(settings))
    throw error
  }
  try {
    return await alone()
  } finally {
    release()
  }
}

/** Does some work as the operator: through the service that owns the directory, or with an engine of its own. */
export async function asOperator<T>(
  settings: Settings,
  work: (operator: Operator) => Promise<T>
): Promise<T> {
  return await eitherWay(
    settings,
    async () => {
      const engine = await startQuietly(settings)
      try {
        return await work(own(engine))
      } finally {
        await engine.close()
      }
    },
    work
  )
}

/** An engine that does nothing by itself: no mails to be caught up with, no webhooks to be told of a start. */
async function startQuietly(settings: Settings): Promise<Runtime> {
  const adminKey = randomBytes(24).toString('base64url')
  const config = toConfig({ ...settings, adminKey, userAccount: { delete: ['adminToken'] } }, version)
  const share = { index: 0, count: 1 }
  const options = {
    clock: systemClock,
    log: silentLog,
    share,
    isGuest: false,
    isQuiet: true,
    methodModules: []
  }
  // Only commands that need it wait for it to be loaded.
  const { Runtime } = await import('../../server/runtime.js')
  return await Runtime.start(config, options)
}

function own({ core, registry }: Runtime): Operator {
  return {
    core,
    async call(method, params) {
      const credentials = { authorization: core.config.adminKey, ip: '127.0.0.1', via: 'http' } as const
      const outcome = await registry.callWhole({ method, params, credentials })
      if (!outcome.ok) throw new OperatorError(outcome.error.message)
      return JSON.parse(`{${outcome.members}}`) as Answer
    }
  }
}

function running({ adminKey, host, port }: Settings): Operator {
  return {
    async call(method, params) {
      if (adminKey === '')
        throw new OperatorError(
          'A service owns the data directory: stop it, or give it and this command an adminKey'
        )
      const { body, path, verb } = requestOf(method, params)
      const url = urlOf(loopbackOf(host), port)
      const response = await fetch(url + path, {
        method: verb,
        redirect: 'manual',
        headers: {
          authorization: adminKey,
          ...(body !== undefined && { 'content-type': 'application/json' })
        },
        ...(body !== undefined && { body })
      }).catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error
        throw new OperatorError(
          `A service owns the data directory, but does not answer at ${url}: ${message}`
        )
      })
      return await answerOf(response)
    }
  }
}

/** Who listens everywhere is asked from here without names: containers may know none. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  let answer: Answer & { error?: { message?: string } } = {}
  try {
    if (text !== '') answer = JSON.parse(text) as typeof answer
  } catch {
    // Somebody else answers there.
  }
  if (response.ok) return answer
  throw new OperatorError(answer.error?.message ?? `The service answers ${response.status}`)
}

/** The request of a method, by the table of routes. */
function requestOf(
  method: string,
  params: Readonly<Record<string, string | number>>
): { path: string; verb: string; body?: string } {
  const route = serviceRoutes.find(each => each.method === method)
  if (!route) throw new OperatorError(`There is no route of ${method}`)
  const rest = new Map(Object.entries(params))
  const path = route.path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  if (route.verb === 'POST') return { path, verb: route.verb, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams(
    Array.from(rest, ([name, value]): [string, string] => [name, String(value)])
  )
  return { path: rest.size === 0 ? path : `${path}?${query.toString()}`, verb: route.verb }
}
