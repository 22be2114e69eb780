/** Works on a data directory: directly if no service has it open, or otherwise through the admin API of that service. */
import { randomBytes } from 'node:crypto'
import { toConfig, buildLoopbackUrl } from '../../core/settings/config.js'
import { wholeShard } from '../../core/call/shard.js'
import { silentLog } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import { systemClock, type Clock } from '../../core/time.js'
import { version } from '../../core/version.js'
import { Layout } from '../../storage/files/layout.js'
import { readServiceFile } from '../../storage/files/private-files.js'
import { DirectoryLocked, lockDirectory } from '../../storage/sqlite/lock.js'
import type { Runtime } from '../../server/runtime.js'
import { serviceRoutes } from '../../transports/http/routes.js'
import type { Request } from '../../core/call/outcome.js'
import type { Services } from '../../core/call/services.js'
import { OperatorError, requestService } from './request-service.js'

/** The result of a method. */
export type MethodResult = Readonly<Record<string, unknown>>

/** A session of a user, for an app. */
export interface UserSession {
  readonly username: string
  /** Id of the session's access. */
  readonly id: string
  readonly token: string
  /** URL of the account, with the token. */
  readonly apiEndpoint: string
}

/** Calls methods as the operator. */
export interface Operator {
  /** Calls a method. Throws {@link OperatorError} with the error message of the service. */
  call(method: string, params: Readonly<Record<string, string | number | boolean>>): Promise<MethodResult>
  /** Calls a method of a user with a token. Throws {@link OperatorError} with the error message of the service. */
  callAsUser(
    session: UserSession,
    method: string,
    params: Readonly<Record<string, unknown>>
  ): Promise<MethodResult>
  /** The services of the core, if they run in this process. */
  readonly services?: Services
  /** Base URL of the running service, without a trailing slash; absent if none runs. */
  readonly url?: string
}

/** Runs `direct` while holding the lock of the data directory, or `remote` if a running service holds it. */
export async function runDirectlyOrRemotely<T>(
  settings: Settings,
  direct: () => Promise<T> | T,
  remote: (service: Operator) => Promise<T>
): Promise<T> {
  let release: () => void
  try {
    release = lockDirectory(new Layout(settings.dataDir).lockFile)
  } catch (error) {
    if (error instanceof DirectoryLocked) return await remote(createRemoteOperator(settings))
    throw error
  }
  try {
    return await direct()
  } finally {
    release()
  }
}

/**
 * Runs `work` as the operator: through the running service, or with a runtime in this process, which has the
 * data directory locked. Throws `OperatorError` if the running service does not respond.
 */
export async function withOperator<T>(
  settings: Settings,
  work: (operator: Operator) => Promise<T>
): Promise<T> {
  return await runDirectlyOrRemotely(
    settings,
    async () =>
      await withRuntime(settings, systemClock, async runtime => await work(createOperator(runtime))),
    work
  )
}

/**
 * Runs `work` with a runtime on a locked data directory. The runtime does no background work: it does not send pending emails or
 * call webhooks.
 */
export async function withRuntime<T>(
  settings: Settings,
  clock: Clock,
  work: (runtime: Runtime) => Promise<T>
): Promise<T> {
  const runtime = await startQuietly(settings, clock)
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

/** Starts a runtime with a random key for the operator, without log output and background work. */
async function startQuietly(settings: Settings, clock: Clock): Promise<Runtime> {
  const commandKey = randomBytes(24).toString('base64url')
  const userAccount = { ...settings.userAccount, delete: ['adminToken' as const] }
  const config = Object.freeze({ ...toConfig({ ...settings, userAccount }, version), commandKey })
  const options = {
    clock,
    log: silentLog,
    shard: wholeShard,
    isGuest: false,
    isQuiet: true,
    methodModules: []
  }
  // The module is loaded on demand, because it loads slowly and few commands need it.
  const { Runtime } = await import('../../server/runtime.js')
  return await Runtime.start(config, options)
}

/** Returns the operator of a runtime. Its calls throw `OperatorError` if they are refused. */
export function createOperator({ services, registry }: Runtime): Operator {
  return {
    services,
    async call(method, params) {
      const { commandKey } = services.config
      return await callHere(registry, { method, params }, commandKey)
    },
    async callAsUser({ token, username }, method, params) {
      return await callHere(registry, { user: username, method, params }, token)
    }
  }
}

async function callHere(
  registry: Runtime['registry'],
  request: Pick<Request, 'method' | 'params' | 'user'>,
  authorization: string
): Promise<MethodResult> {
  const credentials = { authorization, ip: '127.0.0.1', via: 'http' } as const
  const outcome = await registry.call({ ...request, credentials, isWhole: true })
  if (!outcome.ok) throw new OperatorError(outcome.error.message)
  return JSON.parse(`{${outcome.members}}`) as MethodResult
}

/** Creates an operator that calls the running service. Its calls reject with `OperatorError`. */
function createRemoteOperator(settings: Settings): Operator {
  const { adminKey, dataDir, host, port } = settings
  const published = readServiceFile(new Layout(dataDir))
  const { key, url } = published ?? { url: buildLoopbackUrl(host, port), key: adminKey }
  return {
    url,
    async call(method, params) {
      if (key === '')
        throw new OperatorError(
          'The data directory is in use by a running service. Stop it, run this command as the user of the service, or set adminKey for both'
        )
      const { body, path, verb } = createRequest(method, params)
      const response = await fetch(url + path, {
        method: verb,
        redirect: 'manual',
        headers: { authorization: key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body })
      }).catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error
        // A service that was killed leaves its file behind.
        const hint = published
          ? '. If that service was killed, end what uses the directory now, or start it again'
          : ''
        throw new OperatorError(
          `The data directory is in use by a running service that is not responding at ${url}: ${message}${hint}`
        )
      })
      return await parseResponse(response)
    },
    async callAsUser({ token, username }, method, params) {
      const body = JSON.stringify([{ method, params }])
      const headers = { authorization: token, 'content-type': 'application/json' }
      const answer = await requestService(`${url}/${username}/`, { method: 'POST', headers, body })
      const [result] = (answer as { results: (MethodResult & { error?: { message: string } })[] }).results
      if (result?.error) throw new OperatorError(result.error.message)
      return result!
    }
  }
}

async function parseResponse(response: Response): Promise<MethodResult> {
  const text = await response.text()
  let answer: MethodResult & { error?: { message?: string } } = {}
  try {
    if (text !== '') answer = JSON.parse(text) as typeof answer
  } catch {
    // Another program is listening there.
  }
  if (response.ok) return answer
  throw new OperatorError(answer.error?.message ?? `The service responded with ${response.status}`)
}

/**
 * Creates the request for a method, according to its route. Throws {@link OperatorError} if the method has
 * none.
 */
function createRequest(
  method: string,
  params: Readonly<Record<string, string | number | boolean>>
): { path: string; verb: string; body?: string } {
  const route = serviceRoutes.find(each => each.method === method)
  if (!route) throw new OperatorError(`No route for ${method}`)
  const remaining = new Map(Object.entries(params))
  const path = route.path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = remaining.get(name)
    remaining.delete(name)
    return encodeURIComponent(String(value))
  })
  if (route.verb === 'POST')
    return { path, verb: route.verb, body: JSON.stringify(Object.fromEntries(remaining)) }
  const query = new URLSearchParams(
    Array.from(remaining, ([name, value]): [string, string] => [name, String(value)])
  )
  return { path: remaining.size === 0 ? path : `${path}?${query.toString()}`, verb: route.verb }
}
