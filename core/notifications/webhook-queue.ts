/**
 * Queues messages for webhooks in the transaction of the change, so that a crash loses none.
 * (docs/spec/notifications.md#delivery)
 */
import type { StoredWebhook } from '../../storage/repositories/webhooks.js'
import { NeedsSteps } from '../../storage/errors.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Change } from '../changes.js'
import type { Call } from '../call/method.js'
import { ChangeRecipient, getMessage } from '../permissions/change-recipient.js'
import { findMatchingKeys } from './matching-scopes.js'
import { isInForce } from '../permissions/effective-grants.js'

type CompletedWrite = Pick<Call, 'changes' | 'now' | 'store'>

/** Maximum number of streams evaluated at once, counted per access with webhooks. */
const maxAtOnce = 50_000
/** Number of items of most calls, an event before and after it was updated, which are always compared at once. */
const maxFewItems = 2
/** Maximum number of items compared with a scope at once. */
const maxItemsAtOnce = 20_000

/**
 * Queues the messages of a call that has run, for active webhooks whose accesses see the changes. An event
 * may be in thousands of streams, of which each access sees different ones, so this may take long. If it
 * would, throws `NeedsSteps`, unless the store is a draft or `mayTakeLong` is set.
 */
export function* enqueueMessages(
  { changes, now, store }: CompletedWrite,
  mayTakeLong = store.isDraft
): Steps<void> {
  if (changes.isEmpty || store.webhooks.size === 0) return
  const isLong =
    (changes.size * store.webhooks.size > maxAtOnce && changes.size * countAccesses(store) > maxAtOnce) ||
    (changes.itemCount > maxFewItems && changes.itemCount * countScopes(store) > maxItemsAtOnce)
  if (isLong && !mayTakeLong) throw new NeedsSteps()
  const list = changes.list()
  // All webhooks of an access get the same.
  const recipients = new Map<string, ChangeRecipient>()
  for (const kept of store.webhooks.list()) {
    if (kept.webhook.state !== 'active') continue
    const access = store.accesses.find(kept.webhook.accessId)
    if (!access || !isInForce(store, access, now)) continue
    const recipient = recipients.get(access.id) ?? new ChangeRecipient(store, access)
    recipients.set(access.id, recipient)
    const owed = new Set(kept.owed)
    for (const change of list)
      for (const message of yield* listMessages(kept, recipient, change)) owed.add(message)
    // Messages that are queued already need no write: many changes in a row cost only one.
    if (owed.size > kept.owed.length) store.webhooks.updateQueues({ ...kept, owed: [...owed] })
    yield
  }
}

function countScopes(store: UserStore): number {
  let count = 0
  for (const { webhook } of store.webhooks.list()) count += Object.keys(webhook.scopes ?? {}).length
  return count
}

function countAccesses(store: UserStore): number {
  return new Set(Array.from(store.webhooks.list(), ({ webhook }) => webhook.accessId)).size
}

function* listMessages(
  { webhook }: StoredWebhook,
  recipient: ChangeRecipient,
  change: Change
): Steps<string[]> {
  if (webhook.scopes) return yield* findMatchingKeys(webhook.scopes, recipient, change)
  const message = getMessage(change)
  return message !== undefined && (yield* recipient.mayReceive(change)) ? [message] : []
}
