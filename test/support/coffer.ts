/** The test harness: a complete service on a temporary directory, with a manual clock. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import type { Test } from 'tap'
import { toConfig, type Config } from '../../core/settings/config.js'
import { createId } from '../../core/ids.js'
import type { Log } from '../../core/log.js'
import type { Outcome } from '../../core/call/outcome.js'
import { Settings } from '../../core/settings/settings.js'
import { ManualClock } from '../../core/time.js'
import { version } from '../../core/version.js'
import type { Access } from '../../schemas/access.js'
import type { Level, Permission } from '../../schemas/permission.js'
import { startServer, type Server } from '../../server/server.js'
import type { DurabilityProvider } from '../../storage/wal/durability.js'
import { provideTemplates } from './templates.js'
import { sendForm, sendRequest } from './request.js'

/** A response as any client gets it: the result's members, or `error`, with `accessId`. */
// oxlint-disable-next-line no-explicit-any -- tests inspect responses freely
export type Answer = any

/** Settings that override the defaults at any depth. */
export type Overrides = Deep<Settings>
type Deep<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[] ? T[K] : T[K] extends object ? Deep<T[K]> : T[K]
}

/** A client with a token. */
export class Client {
  constructor(
    readonly service: Service,
    readonly username: string,
    readonly access: Access
  ) {}

  get token(): string {
    return this.access.token
  }

  /** Calls a method directly through the registry, and reads lists to their end. */
  async call(method: string, params: unknown = {}): Promise<Answer> {
    return await this.service.call(this.username, method, params, this.token)
  }

  /** Like {@link call}, but throws if the call fails: for setting up a test. */
  async do(method: string, params: unknown = {}): Promise<Answer> {
    const answer = await this.call(method, params)
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    return answer
  }

  /** Creates a stream with its id as its name. */
  async stream(id: string, parentId: string | null = null): Promise<Answer> {
    return (await this.do('streams.create', { id, name: id, parentId })).stream
  }

  /** Creates an event: by default a note in `diary`. */
  async event(fields: Record<string, unknown> = {}): Promise<Answer> {
    return (
      await this.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'hello', ...fields })
    ).event
  }

  /** Creates an access with a level on a stream, or with the given permissions. */
  async grant(level: Level, streamId: string, fields: Record<string, unknown> = {}): Promise<Client> {
    return await this.grantAll([{ streamId, level }], fields)
  }

  async grantAll(permissions: Permission[], fields: Record<string, unknown> = {}): Promise<Client> {
    const { access } = await this.do('accesses.create', { name: createId(), permissions, ...fields })
    return new Client(this.service, this.username, access)
  }

  /** Sends an HTTP request below the user's root, with the token; a body is sent as JSON, or as a form. */
  async http(
    verb: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    return await this.service.http(verb, `/${this.username}${path}`, body, {
      authorization: this.token,
      ...headers
    })
  }
}

/** Number of threads that own users' files, by default: tests that inspect the core need it in their own thread. */
const workers = Number(process.env['COFFER_TEST_WORKERS'] ?? 0)
/** Methods that exist only in tests. */
export const methodModules = [new URL('./methods.js', import.meta.url).href]

/** The service under test. */
export class Service {
  constructor(
    readonly server: Server,
    readonly clock: ManualClock,
    readonly directory: string
  ) {}

  /**
   * Creates a signed-in user, without hashing or registration. Only with `fields` does the account have field values as
   * events: the given ones and defaults.
   */
  async user(username: string, fields?: Readonly<Record<string, string | number>>): Promise<Client> {
    const params = { username, ...(fields && { fields }) }
    const { access } = await this.call(undefined, 'test.createUser', params)
    return new Client(this, username, access)
  }

  async call(
    user: string | undefined,
    method: string,
    params: unknown,
    token?: string,
    credentials: Record<string, string> = {}
  ): Promise<Answer> {
    const outcome = await this.server.dispatcher.call({
      ...(user === undefined ? {} : { user }),
      method,
      params,
      credentials: {
        ip: '127.0.0.1',
        via: 'http',
        ...(token === undefined ? {} : { authorization: token }),
        ...credentials
      }
    })
    return await read(outcome)
  }

  /** Sends an HTTP request. */
  async http(
    verb: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    const url = this.server.url + path
    const received =
      body instanceof FormData
        ? await sendForm(url, { method: verb, headers, body })
        : await sendRequest(url, {
            method: verb,
            headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
            body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
          })
    const { status, text } = received
    const isJson = /[/+]json/.test(received.headers.get('content-type') ?? '')
    return { status, headers: received.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
  }
}

/** Starts a service; the test's teardown stops it. */
export async function coffer(
  t: Test,
  overrides: Overrides = {},
  log?: Log,
  durability?: DurabilityProvider
): Promise<Service & { alice: Client }> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  provideTemplates(directory)
  const clock = new ManualClock()
  const server = await startServer(testSettings(directory, overrides), {
    clock,
    methodModules,
    ...(log && { log }),
    ...(durability && { durability })
  })
  t.teardown(async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const service = new Service(server, clock, directory)
  const alice = await service.user('alice')
  return Object.assign(service, { alice })
}

/** Like {@link coffer}, for tests that inspect the core: it always runs in their own thread. */
export async function openCoffer(
  t: Test,
  overrides: Overrides = {},
  log?: Log
): Promise<Service & { alice: Client }> {
  return await coffer(t, { ...overrides, workers: 0 }, log)
}

const defaults = Value.Default(Settings, { workers }) as object

/** Returns the default settings with overrides, on any free port. */
export function testSettings(dataDir: string, overrides: Overrides = {}): Settings {
  const settings = merged(structuredClone(defaults), overrides)
  return { ...(settings as Settings), port: 0, dataDir }
}

function merged(below: object, above: object): object {
  const entries = Object.entries(above).map(([key, value]: [string, unknown]) => {
    const standard = (below as Record<string, unknown>)[key]
    return [key, isGroup(standard) && isGroup(value) ? merged(standard, value) : value]
  })
  return { ...below, ...Object.fromEntries(entries) }
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the configuration for {@link testSettings}. */
export function testConfig(dataDir: string, overrides: Overrides = {}): Config {
  return toConfig(testSettings(dataDir, overrides), version)
}

/** Returns the members of a result, read to its end, or the error. */
async function read(outcome: Outcome): Promise<Answer> {
  const { accessId } = outcome
  if (!outcome.ok)
    return {
      ...outcome.error.details.beside,
      error: JSON.parse(JSON.stringify(outcome.error)),
      status: outcome.error.status,
      accessId
    }
  let text = ''
  for await (const more of textsOf(outcome)) text += more
  return { ...JSON.parse(`{${text}}`), accessId }
}

/** Yields the texts of an outcome; throws the error of a refusal. */
export async function* textsOf(outcome: Outcome): AsyncGenerator<string, void, undefined> {
  if (!outcome.ok) throw outcome.error
  yield outcome.members
  if (outcome.remainder) yield* outcome.remainder
}
