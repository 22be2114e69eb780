/** Removes secrets from an export, which the user may share. */
import type { ExportedTable, Row } from './tables.js'

const secretTables = new Set<ExportedTable>([
  'password',
  'session',
  'sign_in_state',
  // Otherwise messages that wait would be sent from both accounts.
  'channel_message',
  // Without the tokens of peers it could not go on.
  'mirror',
  'cmc_capability',
  'cmc_answer',
  'cmc_outbox',
  'cmc_secret'
])

/** Whether a table holds only secrets. */
export function isSecret(table: ExportedTable): boolean {
  return secretTables.has(table)
}

/** Returns a row without its secrets. */
export function removeSecrets(table: ExportedTable, row: Row): Row {
  switch (table) {
    case 'access':
      // The integrity value covers the token too, so it would no longer match.
      return { ...row, token: '', body: removeEndpoints(removeMembers(row['body'], 'token', 'integrity')) }
    case 'access_version':
      return { ...row, body: removeEndpoints(String(row['body'])) }
    case 'webhook':
      return { ...row, secret: null }
    case 'channel':
      return { ...row, secrets: '{}' }
    case 'connection':
      return { ...row, body: removeMembers(row['body'], 'passphrase') }
    case 'followed_slice':
      return { ...row, body: removeMembers(row['body'], 'accessToken') }
    case 'email_address':
      return { ...row, tokenHash: null, tokenExpires: null }
    case 'profile':
      return row['name'] === 'private' ? { ...row, body: removeMembers(row['body'], 'mfa') } : row
    default:
      return row
  }
}

/** The members of a stored access that are of importance here. */
interface StoredAccess {
  readonly integrity?: string
  readonly clientData?: {
    readonly cmc?: {
      readonly backChannelApiEndpoint?: string | null
      readonly counterparty?: { readonly apiEndpoint?: string }
    }
  }
}

/** Removes the endpoints of peers, which hold tokens, from the text of an access. (docs/spec/consent.md#credentials) */
function removeEndpoints(body: string): string {
  const { clientData, integrity: _integrity, ...access } = JSON.parse(body) as StoredAccess
  if (!clientData?.cmc?.counterparty) return body
  const { backChannelApiEndpoint: _channel, counterparty, ...mark } = clientData.cmc
  const { apiEndpoint: _endpoint, ...peer } = counterparty
  return JSON.stringify({ ...access, clientData: { ...clientData, cmc: { ...mark, counterparty: peer } } })
}

function removeMembers(body: unknown, ...names: readonly string[]): string {
  const entries = Object.entries(JSON.parse(String(body)) as object)
  return JSON.stringify(Object.fromEntries(entries.filter(([name]) => !names.includes(name))))
}
