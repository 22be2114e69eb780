/** Notes, in the transaction of a change, what each webhook has to be told of it: a crash loses no message. (docs/spec/notifications.md#delivery) */
import type { KeptWebhook } from '../../storage/repositories/webhooks.js'
import type { Change } from '../changes.js'
import type { Call } from '../call/method.js'
import { Hearer, messageOf } from '../permissions/visibility.js'
import { keysOf } from '../permissions/scopes.js'
import { isInForce } from '../permissions/standing.js'

/** Notes what webhooks are to be told of a call that has run. */
export function enqueue({ changes, now, store }: Pick<Call, 'changes' | 'now' | 'store'>): void {
  if (changes.isEmpty || store.webhooks.size === 0) return
  const list = changes.list()
  // Webhooks of one access hear the same.
  const hearers = new Map<string, Hearer>()
  for (const kept of store.webhooks.list()) {
    if (kept.webhook.state !== 'active') continue
    const access = store.accesses.find(kept.webhook.accessId)
    if (!access || !isInForce(store, access, now)) continue
    const hearer = hearers.get(access.id) ?? new Hearer(store, access)
    hearers.set(access.id, hearer)
    const owed = new Set([...kept.owed, ...list.flatMap(change => messagesFor(kept, hearer, change))])
    // What is owed already is sent in the same call: many changes in a row cost one write.
    if (owed.size > kept.owed.length) store.webhooks.update({ ...kept, owed: [...owed] })
  }
}

function messagesFor({ webhook }: KeptWebhook, hearer: Hearer, change: Change): string[] {
  if (webhook.scopes) return keysOf(webhook.scopes, hearer, change)
  const message = messageOf(change)
  return message !== undefined && hearer.mayHear(change) ? [message] : []
}
