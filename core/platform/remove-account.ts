/** Deletes an account with everything that the service knows of it. (docs/spec/accounts.md#deleting-an-account) */
import { Changes } from '../changes.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** From the moment that this is called every call on the account fails; its name is free when this resolves. */
export async function removeAccount(
  core: Services,
  account: Account,
  via: Credentials['via'] = 'http'
): Promise<void> {
  const removed = core.accounts.remove(account)
  // Whoever listens finds it gone: sockets are cut, webhooks stay silent.
  if (via !== 'socket.io') announce(core, account)
  await removed
  core.throttle.forget(account.username)
  core.previews.forget(account)
  // A socket that asked for it is to hear the answer before it is cut.
  if (via === 'socket.io') announce(core, account)
}

/** Tells within the service that something about an account itself has changed. */
export function announce({ bus }: Pick<Services, 'bus'>, { username }: Account): void {
  const changes = new Changes({ find: () => undefined })
  changes.add('account')
  bus.publish(username, changes)
}
