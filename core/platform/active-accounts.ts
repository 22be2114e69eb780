/** Iterates over all accounts without holding them in memory. */
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** Accounts read from the platform database at a time. */
const pageSize = 100

/** Yields all active accounts, read page by page. */
export async function* iterateActiveAccounts({
  platform
}: Pick<Services, 'platform'>): AsyncGenerator<Account> {
  for (let after = ''; ;) {
    const page = platform.listActive(after, pageSize)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.username
  }
}
