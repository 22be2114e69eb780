/** The schema of the platform file, step by step. */
import type { Migration } from '../migrate.js'
import { initial } from './001-initial.js'
import { webhooks } from './002-webhooks.js'
import { authRequests } from './003-auth-requests.js'
import { relocation } from './004-relocation.js'
import { uniqueFields } from './005-unique-fields.js'
import { operators } from './006-operators.js'
import { identityProofs } from './007-identity-proofs.js'
import { growth } from './008-growth.js'
import { oauthClients } from './009-oauth-clients.js'
import { accountDeletion } from './010-account-deletion.js'
import { accountsBeingRemoved } from './011-accounts-being-removed.js'
import { oauthClientStates } from './012-oauth-clients-state.js'
import { mailCounts } from './013-mail-counts.js'
import { usernames } from './014-usernames.js'
import { farewells } from './015-farewells.js'
import { timedAccounts } from './016-timed-accounts.js'

/** The steps by name, in their order. */
export const platformSteps = {
  initial,
  webhooks,
  authRequests,
  relocation,
  uniqueFields,
  operators,
  identityProofs,
  growth,
  oauthClients,
  accountDeletion,
  accountsBeingRemoved,
  oauthClientStates,
  mailCounts,
  usernames,
  farewells,
  timedAccounts
} satisfies Record<string, Migration>

export const platformMigrations: readonly Migration[] = Object.values(platformSteps)
