/** Adapts the rows of an imported archive: sessions and identities are dropped, and webhooks take the limits of this service. */
import type { Config } from '../../core/settings/config.js'
import { createId, createToken } from '../../core/ids.js'
import type { Layout } from '../../storage/files/layout.js'
import type { ExportedTable, Row } from '../../storage/transfer/tables.js'
import { webhookIdsBeside } from '../maintenance/webhook-ids.js'
import { TransferError } from './transfer-error.js'

/**
 * State between a person and a particular service, which is not imported: sessions, failed attempts and pending mails of
 * signing in, and consents to hand over accesses. It starts afresh when the person signs in here.
 */
const notImported = new Set<ExportedTable>(['session', 'sign_in_state', 'access_consent'])

/** How far an archive is trusted, and what it holds. */
export interface Origin {
  /** Whether it holds secrets: tokens, passwords, second factors. */
  readonly hasSecrets: boolean
  /**
   * Whether its identities of providers count. Whoever wrote an archive may have named somebody else's, who would then be
   * signed in to an account that is not theirs, and fill it.
   */
  readonly keepsIdentities: boolean
}

export class Newcomer {
  #taken: ReadonlySet<string> | undefined
  /** Number of identities that were left out. */
  identitiesLeftOut = 0

  constructor(
    private readonly target: Layout,
    private readonly config: Config,
    private readonly origin: Origin
  ) {}

  /** The row to insert for one of the archive; `undefined` to skip it. A value that is not a row passes, and is refused later. */
  rowOf(table: ExportedTable, row: unknown): unknown {
    if (notImported.has(table)) return undefined
    if (table === 'identity' && !this.origin.keepsIdentities) {
      this.identitiesLeftOut++
      return undefined
    }
    if (typeof row !== 'object' || row === null) return row
    const { body } = row as Row
    if (typeof body !== 'object' || body === null) return row
    if (table === 'webhook') return this.#webhook(row as Row, body)
    return this.origin.hasSecrets ? row : withNewSecrets(table, row as Row, body)
  }

  #webhook(row: Row, body: object): Row {
    const { maxRetries, minIntervalMs } = this.config.webhooks
    this.#taken ??= this.#idsInUse()
    const id = this.#taken.has(String(row['id'])) ? createId() : row['id']
    const secret = this.origin.hasSecrets ? row['secret'] : null
    return { ...row, id, secret, body: { ...body, id, maxRetries, minIntervalMs } }
  }

  #idsInUse(): ReadonlySet<string> {
    try {
      return webhookIdsBeside(this.target, '')
    } catch {
      // There are no accounts yet.
      return new Set()
    }
  }
}

/** In an archive without secrets accesses have no tokens: each gets a new one, which only the user can read. */
function withNewSecrets(table: ExportedTable, row: Row, body: object): Row {
  if (table === 'access') {
    const token = createToken()
    return { ...row, token, body: { ...body, token } }
  }
  if (table === 'profile' && Object.hasOwn(body, 'mfa'))
    throw new TransferError('it is marked as without secrets, but contains two-factor authentication')
  // A placeholder: the slice can no longer be read, but stays listed.
  if (table === 'followed_slice') return { ...row, body: { ...body, accessToken: createToken() } }
  return row
}
