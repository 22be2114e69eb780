/** Receives data that apps and devices send on their own: `/{user}/from/{dialect}`. (docs/api/connections.md) */
import { Readable } from 'node:stream'
import { getPresentedToken } from '../../core/auth/authenticate.js'
import { getAccountKey } from '../../core/call/account-key.js'
import type { Credentials } from '../../core/call/credentials.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { Failure, Outcome, UploadedFile } from '../../core/call/outcome.js'
import { ApiError, fail } from '../../core/errors.js'
import { toFileName } from '../../core/events/file-name.js'
import type { Connection } from '../../schemas/connection.js'
import type { Level } from '../../schemas/permission.js'
import type { Party } from '../../storage/scheduler.js'
import { runInTurns } from '../../storage/steps.js'
import { UserCalls } from '../user-calls.js'
import type { IncomingRequest, IncomingResponse, ReceiveEndpoint } from '../endpoints.js'
import type { Dialect, DialectAnswer, Reading, ReceivedRequest } from './dialect.js'
import { dialects } from './dialects.js'
import { Friends } from './friends.js'
import { limitReadingInSteps } from './limit-reading.js'
import { assertEntryCount, readRequest, type ReadRequest } from './read-request.js'
import { ReadThread } from './read-thread.js'
import { findDigestInBody, takeToken } from './token.js'

/** Maximum size of a body, decompressed. */
const maxBodyBytes = 50 * 1024 * 1024
/** Size of bodies, in bytes, above which they are read in a thread. Below, that takes a few dozen milliseconds. */
const maxInlineBytes = 256 * 1024
/** Seconds after which the same problem of a connection is recorded again. */
const problemSeconds = 60
/** Maximum number of connections whose last problem is remembered. */
const maxProblems = 1000

/** A request whose sender is known. */
interface Caller {
  readonly user: string
  readonly credentials: Credentials
  readonly dialect: Dialect
}

interface OpenedConnection {
  readonly connection: Connection
  readonly level?: Level
}

export class Receiver implements ReceiveEndpoint {
  readonly segment = 'from'
  /** The last problem of connections that was recorded, and when in seconds. */
  readonly #problems = new Map<string, { readonly message: string; readonly time: number }>()

  readonly #thread = new ReadThread()
  readonly #friends: Friends

  constructor(private readonly dispatcher: Dispatcher) {
    this.#friends = new Friends(dispatcher)
  }

  /**
   * Stores what a request contains, and returns the answer that its app expects, once everything is durable.
   * If the request is refused, its connection records why. Errors: those that any call may have,
   * `unknown-resource`, `invalid-request-structure`.
   */
  async handle(incoming: IncomingRequest): Promise<IncomingResponse> {
    const { headers, ip, verb } = incoming
    const [id = '', ...segments] = incoming.segments
    const dialect = dialects.get(id) ?? fail('unknown-resource', 'Unknown dialect')
    const { path, query, token: presented } = takeToken(incoming, segments, dialect.sendsDigest)
    // Neither the URL nor the query: both may contain the token.
    const anonymous: Credentials = { headers, ip, via: 'http', isConnection: true }
    const maxBytes = dialect.maxBodyBytes ?? maxBodyBytes
    const isInBody = presented === undefined && dialect.sendsDigest === true && verb.startsWith('P')
    const early = isInBody ? await incoming.readBody({ credentials: anonymous }, maxBytes) : undefined
    const token = presented ?? (early && findDigestInBody(early))
    const credentials = { ...anonymous, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const user = incoming.user ?? (await this.#findUser(credentials, token))
    const caller = { user, credentials, dialect }
    const { connection, level } = await this.#open(caller)
    try {
      const body = early ?? (await incoming.readBody(caller, maxBytes))
      const now = this.dispatcher.services.clock.now()
      const request: ReceivedRequest = { method: verb, path, query, headers, body, now, connection }
      if (dialect.serve) {
        assertEntryCount(body)
        const store = { level, add: this.#store.bind(this, caller), call: this.#call.bind(this, caller) }
        return toResponse(
          await this.#guard(dialect, async () => await dialect.serve!(request, store, token ?? ''))
        )
      }
      const { answer, reading } = await this.#guard(dialect, () => this.#read(caller, request))
      await this.#store(caller, reading)
      const { presentFriend } = dialect
      if (!presentFriend || !connection.friends) return toResponse(answer)
      const friends = await this.#friends.list(connection.friends, anonymous)
      return toResponse({ ...answer, body: friends.flatMap(presentFriend) })
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 401)
        await this.#noteProblem(caller, connection.id, error)
      throw error
    }
  }

  /** Reads a request: in a thread if its body is large. */
  #read(
    { credentials, dialect, user }: Caller,
    request: ReceivedRequest
  ): ReadRequest | Promise<ReadRequest> {
    if (request.body.length <= maxInlineBytes) return readRequest(dialect, request)
    const party = this.#getParty(user, credentials)
    return this.#thread.read(dialect.id, request, party)
  }

  /** Returns on whose behalf a request is read: of the account, whatever name it was sent to. */
  #getParty(user: string, credentials: Credentials): Party {
    const access = getPresentedToken(credentials) ?? ''
    return { account: getAccountKey(this.dispatcher.services, user), access }
  }

  /** Finds the user of a token whose request does not name the user. Error: `invalid-access-token`. */
  async #findUser(credentials: Credentials, token = ''): Promise<string> {
    const outcome = await this.dispatcher.call({
      method: 'connections.findAccount',
      params: { token },
      credentials
    })
    return (JSON.parse(`{${requireSuccess(outcome).members}}`) as { username: string }).username
  }

  /** Authenticates a request; returns the settings of its connection. */
  async #open({ credentials, dialect, user }: Caller): Promise<OpenedConnection> {
    const outcome = await this.dispatcher.call({
      user,
      method: 'connections.open',
      params: { dialect: dialect.id },
      credentials
    })
    const { members } = requireSuccess(outcome)
    return JSON.parse(`{${members}}`) as OpenedConnection
  }

  /** Calls a method with the access of a connection. */
  async #call(
    { credentials, user }: Caller,
    method: string,
    params: object
  ): Promise<Record<string, unknown>> {
    return await new UserCalls(this.dispatcher, user, { ...credentials, isCounted: true }).call(
      method,
      params
    )
  }

  /** Lets a dialect handle a request. Error: `invalid-request-structure` if its body does not suit the dialect. */
  async #guard<T>(dialect: Dialect, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      // Other errors, such as errors of the storage, are reported by transports.
      if (cause instanceof ApiError || !(cause instanceof RangeError || cause instanceof TypeError))
        throw cause
      this.dispatcher.services.log.error('a body could not be read', { method: dialect.id, cause })
      return fail('invalid-request-structure', 'The body could not be read')
    }
  }

  /** Stores what a request contains. Returns the numbers of records that could not be stored, by kind. */
  async #store(
    { credentials, dialect, user }: Caller,
    reading: Reading
  ): Promise<ReadonlyMap<string, number>> {
    const { services } = this.dispatcher
    const { attachments, config } = services
    const party = this.#getParty(user, credentials)
    const {
      files: named,
      notUnderstood,
      records
    } = await runInTurns(limitReadingInSteps(reading, config.uploads.maxFileBytes), party)
    const files: UploadedFile[] = []
    try {
      for (const { bytes, fileName, type } of named) {
        const received = await attachments.receive(Readable.from([bytes]), config.integrity.algorithm, party)
        // Apps that are refused send the same again and again.
        files.push({ fileName: toFileName(fileName), type, received })
      }
      const params = {
        dialect: dialect.id,
        records,
        ...(reading.removals && { removals: reading.removals }),
        ...(reading.unmapped && { unmapped: reading.unmapped }),
        received: reading.received,
        notUnderstood: Object.fromEntries(notUnderstood),
        fileKeys: named.map(({ key }) => key)
      }
      const method = 'connections.receive'
      const { members } = requireSuccess(
        await this.dispatcher.call({ user, method, params, credentials, files })
      )
      return new Map(
        Object.entries((JSON.parse(`{${members}}`) as { refused: Record<string, number> }).refused)
      )
    } finally {
      for (const { received } of files) await attachments.discard(received)
    }
  }

  /** Records why a request failed, for its connection. It is not recorded each time, because apps repeat failed requests. */
  async #noteProblem(
    { credentials, dialect, user }: Caller,
    id: string,
    { id: error, message }: ApiError
  ): Promise<void> {
    const time = this.dispatcher.services.clock.now()
    const last = this.#problems.get(id)
    if (last?.message === message && time - last.time < problemSeconds) return
    this.#problems.delete(id)
    this.#problems.set(id, { message, time })
    if (this.#problems.size > maxProblems) this.#problems.delete(this.#problems.keys().next().value!)
    const params = { dialect: dialect.id, error, message }
    await this.dispatcher.call({ user, method: 'connections.noteProblem', params, credentials })
  }
}

function requireSuccess(outcome: Outcome): Exclude<Outcome, Failure> {
  if (!outcome.ok) throw outcome.error
  return outcome
}

function toResponse({ body, headers, status }: DialectAnswer): IncomingResponse {
  if (typeof body === 'string') return { status, headers: headers ?? {}, text: body }
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    text: JSON.stringify(body)
  }
}
