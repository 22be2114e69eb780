/** The platform's index of unique values, made anew from what users' files hold. (issue 6.1) */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '../storage/platform-store.js'
import { activeAccounts } from './active-accounts.js'
import type { Core } from './method.js'

/** A value that two accounts hold: the index can only say so of one of them. */
export interface Conflict {
  readonly username: string
  readonly field: string
}

/** Rebuilds the index of all accounts in use; answers whose values another account has too. */
export async function rebuildIndex(core: Pick<Core, 'accounts' | 'platform'>): Promise<Conflict[]> {
  // Entries that nobody holds must be gone before they stand in the way of those who do.
  await eachAccount(core, account => void rebuild(core, account))
  const conflicts: Conflict[] = []
  await eachAccount(core, account => conflicts.push(...rebuild(core, account)))
  return conflicts
}

function rebuild({ accounts, platform }: Pick<Core, 'accounts' | 'platform'>, account: Account): Conflict[] {
  const store = accounts.store(account)
  const taken = platform.replaceUnique(
    account.id,
    store.read(() => store.fields.listUnique())
  )
  return taken.map(({ field }) => ({ username: account.username, field }))
}

async function eachAccount(core: Pick<Core, 'platform'>, work: (account: Account) => void): Promise<void> {
  for await (const account of activeAccounts(core)) {
    work(account)
    await nextTurn()
  }
}
