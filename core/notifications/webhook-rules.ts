/**
 * Rules shared by the webhook methods: who may use which webhook, and which URLs are valid.
 * (docs/spec/notifications.md#webhook-methods)
 */
import { UniqueViolation } from '../../storage/errors.js'
import type { StoredWebhook } from '../../storage/repositories/webhooks.js'
import type { Scopes } from '../../schemas/scope.js'
import type { Webhook } from '../../schemas/webhook.js'
import { assertCreator } from '../auth/allow.js'
import { Caller } from '../permissions/caller.js'
import { fail, quoteText } from '../errors.js'
import type { Call } from '../call/method.js'
import { parseWebUrl } from '../parse-url.js'
import { assertMaySubscribe, assertRoom, countAll } from './scope-rules.js'
import { refuseParams } from '../validation/params.js'

/** Returns the webhook if the caller created it or is personal. Errors: `unknown-resource`, `forbidden`. */
export function requireOwnWebhook({ caller, store }: Call, id: string): StoredWebhook {
  const kept = store.webhooks.find(id) ?? fail('unknown-resource', `Unknown webhook ${quoteText(id)}`)
  assertCreator(caller, kept.webhook.accessId)
  return kept
}

/** Requires an http or https URL. Error: `invalid-parameters-format`. */
export function assertWebhookUrl(url: string): void {
  const parsed = parseWebUrl(url)
  if (!parsed || parsed.username !== '' || parsed.password !== '')
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'must be an http or https URL without credentials', path: '#/url' }
    ])
}

/**
 * Runs a write that sets the URL of a webhook. Error: `item-already-exists` if the access already has a webhook with
 * that URL.
 */
export function writeWebhook(url: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    fail('item-already-exists', 'This access already has a webhook with this URL', { url })
  }
}

/**
 * Checks scopes of a webhook, or of a new one, against the access that created it, not the caller's. Throws `forbidden`
 * if that access has ended, and the errors of {@link assertMaySubscribe} and {@link assertRoom}.
 */
export function assertMayHaveScopes(
  { services, store }: Call,
  { accessId, id }: Pick<Webhook, 'accessId'> & Partial<Pick<Webhook, 'id'>>,
  scopes: Scopes
): void {
  const access = store.accesses.find(accessId) ?? fail('forbidden')
  assertMaySubscribe({ store, caller: new Caller(store, access), config: services.config }, scopes)
  const inUse = Array.from(store.webhooks.list())
    .filter(({ webhook }) => webhook.id !== id)
    .map(({ webhook }) => [webhook.accessId, countAll(webhook.scopes ?? {})] as const)
  assertRoom(access, scopes, inUse)
}
