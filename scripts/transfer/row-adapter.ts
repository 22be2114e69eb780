/** Adapts the rows of an imported archive: removes sessions and identities, and applies the limits of this service to webhooks. */
import type { Config } from '../../core/settings/config.js'
import { createId, createToken } from '../../core/ids.js'
import type { Layout } from '../../storage/files/layout.js'
import type { ExportedTable, Row } from '../../storage/transfer/tables.js'
import { createAlias } from '../../core/accesses/aliases.js'
import { isNameTaken } from '../maintenance/place-account.js'
import { listOtherWebhookIds } from '../maintenance/webhook-ids.js'
import { TransferError } from './transfer-error.js'

/**
 * State that belongs to the user and one particular service, and is not imported: sessions, failed attempts and pending
 * emails of sign-in, and consents to hand over accesses. Such state is created again when the user signs in here.
 */
const notImported = new Set<ExportedTable>(['session', 'sign_in_state', 'access_consent'])

/** How far an archive is trusted, and whether it contains secrets. */
interface ArchiveTrust {
  /** True if the archive contains secrets: tokens, passwords, second factors. */
  readonly hasSecrets: boolean
  /**
   * True to import linked sign-in providers. The author of an archive may have linked someone else's identity, who would then be
   * signed in to the author's account, and store data in it.
   */
  readonly keepsIdentities: boolean
}

export class RowAdapter {
  #taken: ReadonlySet<string> | undefined
  /** Number of identities that were skipped. */
  identitiesLeftOut = 0

  constructor(
    private readonly target: Layout,
    private readonly config: Config,
    private readonly origin: ArchiveTrust
  ) {}

  /**
   * Returns the row to insert; `undefined` to skip it. Webhooks get a new id if theirs is in use; rows of an
   * archive without secrets get new tokens. A value that is not a row is returned unchanged, and rejected
   * later. Throws {@link TransferError} for a second factor in an archive without secrets.
   */
  adaptRow(table: ExportedTable, row: unknown): unknown {
    if (notImported.has(table)) return undefined
    if (table === 'identity' && !this.origin.keepsIdentities) {
      this.identitiesLeftOut++
      return undefined
    }
    if (typeof row !== 'object' || row === null) return row
    const { body } = row as Row
    if (typeof body !== 'object' || body === null) return row
    if (table === 'webhook') return this.#adaptWebhook(row as Row, body)
    const own = table === 'access' ? this.#adaptAlias(body) : body
    return this.origin.hasSecrets ? { ...row, body: own } : withNewSecrets(table, row as Row, own)
  }

  /**
   * Replaces the alias of an access if it is taken here, such as by the original of a copied account. Removes
   * its integrity value then.
   */
  #adaptAlias(body: object): object {
    const { alias, deleted } = body as { readonly alias?: unknown; readonly deleted?: unknown }
    if (typeof alias !== 'string' || deleted !== undefined || !isNameTaken(this.target, alias)) return body
    // The integrity value of the access covers the former alias.
    const { integrity: _former, ...rest } = body as { readonly integrity?: unknown }
    return { ...rest, alias: createAlias(name => isNameTaken(this.target, name)) }
  }

  #adaptWebhook(row: Row, body: object): Row {
    const { maxRetries, minIntervalMs } = this.config.webhooks
    this.#taken ??= this.#listUsedIds()
    const id = this.#taken.has(String(row['id'])) ? createId() : row['id']
    const secret = this.origin.hasSecrets ? row['secret'] : null
    return { ...row, id, secret, body: { ...body, id, maxRetries, minIntervalMs } }
  }

  #listUsedIds(): ReadonlySet<string> {
    try {
      return listOtherWebhookIds(this.target, '')
    } catch {
      // There are no accounts yet.
      return new Set()
    }
  }
}

/** In an archive without secrets, accesses have no tokens: creates new ones, which only the user can read. */
function withNewSecrets(table: ExportedTable, row: Row, body: object): Row {
  if (table === 'access') {
    const token = createToken()
    return { ...row, token, body: { ...body, token } }
  }
  if (table === 'profile' && Object.hasOwn(body, 'mfa'))
    throw new TransferError('it is marked as without secrets, but contains two-factor authentication')
  // A placeholder: the slice can no longer be read, but is still listed.
  if (table === 'followed_slice') return { ...row, body: { ...body, accessToken: createToken() } }
  return row
}
