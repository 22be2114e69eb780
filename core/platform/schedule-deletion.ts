/** Closes an account at its owner's request until it is deleted. (docs/spec/accounts.md#deleting-an-account) */
import type { Call } from '../call/method.js'
import { notifyUser } from '../sign-in/notices/notices.js'
import { announceAccountChange } from './remove-account.js'

/**
 * Closes the account until `time` (seconds): from now on calls on it fail, sockets are closed, webhooks are not called. Mails
 * the owner. Returns when it will be deleted.
 */
export async function scheduleDeletion(call: Call, time: number): Promise<number> {
  const { account, credentials, services } = call
  const { accounts } = services
  const announce = (): void => announceAccountChange(services, account)
  const isSocket = credentials.via === 'socket.io'
  const deletion = await accounts.closeUntilDeletion(account, time, isSocket ? undefined : announce)
  const closing = accounts.findClosing(account.username)
  if (closing) {
    // Its file has just been closed: elsewhere than here it may take a while until it can be opened again.
    await accounts.waitUntilReady(closing)
    const store = accounts.store(closing)
    await store.write(() =>
      notifyUser({ ...call, account: closing, store }, { kind: 'deletionScheduled', deletion })
    )
  }
  // A socket that made the call gets the response before it is closed.
  if (isSocket) announce()
  return deletion
}
