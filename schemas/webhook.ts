/** A webhook: a URL that is called about changes that the access which created it may see. (docs/spec/notifications.md#webhooks) */
import { Type, type Static } from 'typebox'
import { Identifier, Timestamp, tracking } from './scalars.js'
import { Scopes } from './scope.js'

/** One HTTP call; `status` 0 if there was no response. */
export const WebhookRun = Type.Object({ status: Type.Number(), timestamp: Timestamp })
export type WebhookRun = Static<typeof WebhookRun>

export const WebhookState = Type.Enum(['active', 'inactive'])

/** The URL to call, http or https. */
export const WebhookUrl = Type.String({ minLength: 1, maxLength: 2048 })

/** A webhook as the API shows it. `runs` are newest first. */
export const Webhook = Type.Object({
  id: Identifier,
  accessId: Identifier,
  url: WebhookUrl,
  state: WebhookState,
  runCount: Type.Number(),
  failCount: Type.Number(),
  lastRun: WebhookRun,
  runs: Type.Array(WebhookRun),
  currentRetries: Type.Number(),
  maxRetries: Type.Number(),
  minIntervalMs: Type.Number(),
  /** Without scopes, the API's own messages are sent; with scopes, the keys of the scopes that a change matches. */
  scopes: Type.Optional(Scopes),
  /** Whether calls carry a signature. */
  signed: Type.Optional(Type.Boolean()),
  ...tracking
})
export type Webhook = Static<typeof Webhook>
