/** The push subscription of this browser, and the channel for it. Loaded by the page, and when a user signs out. */
import type { Client } from '../data/client.js'
import type { Channel } from './channels.js'

/** Milliseconds after which signing out goes on, although the service has not answered. */
const maxWaitMs = 3000

/**
 * Returns the push subscription of this browser; undefined if there is none. Throws in browsers without service
 * workers.
 */
export async function findSubscription(): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.pushManager.getSubscription()) ?? undefined
}

/** Returns the SHA-256 of an endpoint in base64url, as channels show it. */
export async function digestEndpoint(endpoint: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/**
 * Ends notifications in this browser before its user signs out: others who use it must not see them. Resolves in any case, within
 * seconds. If the channel cannot be deleted, it ends when its next message is refused, as there is no subscription.
 */
export async function endSubscription(client: Client): Promise<void> {
  const timeout = new Promise<void>(resolve => {
    setTimeout(resolve, maxWaitMs)
  })
  await Promise.race([unsubscribe(client).catch(() => undefined), timeout])
}

async function unsubscribe(client: Client): Promise<void> {
  const subscription = await findSubscription()
  if (!subscription) return
  const digest = await digestEndpoint(subscription.endpoint)
  await subscription.unsubscribe()
  const { channels } = await client.call<{ channels: readonly Channel[] }>('channels.get')
  const channel = channels.find(({ target }) => target.digest === digest)
  if (channel) await client.call('channels.delete', { id: channel.id })
}
