/** Makes one record of each call on a user's data. (docs/spec/audit.md#what-is-recorded) */
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

/** What the audit has to know of a method; worked out once. */
export interface Audited {
  readonly action: string
  /** Status of success. */
  readonly status: number
  /** What stands for the access where a call needs none. */
  readonly standIn: StandIn
  /** Whether it writes an event or an access, of which the record tells. */
  readonly writesItem: boolean
  /** Parameters of the query string that are told; `undefined` where params come in the body. */
  readonly query: ReadonlySet<string> | undefined
  /** Whether they are kept in the account's file, and whether the syslog is told of them. */
  readonly isRecorded: boolean
  readonly isTold: boolean
}

/** Stand-ins that tell of a proof, which a refused call has not given. */
const proofs = new Set<StandIn>(['valid-password', 'password-reset-token', 'admin'])

/** Errors of those whose access is not, or no longer, good for a call. */
const withoutAccess = new Set<ErrorId>(['invalid-access-token', 'too-many-requests'])

/** Characters of an error's message that are kept. */
const longestMessage = 500

const writesItems = /^(?:events|accesses|account)\./

export class AuditTrail {
  readonly #methods: AuditedMethods
  readonly #format: SyslogFormat
  readonly #strangers = new SyslogStrangers()

  /** Throws a `SettingsError` when the settings name no method. */
  constructor(
    private readonly core: Services,
    definitions: readonly AnyMethod[]
  ) {
    const none = new Set<string>()
    const methods = auditedMethods(core.config, definitions)
    this.#methods = core.config.audit.active ? methods : { recorded: none, told: none }
    this.#format = syslogFormat(core.config)
  }

  /**
   * How calls of a method are recorded; `undefined` if they are not. Methods of the service itself have no file for it:
   * those that name a stand-in are told to the syslog.
   */
  of({ allow, auditAs, id, mode, params }: AnyMethod): Audited | undefined {
    const isOfService = mode === 'service'
    const isRecorded = !isOfService && this.#methods.recorded.has(id)
    const isTold = (!isOfService || auditAs !== undefined) && this.#methods.told.has(id)
    if (!isRecorded && !isTold) return undefined
    const { verb = 'POST', status = 200 } = this.core.endpoints.get(id) ?? {}
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

  /** Notes a call that has run; of one that writes, within its transaction. */
  succeeded(
    account: Account | undefined,
    audited: Audited,
    credentials: Credentials,
    caller: Caller,
    now: number,
    store = account && this.#storeOf(account)
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
      callerId: caller.callerId,
      query: told,
      isQueryCut: told?.isCut,
      key: lastWritten?.key,
      integrity: lastWritten?.integrity
    }
    // Anybody may ask for what proves nothing, as often as he likes.
    const isStranger = caller.access === undefined && !proofs.has(access as StandIn)
    if (audited.isRecorded) store?.record(entry, isStranger)
    if (audited.isTold) this.#tell(entry, account, isStranger)
  }

  /** Notes a call that was refused. */
  failed(account: Account | undefined, audited: Audited, credentials: Credentials, error: ApiError): void {
    if (!account && !audited.isTold) return
    const { action, query, standIn } = audited
    const { accessId } = error.details
    const told = queryOf(credentials, query)
    const message = mayQuoteBody(credentials, query, error) ? new ApiError(error.id).message : error.message
    const entry: AuditEntry = {
      time: this.core.clock.now(),
      access: accessId ?? (proofs.has(standIn) ? 'invalid' : standIn),
      action,
      via: credentials.via,
      ip: credentials.ip,
      status: error.status,
      callerId: accessId === undefined ? undefined : callerIdOf(credentials),
      query: told,
      isQueryCut: told?.isCut,
      errorId: error.id,
      message: message.length > longestMessage ? `${shortened(message, longestMessage)}…` : message
    }
    const isStranger = accessId === undefined || withoutAccess.has(error.id)
    if (audited.isRecorded && account) this.#storeOf(account)?.record(entry, isStranger)
    if (audited.isTold) this.#tell(entry, account, isStranger)
  }

  /** An account can be deleted by its owner, too. */
  #proven(standIn: StandIn, credentials: Credentials): StandIn {
    return standIn === 'admin' && !hasAdminKey(this.core, credentials) ? 'public' : standIn
  }

  #tell(entry: AuditEntry, account: Account | undefined, isStranger: boolean): void {
    const told = isStranger ? this.#strangers.admitted(entry) : [entry]
    for (const each of told) this.core.syslog?.send(this.#format(each, account?.id))
  }

  /** Nothing where there is nothing to write to: the account is gone, maybe by this very call, or its file cannot be opened. */
  #storeOf(account: Account): UserStore | undefined {
    try {
      return this.core.accounts.store(account)
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
 * Whether the message of an error may hold parts of a body, which the audit never does. Those of wrong tokens quote
 * nothing; the others may, unless all params were in the URL.
 */
function mayQuoteBody(
  { isMember, via }: Credentials,
  query: ReadonlySet<string> | undefined,
  { status }: ApiError
): boolean {
  return status !== 401 && (isMember === true || via === 'socket.io' || query === undefined)
}
