/** Channels: where notifications go. (docs/api/channels.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, Name, orNull, Timestamp, tracking } from './scalars.js'

const WebUrl = Type.String({ minLength: 1, maxLength: 2048, pattern: '^https?://' })
const Secret = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[\\x21-\\x7e]+$' })
/** A segment of a path. */
const Segment = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })

/** A subscription of a browser, as `PushSubscription.toJSON()` returns it. */
const WebPushTarget = Type.Object(
  {
    endpoint: WebUrl,
    expirationTime: orNull(Type.Number()),
    keys: Type.Object(
      {
        p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}=?$' }),
        auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}(?:==)?$' })
      },
      closed
    )
  },
  closed
)

/** The targets that callers give, by type. */
export const channelTargets = {
  'web-push': WebPushTarget,
  mail: Type.Object({ address: Type.String({ minLength: 3, maxLength: 300 }) }, closed),
  ntfy: Type.Object(
    {
      url: WebUrl,
      topic: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
      token: orNull(Secret)
    },
    closed
  ),
  gotify: Type.Object({ url: WebUrl, token: Secret }, closed),
  apprise: Type.Object({ url: WebUrl, key: Segment }, closed),
  webhook: Type.Object({ url: WebUrl, secret: orNull(Secret) }, closed),
  person: Type.Object({ accessId: Identifier }, closed),
  event: Type.Object({ streamId: Identifier }, closed)
} as const

export type ChannelType = keyof typeof channelTargets

export const channelTypes = Object.keys(channelTargets) as ChannelType[]

/** What is shown of a target, without its secrets. */
export const ShownTarget = Type.Object(
  {
    /** For Web Push, the origin of the push service. */
    origin: Type.Optional(Type.String()),
    /** For Web Push, the SHA-256 of the endpoint in base64url, by which a browser recognises its subscription. */
    digest: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    topic: Type.Optional(Type.String()),
    accessId: Type.Optional(Identifier),
    streamId: Type.Optional(Identifier),
    hasToken: Type.Optional(Type.Boolean()),
    hasKey: Type.Optional(Type.Boolean()),
    hasSecret: Type.Optional(Type.Boolean())
  },
  closed
)
export type ShownTarget = Static<typeof ShownTarget>

/** What is never shown of a target. */
export const TargetSecrets = Type.Object(
  {
    endpoint: Type.Optional(Type.String()),
    p256dh: Type.Optional(Type.String()),
    auth: Type.Optional(Type.String()),
    token: Type.Optional(Type.String()),
    key: Type.Optional(Type.String()),
    secret: Type.Optional(Type.String())
  },
  closed
)
export type TargetSecrets = Static<typeof TargetSecrets>

/** A channel as stored and shown. */
export const Channel = Type.Object(
  {
    id: Identifier,
    type: Type.Enum(channelTypes),
    name: Name,
    /** The access that created it. */
    accessId: Identifier,
    target: ShownTarget,
    /** An ended channel gets no messages until it is set to `active` again. */
    state: Type.Enum(['active', 'ended']),
    /** Why the channel has ended. */
    reason: Type.Optional(Type.Enum(['gone', 'incomplete'])),
    ...tracking
  },
  closed
)
export type Channel = Static<typeof Channel>

/** Why an attempt has failed. `status`: the status of the response, if there was one. */
export const DeliveryError = Type.Object({
  id: Type.Enum([
    'access-ended',
    'address-not-confirmed',
    'channel-ended',
    'forbidden',
    'internal-address',
    'mail-refused',
    'mail-unavailable',
    'person-gone',
    'refused',
    'stream-gone',
    'timeout',
    'too-late',
    'unreachable'
  ]),
  status: Type.Optional(Type.Integer())
})
export type DeliveryError = Static<typeof DeliveryError>

/** What causes messages. */
export const MessageSource = Type.Object(
  {
    kind: Type.Enum(['rule', 'reminder', 'letter', 'consent', 'test', 'summary']),
    id: Type.String({ maxLength: 1024 })
  },
  closed
)

/** `held`: not sent because of the hourly limit; a summary counts it. */
export const DeliveryState = Type.Enum(['waiting', 'delivered', 'failed', 'held'])
export type DeliveryState = Static<typeof DeliveryState>

/** A message for a channel, and what has become of it. */
export const ChannelDelivery = Type.Object({
  /** The id that receivers get. */
  id: Type.String(),
  title: Type.String(),
  source: MessageSource,
  state: DeliveryState,
  attempts: Type.Integer(),
  queued: Timestamp,
  lastAttempt: Type.Optional(Timestamp),
  nextAttempt: Type.Optional(Timestamp),
  error: Type.Optional(DeliveryError)
})
