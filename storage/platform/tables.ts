/** The tables of the platform file, each by its repository. */
import type { Database } from 'better-sqlite3'
import { IdentityProofRepository } from '../identities/identity-proofs.js'
import { OAuthClientRepository } from '../oauth/oauth-clients.js'
import { UsedProofRepository } from '../oauth/used-proofs.js'
import { AuthRequestRepository } from './auth-requests.js'
import { FarewellRepository } from './farewells.js'
import { GrowthRepository } from './growth.js'
import { InvitationRepository } from './invitations.js'
import { AdminActionRepository } from './admin-actions.js'
import { MailCountRepository } from './mail-counts.js'
import { PlatformAccounts } from './platform-accounts.js'
import { SecretRepository } from './secrets.js'
import { AccountStatusRepository } from './account-status.js'
import { TimedAccountRepository } from './timed-accounts.js'
import type { RecoveredPlatform } from './recover-platform-file.js'
import { UniqueFieldRepository } from './unique-fields.js'
import { UsernameRepository } from './usernames.js'

/** The repositories to which commands are applied. */
export interface Tables {
  readonly accounts: PlatformAccounts
  readonly authRequests: AuthRequestRepository
  readonly adminActions: AdminActionRepository
  readonly farewells: FarewellRepository
  readonly growth: GrowthRepository
  readonly identityProofs: IdentityProofRepository
  readonly invitations: InvitationRepository
  readonly mailCounts: MailCountRepository
  readonly oauthClients: OAuthClientRepository
  readonly secrets: SecretRepository
  readonly accountStatuses: AccountStatusRepository
  readonly timedAccounts: TimedAccountRepository
  readonly unique: UniqueFieldRepository
  readonly usedProofs: UsedProofRepository
  readonly usernames: UsernameRepository
}

/** Creates the repositories of the platform file. */
export function createTables(db: Database): Tables {
  const invitations = new InvitationRepository(db)
  const unique = new UniqueFieldRepository(db)
  const usernames = new UsernameRepository(db)
  const timedAccounts = new TimedAccountRepository(db)
  return {
    accounts: new PlatformAccounts(db, invitations, unique, usernames, timedAccounts),
    authRequests: new AuthRequestRepository(db),
    adminActions: new AdminActionRepository(db),
    farewells: new FarewellRepository(db),
    growth: new GrowthRepository(db),
    identityProofs: new IdentityProofRepository(db),
    invitations,
    mailCounts: new MailCountRepository(db),
    oauthClients: new OAuthClientRepository(db),
    secrets: new SecretRepository(db),
    accountStatuses: new AccountStatusRepository(db),
    timedAccounts,
    unique,
    usedProofs: new UsedProofRepository(db),
    usernames
  }
}

/** Adds what was recovered from another file, except accounts. */
export function restoreTables(
  tables: Tables,
  {
    adminActions,
    farewells,
    growth,
    invitations,
    oauthClientStates,
    secrets
  }: Omit<RecoveredPlatform, 'accounts'>
): void {
  tables.adminActions.restore(adminActions)
  tables.growth.restore(growth)
  tables.farewells.add(farewells)
  tables.secrets.add(secrets)
  tables.invitations.restore(invitations)
  tables.oauthClients.restoreStates(oauthClientStates)
}
