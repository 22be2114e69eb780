/** The types of events for consent and messages, and the contents that apps write. (docs/spec/consent.md#event-types) */
import { isSystemId } from '../system-ids.js'
import { isCmcId } from '../cmc-ids.js'
import { isObject } from '../validation/is-object.js'
import type { Features } from '../permissions/peer-access.js'
import { refuse, refuseContent } from './failures.js'

export const types = {
  request: 'consent/request-cmc',
  accept: 'consent/accept-cmc',
  refuse: 'consent/refuse-cmc',
  revoke: 'consent/revoke-cmc',
  backChannel: 'consent/back-channel-cmc',
  invalidate: 'consent/invalidate-link-cmc',
  chat: 'message/chat-cmc',
  alert: 'notification/alert-cmc',
  ack: 'notification/ack-cmc',
  scopeRequest: 'consent/scope-request-cmc',
  scopeUpdate: 'consent/scope-update-cmc',
  retry: 'cmc-internal/retry-cmc'
} as const

const allTypes: ReadonlySet<string> = new Set(Object.values(types))

/** Returns whether the type is one of the exchange, also an internal one. */
export function isCmcType(type: string): boolean {
  return allTypes.has(type)
}

export type Content = Readonly<Record<string, unknown>>

/** Members of contents that only the service writes. */
const serviceKeys: ReadonlySet<string> = new Set([
  'status',
  'failure',
  'from',
  'delivery',
  'capabilityAccessId',
  'capabilityExpiresAt',
  'acceptedBy',
  'acceptedAt',
  'acceptedCount',
  'refusedBy',
  'refusedAt',
  'dataGrantAccessId',
  'backChannelAccessId',
  'offerEventId',
  'anchorStreamIds',
  'peerNotified',
  'deliveryFailure',
  'newAccessId',
  'previousPermissions',
  'formId',
  'notice'
])

/** Members that the service writes in a type, besides {@link serviceKeys}. */
const serviceKeysByType: Readonly<Record<string, readonly string[]>> = {
  [types.request]: ['capabilityUrl', 'capabilityId', 'accessId'],
  [types.accept]: ['capabilityId', 'appCode']
}

/** Returns whether the service alone writes a member of a content. */
export function isServiceKey(type: string, key: string): boolean {
  return serviceKeys.has(key) || (serviceKeysByType[type]?.includes(key) ?? false)
}

/** Returns a content without what only the service writes. */
export function withoutServiceKeys(type: string, content: Content): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).filter(([key]) => !isServiceKey(type, key)))
}

/** Returns the features that a value asks for: all but those that are `false`. */
export function readFeatures(value: unknown): Features {
  const given = isObject(value) ? value : {}
  return { chat: given['chat'] !== false, systemMessaging: given['systemMessaging'] !== false }
}

/** Returns the features that both sides want. */
export function joinFeatures(a: Features, b: Features): Features {
  return { chat: a.chat && b.chat, systemMessaging: a.systemMessaging && b.systemMessaging }
}

/**
 * Checks the content of an event that an app writes. Throws `invalid-operation` with the id
 * `cmc-invalid-event-content`, or with that of what is wrong with the permissions of an offer.
 */
export function assertContent(type: string, content: unknown): asserts content is Content {
  if (!isObject(content)) refuseContent(type, ['content must be an object'])
  const errors = new ErrorList(content)
  checks[type]?.(errors)
  if (errors.list.length > 0) refuseContent(type, errors.list)
  if (type === types.request) assertOfferable((content['request'] as Content)['permissions'] as unknown[])
}

/** Throws `invalid-operation` (`cmc-offer-empty-permissions`, `cmc-offer-invalid-permissions`) for permissions that no offer may ask for. */
export function assertOfferable(permissions: readonly unknown[]): void {
  if (permissions.length === 0) refuse('cmc-offer-empty-permissions', 'The offer asks for no permissions')
  for (const permission of permissions)
    if (!isOfferable(permission))
      refuse('cmc-offer-invalid-permissions', 'The offer asks for permissions that cannot be granted', {
        permission
      })
}

const levels: ReadonlySet<unknown> = new Set(['read', 'create-only', 'contribute', 'manage'])
const allLevels: ReadonlySet<unknown> = new Set([...levels, 'none'])
const features: ReadonlySet<unknown> = new Set(['selfRevoke', 'selfAudit', 'secretSharing'])

function isOfferable(value: unknown): boolean {
  const permission = value as Content
  if ('feature' in permission) return true
  return levels.has(permission['level']) && isShareable(String(permission['streamId']))
}

function isShareable(streamId: string): boolean {
  return !isSystemId(streamId) && !isCmcId(streamId)
}

/** Returns whether a value has the form of a permission. */
export function isPermissionForm(value: unknown): boolean {
  if (!isObject(value)) return false
  const { defaultName, feature, level, mandatory, setting, streamId } = value
  if (mandatory !== undefined && typeof mandatory !== 'boolean') return false
  if (feature !== undefined)
    return features.has(feature) && (setting === 'forbidden' || setting === 'allowed')
  if (defaultName !== undefined && !isText(defaultName, 1024)) return false
  return isText(streamId, 1024) && streamId !== '' && allLevels.has(level)
}

function isText(value: unknown, maxLength = 100_000): value is string {
  return typeof value === 'string' && value.length <= maxLength
}

/** A text, or texts by language. */
export type Texts = string | Readonly<Record<string, string>>

/** Returns true for a text, or texts by language (2 or 3 letters), of at most 100,000 characters each. */
export function isTexts(value: unknown): value is Texts {
  return isText(value) || isLocalizable(value)
}

function isLocalizable(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(([key, text]) => /^[a-z]{2,3}$/.test(key) && isText(text))
}

/** Maximum number of permissions of an offer. */
const maxPermissions = 1000

function isPermissionList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxPermissions &&
    value.every(isPermissionForm)
  )
}

/** Returns whether a value names streams of the user for those that an offer names. */
export function isStreamChoice(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false
  const ids = Object.values(value)
  return ids.length <= maxPermissions && ids.every(id => isText(id, 1024) && id !== '' && isShareable(id))
}

/** Collects what is wrong with a content. */
class ErrorList {
  readonly list: string[] = []

  constructor(
    readonly content: Content,
    private readonly path = ''
  ) {}

  /** Checks a member. `isRequired`: it has to be there. */
  check(key: string, isRight: (value: unknown) => boolean, what: string, isRequired = false): void {
    const value = this.content[key]
    if (value === undefined ? isRequired : !isRight(value))
      this.list.push(`${this.path}${key} must be ${what}`)
  }

  text(key: string, isRequired = false): void {
    this.check(key, value => isText(value) && value !== '', 'text', isRequired)
  }

  flag(key: string, isRequired = false): void {
    this.check(key, value => typeof value === 'boolean', 'true or false', isRequired)
  }

  /** Checks a member that is an object. */
  within(key: string, isRequired: boolean, check: (inner: ErrorList) => void): void {
    this.check(key, isObject, 'an object', isRequired)
    const value = this.content[key]
    if (!isObject(value)) return
    const inner = new ErrorList(value, `${this.path}${key}.`)
    check(inner)
    this.list.push(...inner.list)
  }

  features(): void {
    this.within('features', false, inner => {
      inner.flag('chat')
      inner.flag('systemMessaging')
    })
  }

  permissions(key: string, isRequired: boolean): void {
    this.check(key, isPermissionList, 'a list of permissions that is not empty', isRequired)
  }
}

/** Checks the content of an offer. Problems are added to `errors`. */
function checkRequest(errors: ErrorList): void {
  errors.check('to', value => value === null || isText(value), 'text or null', true)
  errors.flag('capabilityRequested')
  errors.within('capability', false, inner =>
    inner.check(
      'mode',
      value => value === 'single-use' || value === 'open-link',
      '"single-use" or "open-link"'
    )
  )
  errors.within('request', true, inner => {
    for (const key of ['title', 'description', 'consent'])
      inner.check(key, isLocalizable, 'texts by language', true)
    inner.permissions('permissions', true)
    inner.flag('allowUserChoice')
    inner.features()
    inner.check('expiresAt', Number.isFinite, 'a time in seconds')
    inner.check('accessType', value => value === 'shared' || value === 'app', '"shared" or "app"')
    inner.check('customData', isObject, 'an object')
  })
  errors.within('requesterMeta', false, inner => {
    for (const key of ['displayName', 'appId', 'appUrl'])
      inner.check(key, value => isText(value, 1024), 'text')
  })
}

const alertLevels: ReadonlySet<unknown> = new Set(['info', 'warning', 'critical'])
const maxChatLength = 10_240

const checks: Readonly<Record<string, (errors: ErrorList) => void>> = {
  [types.request]: checkRequest,
  [types.accept](errors) {
    errors.text('capabilityUrl', true)
    errors.features()
    errors.check('accessName', value => isText(value, 200) && value !== '', 'text')
    errors.check('expires', Number.isFinite, 'a time in seconds')
    errors.check('ownStreams', isStreamChoice, 'an object with ids of streams by those that are offered')
  },
  [types.refuse](errors) {
    errors.text('capabilityUrl', true)
    errors.check('reason', isTexts, 'text, or texts by language')
  },
  [types.revoke](errors) {
    errors.text('accessId')
    errors.check('reason', isTexts, 'text, or texts by language')
  },
  [types.invalidate](errors) {
    errors.text('capabilityId', true)
    errors.check('reason', isTexts, 'text, or texts by language')
  },
  [types.chat](errors) {
    const isChat = (value: unknown): boolean =>
      typeof value === 'string' && value !== '' && Array.from(value).length <= maxChatLength
    errors.check('content', isChat, `text of 1 to ${maxChatLength} characters`, true)
  },
  [types.alert](errors) {
    errors.check('level', value => alertLevels.has(value), '"info", "warning" or "critical"', true)
    errors.check('title', isTexts, 'text, or texts by language', true)
    errors.check('body', isTexts, 'text, or texts by language', true)
    errors.flag('ackRequired')
    errors.text('ackId')
  },
  [types.ack](errors) {
    errors.text('alertEventId', true)
    errors.text('ackId', true)
  },
  [types.scopeRequest](errors) {
    errors.permissions('newPermissions', true)
    errors.check('expires', value => value === null || Number.isFinite(value), 'a time in seconds')
    errors.check('message', isTexts, 'text, or texts by language')
  },
  [types.scopeUpdate](errors) {
    const isByRequest = errors.content['scopeRequestEventId'] !== undefined
    if (isByRequest) {
      errors.text('scopeRequestEventId', true)
      errors.flag('accept', true)
      errors.check('reason', isTexts, 'text, or texts by language')
    } else {
      errors.text('accessId', true)
      errors.permissions('newPermissions', true)
      errors.check('expires', value => value === null || Number.isFinite(value), 'a time in seconds, or null')
    }
  }
}
