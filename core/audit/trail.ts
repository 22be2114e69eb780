/** Makes one record of each call on a user's data. (docs/spec/audit.md#what-is-recorded) */
import type { AuditScope } from '../../storage/audit/scope.js'
import type { AuditEntry } from '../../storage/audit/record.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { formatWireId } from '../access-ids.js'
import { matchesAdminKey } from '../auth/admin.js'
import { getCallerId } from '../auth/authenticate.js'
import type { Caller } from '../permissions/caller.js'
import { ApiError, type ErrorId } from '../errors.js'
import type { AnyMethod, AuditActor } from '../call/method.js'
import { resolveAuditedMethods, type AuditedMethods } from './filter.js'
import { truncateText } from '../truncate-text.js'
import { AuditedQuery, listRecordableParams } from './query.js'
import { createSyslogFormat, type SyslogFormat } from './syslog.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** What the audit needs to know about a method, computed once. */
export interface AuditedMethod {
  readonly action: string
  /** Status of success. */
  readonly status: number
  /** Recorded instead of the access if a call needs none. */
  readonly standIn: AuditActor
  /** Whether the method writes an event or an access, which the record then names. */
  readonly writesItem: boolean
  /** Parameters of the query string that are recorded; `undefined` if params come in the body. */
  readonly query: ReadonlySet<string> | undefined
  /** Whether calls of the method are recorded in the account's database, and whether they are sent to syslog. */
  readonly isRecorded: boolean
  readonly isSent: boolean
}

/** A call that has run. */
interface CompletedCall {
  readonly caller: Caller
  readonly credentials: Credentials
  readonly now: number
  /** The scope of a read. */
  readonly auditScope?: AuditScope | undefined
  /** The provider that has vouched for the user. */
  readonly provider?: string | undefined
  /** The account's store, unless the call itself has a store. */
  readonly store?: UserStore | undefined
}

/** Actors that imply a proof, which a refused call has not given. */
const proofActors = new Set<AuditActor>([
  'valid-password',
  'valid-passkey',
  'valid-identity',
  'password-reset-token',
  'admin'
])

/** Errors of calls whose access is not, or no longer, valid. */
const invalidAccessErrors = new Set<ErrorId>(['invalid-access-token', 'too-many-requests'])

/** Maximum number of recorded characters of an error's message. */
const maxMessageLength = 500

const itemMethods = /^(?:events|accesses|account)\./

/** Records calls in the audit of their account, and in syslog, as far as the settings say so. */
export class AuditTrail {
  readonly #methods: AuditedMethods
  readonly #format: SyslogFormat
  readonly #anonymousCallers = new AnonymousCallers()

  /** Throws a `SettingsError` if the filters name something that is not a method. */
  constructor(
    private readonly services: Services,
    definitions: readonly AnyMethod[]
  ) {
    const none = new Set<string>()
    const methods = resolveAuditedMethods(services.config, definitions)
    this.#methods = services.config.audit.active ? methods : { recorded: none, sent: none }
    this.#format = createSyslogFormat(services.config)
  }

  /**
   * Returns how calls of a method are audited; `undefined` if they are not. Calls of the service's own methods have no
   * account in which to be recorded: if the method names an actor, they are only sent to syslog.
   */
  getAudited({ allow, auditActor, id, isInternal, mode, params }: AnyMethod): AuditedMethod | undefined {
    // What the service itself reads before a write, or checks before a call, is not a call of anyone.
    if (isInternal && (mode === 'read' || !allow.needsAccess)) return undefined
    const isOfService = mode === 'service'
    const isRecorded = !isOfService && this.#methods.recorded.has(id)
    const isSent = (!isOfService || auditActor !== undefined) && this.#methods.sent.has(id)
    if (!isRecorded && !isSent) return undefined
    const { verb = 'POST', status = 200 } = this.services.endpoints.get(id) ?? {}
    return {
      action: id,
      status,
      standIn: auditActor ?? (allow.needsAccess ? 'invalid' : 'public'),
      writesItem: mode === 'write' && itemMethods.test(id),
      query:
        verb === 'GET' || verb === 'DELETE'
          ? listRecordableParams(params as { properties?: object })
          : undefined,
      isRecorded,
      isSent
    }
  }

  /**
   * Records a call that has succeeded, and sends it to the syslog, as far as the filters say; for a call that
   * writes, within its transaction. Notes a read for timed work that depends on it.
   */
  recordSuccess(
    account: Account | undefined,
    audited: AuditedMethod,
    {
      caller,
      credentials,
      now,
      provider,
      auditScope,
      store = account && this.#findStore(account)
    }: CompletedCall
  ): void {
    const { action, query, standIn, status, writesItem } = audited
    const lastWritten = writesItem ? store?.audit.lastWritten : undefined
    const access = caller.access ? formatWireId(caller.access) : this.#verifiedActor(standIn, credentials)
    const told = createAuditedQuery(credentials, query)
    const entry: AuditEntry = {
      time: now,
      access,
      action,
      via: credentials.via,
      ip: credentials.ip,
      status,
      callerId: caller.callerId ?? provider,
      query: told,
      isQueryTruncated: told?.isTruncated,
      key: lastWritten?.key,
      integrity: lastWritten?.integrity,
      auditScope
    }
    // Any client can make calls without proof, as often as it likes.
    const isAnonymous = caller.access === undefined && !proofActors.has(access as AuditActor)
    if (audited.isRecorded) store?.record(entry, isAnonymous)
    if (audited.isSent) this.#send(entry, account, isAnonymous)
    if (auditScope && account) this.services.timers.noteRead(account)
  }

  /**
   * Records a call that was refused, and sends it to the syslog, as far as the filters say. A message that
   * may quote the body is replaced by the general one of its error.
   */
  recordFailure(
    account: Account | undefined,
    audited: AuditedMethod,
    credentials: Credentials,
    error: ApiError
  ): void {
    if (!account && !audited.isSent) return
    const { action, query, standIn } = audited
    const { accessId } = error.details
    const store = account && this.#findStore(account)
    const told = createAuditedQuery(credentials, query)
    const message = quotesBody(credentials, query, error) ? new ApiError(error.id).message : error.message
    const entry: AuditEntry = {
      time: this.services.clock.now(),
      access:
        accessId === undefined
          ? proofActors.has(standIn)
            ? 'invalid'
            : standIn
          : formatWireId(store?.accesses.find(accessId) ?? { id: accessId }),
      action,
      via: credentials.via,
      ip: credentials.ip,
      status: error.status,
      callerId: accessId === undefined ? undefined : getCallerId(credentials),
      query: told,
      isQueryTruncated: told?.isTruncated,
      errorId: error.id,
      message: message.length > maxMessageLength ? `${truncateText(message, maxMessageLength)}…` : message
    }
    const isAnonymous = accessId === undefined || invalidAccessErrors.has(error.id)
    if (audited.isRecorded) store?.record(entry, isAnonymous)
    if (audited.isSent) this.#send(entry, account, isAnonymous)
  }

  /** Returns the actor `admin` only for calls with the admin key: an account can also be deleted by its owner. */
  #verifiedActor(standIn: AuditActor, credentials: Credentials): AuditActor {
    return standIn === 'admin' && !matchesAdminKey(this.services, credentials) ? 'public' : standIn
  }

  #send(entry: AuditEntry, account: Account | undefined, isAnonymous: boolean): void {
    const told = isAnonymous ? this.#anonymousCallers.admit(entry) : [entry]
    for (const each of told) this.services.syslog?.send(this.#format(each, account?.id))
  }

  /**
   * Returns the account's store; `undefined` if the account has been deleted, perhaps by this very call, or its
   * database cannot be opened.
   */
  #findStore(account: Account): UserStore | undefined {
    try {
      return this.services.accounts.openStore(account)
    } catch {
      return undefined
    }
  }
}

function createAuditedQuery(
  { isMember, query }: Credentials,
  known: ReadonlySet<string> | undefined
): AuditedQuery | undefined {
  return query && known && !isMember ? new AuditedQuery(query, known) : undefined
}

/**
 * Returns whether an error's message may quote parts of a body, which must never be recorded. Messages about wrong
 * tokens do not; other messages may, unless all params were in the URL.
 */
function quotesBody(
  { isMember, via }: Credentials,
  query: ReadonlySet<string> | undefined,
  { status }: ApiError
): boolean {
  return status !== 401 && (isMember === true || via === 'socket.io' || query === undefined)
}

/** Maximum messages about calls without a valid token in one second. */
const perSecond = 50

/** Limits the syslog messages about calls without a valid token. Skipped messages are counted. */
class AnonymousCallers {
  #second = 0
  #sent = 0
  #skipped = 0

  /**
   * Returns the entries to send for a call, none for calls beyond 50 a second; the number of calls skipped
   * before is added to the message.
   */
  admit(entry: AuditEntry): AuditEntry[] {
    const second = Math.floor(entry.time)
    const skipped = second === this.#second ? 0 : this.#skipped
    if (second !== this.#second) {
      this.#second = second
      this.#sent = this.#skipped = 0
    }
    if (++this.#sent > perSecond) {
      this.#skipped++
      return []
    }
    if (skipped === 0) return [entry]
    const message = `calls without a valid token not sent before this one: ${skipped}`
    return [{ ...entry, message: entry.message === undefined ? message : `${message}; ${entry.message}` }]
  }
}
