/** Makes one record of each call on a user's data. (docs/spec/audit.md#what-is-recorded) */
import type { AuditScope } from '../../storage/audit/scope.js'
import type { AuditEntry } from '../../storage/audit/record.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { hasAdminKey } from '../auth/admin.js'
import { callerIdOf } from '../auth/authenticate.js'
import type { Caller } from '../permissions/caller.js'
import { ApiError, type ErrorId } from '../errors.js'
import type { AnyMethod, StandIn } from '../call/method.js'
import { auditedMethods, type AuditedMethods } from './filter.js'
import { shortened } from '../short-text.js'
import { AuditedQuery, tellable } from './query.js'
import { SyslogStrangers } from './syslog-strangers.js'
import { syslogFormat, type SyslogFormat } from './syslog.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** What the audit has to know about a method; computed once. */
export interface Audited {
  readonly action: string
  /** Status of success. */
  readonly status: number
  /** Stands in for the access if a call needs none. */
  readonly standIn: StandIn
  /** Whether it writes an event or an access, which the record then names. */
  readonly writesItem: boolean
  /** Parameters of the query string that are recorded; `undefined` if params come in the body. */
  readonly query: ReadonlySet<string> | undefined
  /** Whether its calls are recorded in the account's database, and whether they are sent to the syslog. */
  readonly isRecorded: boolean
  readonly isTold: boolean
}

/** A call that has run. */
export interface Answered {
  readonly caller: Caller
  readonly credentials: Credentials
  readonly now: number
  /** What a read reached. */
  readonly reach?: AuditScope | undefined
  /** The provider that has vouched for the user. */
  readonly provider?: string | undefined
  /** The account's store, unless the call has one of its own. */
  readonly store?: UserStore | undefined
}

/** Stand-ins that state a proof, which a refused call has not given. */
const proofs = new Set<StandIn>([
  'valid-password',
  'valid-passkey',
  'valid-identity',
  'password-reset-token',
  'admin'
])

/** Errors of calls whose access is not, or no longer, valid. */
const withoutAccess = new Set<ErrorId>(['invalid-access-token', 'too-many-requests'])

/** Characters of an error's message that are recorded. */
const maxMessageLength = 500

const writesItems = /^(?:events|accesses|account)\./

export class AuditTrail {
  readonly #methods: AuditedMethods
  readonly #format: SyslogFormat
  readonly #strangers = new SyslogStrangers()

  /** Throws a `SettingsError` if the filters name something that is not a method. */
  constructor(
    private readonly services: Services,
    definitions: readonly AnyMethod[]
  ) {
    const none = new Set<string>()
    const methods = auditedMethods(services.config, definitions)
    this.#methods = services.config.audit.active ? methods : { recorded: none, told: none }
    this.#format = syslogFormat(services.config)
  }

  /**
   * Returns how calls of a method are audited; `undefined` if they are not. Methods of the service itself have no account to
   * record them in: those that name a stand-in are only sent to the syslog.
   */
  of({ allow, auditAs, id, mode, params }: AnyMethod): Audited | undefined {
    const isOfService = mode === 'service'
    const isRecorded = !isOfService && this.#methods.recorded.has(id)
    const isTold = (!isOfService || auditAs !== undefined) && this.#methods.told.has(id)
    if (!isRecorded && !isTold) return undefined
    const { verb = 'POST', status = 200 } = this.services.endpoints.get(id) ?? {}
    return {
      action: id,
      status,
      standIn: auditAs ?? (allow.needsAccess ? 'invalid' : 'public'),
      writesItem: mode === 'write' && writesItems.test(id),
      query: verb === 'GET' || verb === 'DELETE' ? tellable(params as { properties?: object }) : undefined,
      isRecorded,
      isTold
    }
  }

  /** Records a call that has succeeded; for one that writes, within its transaction. */
  succeeded(
    account: Account | undefined,
    audited: Audited,
    { caller, credentials, now, provider, reach, store = account && this.#storeOf(account) }: Answered
  ): void {
    const { action, query, standIn, status, writesItem } = audited
    const lastWritten = writesItem ? store?.audit.lastWritten : undefined
    const access = caller.access?.id ?? this.#proven(standIn, credentials)
    const told = queryOf(credentials, query)
    const entry: AuditEntry = {
      time: now,
      access,
      action,
      via: credentials.via,
      ip: credentials.ip,
      status,
      callerId: caller.callerId ?? provider,
      query: told,
      isQueryTruncated: told?.isCut,
      key: lastWritten?.key,
      integrity: lastWritten?.integrity,
      reach
    }
    // Anybody can make calls without proof, as often as they like.
    const isStranger = caller.access === undefined && !proofs.has(access as StandIn)
    if (audited.isRecorded) store?.record(entry, isStranger)
    if (audited.isTold) this.#tell(entry, account, isStranger)
  }

  /** Records a call that was refused. */
  failed(account: Account | undefined, audited: Audited, credentials: Credentials, error: ApiError): void {
    if (!account && !audited.isTold) return
    const { action, query, standIn } = audited
    const { accessId } = error.details
    const told = queryOf(credentials, query)
    const message = mayQuoteBody(credentials, query, error) ? new ApiError(error.id).message : error.message
    const entry: AuditEntry = {
      time: this.services.clock.now(),
      access: accessId ?? (proofs.has(standIn) ? 'invalid' : standIn),
      action,
      via: credentials.via,
      ip: credentials.ip,
      status: error.status,
      callerId: accessId === undefined ? undefined : callerIdOf(credentials),
      query: told,
      isQueryTruncated: told?.isCut,
      errorId: error.id,
      message: message.length > maxMessageLength ? `${shortened(message, maxMessageLength)}…` : message
    }
    const isStranger = accessId === undefined || withoutAccess.has(error.id)
    if (audited.isRecorded && account) this.#storeOf(account)?.record(entry, isStranger)
    if (audited.isTold) this.#tell(entry, account, isStranger)
  }

  /** The stand-in `admin` only for calls with the admin key: an account can be deleted by its owner, too. */
  #proven(standIn: StandIn, credentials: Credentials): StandIn {
    return standIn === 'admin' && !hasAdminKey(this.services, credentials) ? 'public' : standIn
  }

  #tell(entry: AuditEntry, account: Account | undefined, isStranger: boolean): void {
    const told = isStranger ? this.#strangers.admitted(entry) : [entry]
    for (const each of told) this.services.syslog?.send(this.#format(each, account?.id))
  }

  /** `undefined` if the account has been deleted, perhaps by this very call, or its database cannot be opened. */
  #storeOf(account: Account): UserStore | undefined {
    try {
      return this.services.accounts.store(account)
    } catch {
      return undefined
    }
  }
}

function queryOf(
  { isMember, query }: Credentials,
  known: ReadonlySet<string> | undefined
): AuditedQuery | undefined {
  return query && known && !isMember ? new AuditedQuery(query, known) : undefined
}

/**
 * Whether an error's message may quote parts of a body, which must never be recorded. Messages about wrong tokens do not;
 * others may, unless all params were in the URL.
 */
function mayQuoteBody(
  { isMember, via }: Credentials,
  query: ReadonlySet<string> | undefined,
  { status }: ApiError
): boolean {
  return status !== 401 && (isMember === true || via === 'socket.io' || query === undefined)
}
