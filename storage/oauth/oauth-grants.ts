/**
 * The grants of one user: which OAuth client holds which access, and the refresh tokens of the access. A grant is removed
 * with its access.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { OAuthGrant } from '../../schemas/oauth.js'
import { digestSecret } from '../../schemas/secret-digest.js'
import { statement } from '../sqlite/statements.js'

/** A grant as stored. */
export interface StoredGrant extends OAuthGrant {
  readonly number: number
  readonly access: string
  /** Expiry of the grant's refresh token in seconds; absent if the grant has none. */
  readonly expires?: number
  /** Refresh tokens that were replaced lately, oldest first; each was replaced by the next. */
  readonly replaced?: readonly ReplacedToken[]
}

/**
 * A refresh token that has been replaced. The next token is derived from the secret of this token and the salt, so
 * neither secret is stored.
 */
export interface ReplacedToken {
  /** Digest of its secret. */
  readonly digest: string
  readonly salt: string
  /** Time at which the token was replaced, in seconds. */
  readonly time: number
}

/** The parts of a refresh token. */
export interface RefreshToken {
  /** Common to all refresh tokens of the grant. */
  readonly family: string
  /** Specific to the current token. */
  readonly secret: string
}

interface Row {
  readonly number: number
  readonly access: string
  readonly refresh: string | null
  readonly expires: number | null
  readonly body: string
}

/** Maximum number of grants for each access. Those whose refresh tokens expire first are removed. */
const maxKept = 50

export class OAuthGrantRepository {
  constructor(private readonly db: Database) {}

  /** Lists the grants of an access, latest first. */
  list(access: string): StoredGrant[] {
    const sql = 'SELECT * FROM oauth_grant WHERE access = ? ORDER BY number DESC'
    return (statement(this.db, sql).all(access) as Row[]).map(parseGrant)
  }

  /** Returns whether the client of an access can refresh it, also once it has expired. `now` in seconds. */
  isRefreshable(access: string, now: number): boolean {
    const sql = 'SELECT 1 FROM oauth_grant WHERE access = ? AND expires > ? LIMIT 1'
    return statement(this.db, sql).get(access, now) !== undefined
  }

  /**
   * Finds the grant of a refresh token, and whether the token is the current one; `undefined` if no grant has the
   * token's family.
   */
  find({
    family,
    secret
  }: RefreshToken): { readonly grant: StoredGrant; readonly isCurrent: boolean } | undefined {
    const row = statement(this.db, 'SELECT * FROM oauth_grant WHERE family = ?').get(digestSecret(family)) as
      | Row
      | undefined
    if (!row?.refresh) return undefined
    const isCurrent = timingSafeEqual(Buffer.from(row.refresh), Buffer.from(digestSecret(secret)))
    return { grant: parseGrant(row), isCurrent }
  }

  /**
   * Adds a grant; its refresh token expires at `expires` (seconds). Removes the access's grants that cannot
   * be refreshed at `now` (seconds), and those that expire first if there are more than 50.
   */
  insert(access: string, grant: OAuthGrant, now: number, refresh?: RefreshToken, expires?: number): void {
    const over = 'DELETE FROM oauth_grant WHERE access = ? AND (family IS NULL OR expires <= ?)'
    statement(this.db, over).run(access, now)
    const first = `DELETE FROM oauth_grant WHERE access = ? AND number NOT IN
      (SELECT number FROM oauth_grant WHERE access = ? ORDER BY expires DESC, number DESC LIMIT +?)`
    statement(this.db, first).run(access, access, maxKept - 1)
    const sql = 'INSERT INTO oauth_grant (access, family, refresh, expires, body) VALUES (?, ?, ?, ?, ?)'
    const [family, secret] = refresh
      ? [digestSecret(refresh.family), digestSecret(refresh.secret)]
      : [null, null]
    statement(this.db, sql).run(access, family, secret, expires ?? null, JSON.stringify(grant))
  }

  /** Lets the client of an access refresh it until `end` at most, in seconds. */
  limit(access: string, end: number): void {
    const sql = `UPDATE oauth_grant SET expires = MIN(expires, $end),
      body = json_set(body, '$.ends', MIN(COALESCE(body ->> '$.ends', $end), $end))
      WHERE access = $access AND expires IS NOT NULL`
    statement(this.db, sql).run({ access, end })
  }

  /**
   * Replaces the refresh token of a grant; the new one, `secret`, expires at `expires` (seconds). Records the
   * time of the replacement as the last use of the grant.
   */
  rotate(
    { access: _access, expires: _expires, number, ...grant }: StoredGrant,
    secret: string,
    expires: number,
    replaced: readonly ReplacedToken[]
  ): void {
    const sql = 'UPDATE oauth_grant SET refresh = ?, expires = ?, body = ? WHERE number = ?'
    const body = { ...grant, used: replaced.at(-1)!.time, replaced }
    statement(this.db, sql).run(digestSecret(secret), expires, JSON.stringify(body), number)
  }
}

function parseGrant({ access, body, expires, number }: Row): StoredGrant {
  const stored = JSON.parse(body) as OAuthGrant & Pick<StoredGrant, 'replaced'>
  return { ...stored, number, access, ...(expires !== null && { expires }) }
}
