/**
 * The commands: every change of the platform file while a service runs, as a name and JSON arguments. Commands are
 * deterministic: times, ids and secrets are chosen by the caller. Nodes that apply the same commands in the same order
 * have identical files.
 */
import type { Decision } from '../../schemas/auth-request.js'
import type { RegisteredClient } from '../../schemas/oauth.js'
import type { UsedProof } from '../oauth/used-proofs.js'
import type { IdentityProof } from '../identities/identity-proofs.js'
import type { UniqueValue } from '../repositories/account-fields.js'
import type { Account, Claim } from './account.js'
import type { OpenRequest } from './auth-requests.js'
import type { Farewell } from './farewells.js'
import type { GrowthMeasurement } from './growth.js'
import type { Invitation } from './invitations.js'
import type { AdminAction } from './admin-actions.js'
import type { Secret } from './secrets.js'
import type { Tables } from './tables.js'
import type { DueTime, TimedNote } from './timed-accounts.js'
import type { Reservation } from './unique-fields.js'
import type { UsernameRules } from './usernames.js'

/**
 * The commands. Each runs within a transaction, and is undone if it throws. They are documented at the methods that
 * they call.
 */
const commands = {
  claim: ({ accounts }: Tables, claim: Claim) => accounts.claim(claim),
  complete: ({ accounts }: Tables, account: Pick<Account, 'id' | 'relocatedTo'>) =>
    accounts.activateImported(account),
  activate: ({ accounts }: Tables, id: string) => accounts.activate(id),
  giveUp: ({ accounts }: Tables, id: string) => accounts.abandonClaim(id),
  leave: ({ accounts }: Tables, id: string) => accounts.beginRemoval(id),
  relocate: ({ accounts }: Tables, id: string, url: string | null) => accounts.relocate(id, url),
  leaveDue: ({ accounts }: Tables, id: string, now: number) => accounts.beginDueRemoval(id, now),
  scheduleDeletion: ({ accounts }: Tables, id: string, time: number | null) =>
    accounts.scheduleDeletion(id, time),
  changeUsername: ({ usernames }: Tables, id: string, username: string, now: number, rules: UsernameRules) =>
    usernames.change(id, username, now, rules),
  remove: ({ accounts }: Tables, id: string) => accounts.remove(id),
  addWebhooks: ({ accounts }: Tables, id: string) => accounts.addWebhooks(id),
  removeWebhooks: ({ accounts }: Tables, ids: readonly string[]) => accounts.removeWebhooks(ids),
  markTimed: ({ timedAccounts }: Tables, id: string) => timedAccounts.mark(id),
  unmarkTimed: ({ timedAccounts }: Tables, ids: readonly string[]) => timedAccounts.unmark(ids),
  setDue: ({ timedAccounts }: Tables, dueTimes: readonly DueTime[], note?: TimedNote) =>
    timedAccounts.setDue(dueTimes, note),

  suspend: ({ accountStatuses }: Tables, id: string, since: number | null) =>
    accountStatuses.suspend(id, since),
  limit: ({ accountStatuses }: Tables, id: string, bytes: number | null) => accountStatuses.limit(id, bytes),

  reserveUnique: ({ unique }: Tables, account: string, values: readonly UniqueValue[], ticket: number) =>
    unique.reserve(account, values, ticket),
  settleUnique: (
    { unique }: Tables,
    account: string,
    kept: readonly Reservation[],
    dropped: readonly Reservation[]
  ) => unique.resolveReservations(account, kept, dropped),
  replaceUnique: ({ unique }: Tables, account: string, held: readonly UniqueValue[]) =>
    unique.replace(account, held),

  invite: ({ invitations }: Tables, invitation: readonly Invitation[]) => invitations.insertFree(invitation),

  askForAccess: ({ authRequests }: Tables, request: OpenRequest, now: number, limit: number) =>
    authRequests.insert(request, now, limit),
  decideOnAccess: (
    { authRequests }: Tables,
    key: string,
    decision: Decision,
    account: string | null,
    now: number
  ) => authRequests.decide(key, decision, account, now),

  addProof: (
    { identityProofs }: Tables,
    digest: string,
    proof: IdentityProof,
    now: number,
    expires: number,
    limit: number
  ) => identityProofs.insert(digest, proof, now, expires, limit),
  useProof: ({ identityProofs }: Tables, digest: string) => identityProofs.remove(digest),

  removeExpired({ authRequests, identityProofs, mailCounts, usedProofs }: Tables, now: number): void {
    authRequests.removeExpired(now)
    identityProofs.removeExpired(now)
    mailCounts.removeExpired(now)
    usedProofs.removeExpired(now)
  },

  countMail: ({ mailCounts }: Tables, digest: string, now: number, limit: number, period: number) =>
    mailCounts.add(digest, now, { limit, period }),

  addClient: (
    { oauthClients }: Tables,
    client: RegisteredClient,
    now: number,
    limit: number,
    idleSince: number
  ) => oauthClients.insert(client, now, limit, idleSince),
  useClient: ({ oauthClients }: Tables, id: string, time: number) => oauthClients.use(id, time),
  removeUnusedClients: ({ oauthClients }: Tables, time: number) => oauthClients.removeUnused(time),

  revokeClient: ({ oauthClients }: Tables, id: string, time: number) => oauthClients.revoke(id, time),
  setClientKey: ({ oauthClients }: Tables, id: string, key: string, revoked: number | null) =>
    oauthClients.setKey(id, key, revoked),
  useOAuthProof: ({ usedProofs }: Tables, proof: UsedProof, now: number, limit: number) =>
    usedProofs.use(proof, now, limit),

  addFarewells: ({ farewells }: Tables, added: readonly Farewell[]) => farewells.add(added),
  postponeFarewell: ({ farewells }: Tables, id: string, attempts: number, next: number) =>
    farewells.postpone(id, attempts, next),
  removeFarewell: ({ farewells }: Tables, id: string) => farewells.remove(id),

  addSecrets: ({ secrets }: Tables, added: readonly Secret[]) => secrets.add(added),
  replaceSecret: ({ secrets }: Tables, secret: Secret, former: readonly string[]) =>
    secrets.replace(secret, former),

  addDeed: ({ adminActions }: Tables, deed: AdminAction) => adminActions.add(deed),
  measureGrowth: ({ growth }: Tables, time: number, measured: GrowthMeasurement) =>
    growth.measure(time, measured),
  countEvents: ({ growth }: Tables, time: number, account: string, highest: number, isNew: boolean) =>
    growth.count(time, account, highest, isNew)
}

export type CommandName = keyof typeof commands

/** The arguments of a command. */
export type Arguments<N extends CommandName> =
  Parameters<(typeof commands)[N]> extends [Tables, ...infer Rest] ? Rest : never

/** The result of a command. */
export type Result<N extends CommandName> = ReturnType<(typeof commands)[N]>

/** A command as recorded. */
export type Command = { readonly [N in CommandName]: readonly [name: N, ...args: Arguments<N>] }[CommandName]

/** Returns whether there is a command with this name. */
export function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name)
}

/** Applies a command within a transaction. */
export function applyCommand<N extends CommandName>(
  tables: Tables,
  name: N,
  args: Readonly<Arguments<N>>
): Result<N> {
  const command = commands[name] as unknown as (tables: Tables, ...args: Readonly<Arguments<N>>) => Result<N>
  return command(tables, ...args)
}
