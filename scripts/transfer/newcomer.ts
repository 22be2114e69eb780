/** What becomes of the rows of an archive on their way in: nobody comes in signed in, and webhooks call as this service has them call. */
import type { Config } from '../../core/settings/config.js'
import { newId, newToken } from '../../core/ids.js'
import type { Layout } from '../../storage/files/layout.js'
import type { ExportedTable, Row } from '../../storage/transfer/tables.js'
import { webhookIdsBeside } from '../maintenance/webhook-ids.js'
import { TransferError } from './transfer-error.js'

/**
 * What is between a person and a service: who is signed in, which attempts and mails count or are owed, and where the access
 * of an app is handed to. It begins again here, by signing in.
 */
const leftBehind = new Set<ExportedTable>(['session', 'sign_in_state', 'access_consent'])

export class Newcomer {
  #taken: ReadonlySet<string> | undefined

  constructor(
    private readonly target: Layout,
    private readonly config: Config,
    /** Whether the archive holds what lets people in. */
    private readonly hasSecrets: boolean
  ) {}

  /** The row to keep in place of one of the archive; `undefined` for none. What is not a row stays: it is refused as such. */
  rowOf(table: ExportedTable, row: unknown): unknown {
    if (leftBehind.has(table)) return undefined
    if (typeof row !== 'object' || row === null) return row
    const { body } = row as Row
    if (typeof body !== 'object' || body === null) return row
    if (table === 'webhook') return this.#webhook(row as Row, body)
    return this.hasSecrets ? row : withNewSecrets(table, row as Row, body)
  }

  #webhook(row: Row, body: object): Row {
    const { maxRetries, minIntervalMs } = this.config.webhooks
    this.#taken ??= this.#idsInUse()
    const id = this.#taken.has(String(row['id'])) ? newId() : row['id']
    const secret = this.hasSecrets ? row['secret'] : null
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

/** In an archive without secrets accesses have no tokens: they get new ones, which nobody knows but the user. */
function withNewSecrets(table: ExportedTable, row: Row, body: object): Row {
  if (table === 'access') {
    const token = newToken()
    return { ...row, token, body: { ...body, token } }
  }
  if (table === 'profile' && Object.hasOwn(body, 'mfa'))
    throw new TransferError('it says that it holds no secrets, and holds a second factor')
  // What is followed cannot be read any more; that it was followed is known.
  if (table === 'followed_slice') return { ...row, body: { ...body, accessToken: newToken() } }
  return row
}
