/** Makes one record of each call on a user's data. (service.md, Audit; supplement 19) */
import type { AuditEntry } from '../../storage/audit/record.js'
import type { Account } from '../../storage/platform-store.js'
import type { UserStore } from '../../storage/user-store.js'
import { callerIdOf } from '../authenticate.js'
import type { Caller } from '../caller.js'
import { ApiError } from '../errors.js'
import type { AnyMethod, Core, Credentials, StandIn } from '../method.js'
import { methodsToRecord } from './filter.js'
import { AuditedQuery, tellable } from './query-text.js'

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
}

/** Stand-ins that tell of a proof, which a refused call has not given. */
const proofs = new Set<StandIn>(['valid-password', 'password-reset-token', 'admin'])

const writesItems = /^(?:events|accesses|account)\./

export class AuditTrail {
  readonly #ids: ReadonlySet<string>

  /** Throws a `SettingsError` when the settings name no method. */
  constructor(
    private readonly core: Core,
    definitions: readonly AnyMethod[]
  ) {
    const ids = methodsToRecord(core.config, definitions)
    this.#ids = core.config.audit.active ? ids : new Set()
  }

  /** How calls of a method are recorded; `undefined` if they are not. Methods of the service itself have no user. */
  of({ allow, auditAs, id, mode, params }: AnyMethod): Audited | undefined {
    if (mode === 'service' || !this.#ids.has(id)) return undefined
    const { verb = 'POST', status = 200 } = this.core.endpoints.get(id) ?? {}
    return {
      action: id,
      status,
      standIn: auditAs ?? (allow.needsAccess ? 'invalid' : 'public'),
      writesItem: mode === 'write' && writesItems.test(id),
      query: verb === 'GET' || verb === 'DELETE' ? tellable(params as { properties?: object }) : undefined
    }
  }

  /** Notes a call that has run; of one that writes, within its transaction. */
  succeeded(
    account: Account,
    { action, query, standIn, status, writesItem }: Audited,
    credentials: Credentials,
    caller: Caller,
    now: number
  ): void {
    const store = this.#storeOf(account)
    const lastWritten = writesItem ? store?.audit.lastWritten : undefined
    store?.record({
      time: now,
      access: caller.access?.id ?? standIn,
      action,
      via: credentials.via,
      ip: credentials.ip,
      status,
      callerId: caller.callerId,
      query: queryOf(credentials, query),
      key: lastWritten?.key,
      integrity: lastWritten?.integrity
    })
  }

  /** Notes a call that was refused. */
  failed(
    account: Account,
    { action, query, standIn }: Audited,
    credentials: Credentials,
    error: ApiError
  ): void {
    const { accessId } = error.details
    const entry: AuditEntry = {
      time: this.core.clock.now(),
      access: accessId ?? (proofs.has(standIn) ? 'invalid' : standIn),
      action,
      via: credentials.via,
      ip: credentials.ip,
      status: error.status,
      callerId: accessId === undefined ? undefined : callerIdOf(credentials),
      query: queryOf(credentials, query),
      errorId: error.id,
      message: mayQuoteBody(credentials, query, error) ? new ApiError(error.id).message : error.message
    }
    const isStranger = accessId === undefined || error.id === 'too-many-requests'
    this.#storeOf(account)?.record(entry, isStranger)
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
