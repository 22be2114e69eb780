/** Validates the accesses of a foreign file, and their sessions and webhooks. */
import { Type } from 'typebox'
import { getAuditedAccess, isAuditId } from '../../core/audit-ids.js'
import type { Config } from '../../core/settings/config.js'
import { isUrlSafeId } from '../../core/ids.js'
import { isSystemId } from '../../core/system-ids.js'
import { getCreatorId } from '../../core/permissions/access.js'
import { getAccountStreams } from '../../core/account/fields.js'
import { Access } from '../../schemas/access.js'
import { FeaturePermission, isStreamPermission, StreamPermission } from '../../schemas/permission.js'
import { IdentityScope } from '../../schemas/oauth.js'
import { closed, Timestamp } from '../../schemas/scalars.js'
import { Webhook, WebhookRun } from '../../schemas/webhook.js'
import type { Row } from '../../storage/validation/foreign-file.js'
import { compileShape, type Examiner } from './examiner.js'

const Permission = Type.Union([
  Type.Object(StreamPermission.properties, closed),
  Type.Object(FeaturePermission.properties, closed)
])

const accessFields = {
  ...Access.properties,
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  createdBy: Type.String({ maxLength: 2000 }),
  permissions: Type.Optional(Type.Array(Permission, { maxItems: 10_000 }))
}
const isAccess = compileShape(
  Type.Object(
    {
      ...accessFields,
      token: Type.String({ pattern: '^[A-Za-z0-9._~-]{1,255}$' }),
      serial: Type.Optional(Type.Integer({ minimum: 1 }))
    },
    closed
  )
)
const { token: _stillValid, integrity: _ofAll, ...versionFields } = accessFields
const isVersion = compileShape(Type.Object(versionFields, closed))

const count = Type.Integer({ minimum: 0 })
const isWebhook = compileShape(
  Type.Object(
    {
      ...Webhook.properties,
      id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
      runs: Type.Array(Type.Object(WebhookRun.properties, closed), { maxItems: 10_000 }),
      lastRun: Type.Object({ ...WebhookRun.properties, timestamp: Timestamp }, closed),
      runCount: count,
      failCount: count,
      currentRetries: count,
      maxRetries: count,
      minIntervalMs: count
    },
    closed
  )
)
const isGrant = compileShape(
  Type.Object(
    {
      client: Type.String({ maxLength: 100 }),
      clientName: Type.Optional(Type.String({ maxLength: 200 })),
      scopes: Type.Array(IdentityScope, { maxItems: 40 }),
      created: Timestamp,
      used: Type.Optional(Timestamp),
      ends: Type.Optional(Timestamp),
      replaced: Type.Optional(
        Type.Array(
          Type.Object(
            {
              digest: Type.String({ maxLength: 100 }),
              salt: Type.String({ maxLength: 100 }),
              time: Timestamp
            },
            closed
          ),
          { maxItems: 1000 }
        )
      )
    },
    closed
  )
)
const areMessages = compileShape(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 10_000 }))

/** The properties of an access that others depend on. */
type Known = Pick<Access, 'type' | 'deleted' | 'serial'>

/**
 * Reports problems with all accesses, their earlier versions, sessions, consents, OAuth grants and webhooks.
 */
export function examineAccesses(examiner: Examiner): void {
  const known = new Map<string, Known>()
  const live: Access[] = []
  for (const row of examiner.file.rows('SELECT * FROM access')) {
    const access = examiner.read('access', row['id'], row['body'], isAccess) as Access | undefined
    if (!access) continue
    examineAccess(examiner, row, access)
    const { deleted, serial = 0, type } = access
    known.set(access.id, { type, serial, ...(deleted !== undefined && { deleted }) })
    if (deleted === undefined) live.push(access)
  }
  for (const access of live) examineCreator(examiner, access, known)
  examineVersions(examiner, known)
  examineUse(examiner, known)
  let webhooks = 0
  for (const row of examiner.file.rows('SELECT * FROM webhook')) {
    webhooks++
    examineWebhook(examiner, row, known)
  }
  const most = examiner.options.targetConfig?.webhooks.maxPerUser ?? Infinity
  examiner.check(webhooks <= most, 'webhook', undefined, `are more than ${most} (webhooks.maxPerUser)`)
}

/** Reports what is wrong with an access. */
function examineAccess(examiner: Examiner, row: Row, access: Access): void {
  const { createdBy, deleted = null, deviceName = '', id, name, permissions, token, type } = access
  const columns = { id, token, type, name, deviceName, createdBy, deleted }
  const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, 'access', id, detail)
  say(
    Object.entries(columns).every(([column, value]) => row[column] === value),
    "is indexed under values that don't match its content"
  )
  say((type === 'personal') === (permissions === undefined), 'has permissions that its type cannot have')
  say(examiner.isPast(access.created) && examiner.isPast(access.modified), 'was written in the future')
  const { targetConfig } = examiner.options
  for (const permission of (targetConfig && permissions) ?? [])
    if (isStreamPermission(permission) && isSystemId(permission.streamId))
      say(
        isGrantable(permission, targetConfig!),
        `cannot have "${permission.level}" on "${permission.streamId}"`
      )
}

/** Reports problems with the earlier versions of accesses. */
function examineVersions(examiner: Examiner, known: ReadonlyMap<string, Known>): void {
  for (const { access, body, serial } of examiner.file.rows(
    'SELECT access, serial, body FROM access_version'
  )) {
    const version = examiner.read('access', access, body, isVersion) as Omit<Access, 'token'> | undefined
    const current = known.get(String(access))
    const isEarlier =
      Number.isInteger(serial) && Number(serial) >= 0 && Number(serial) < (current?.serial ?? 0)
    const isSame = version?.id === access && version?.type === current?.type
    examiner.check(
      !version || (isEarlier && isSame),
      'access',
      access,
      'has a version that it cannot have had'
    )
  }
}

/** Returns true if a permission on one of the service's own streams can be granted. */
function isGrantable({ level, streamId }: StreamPermission, home: Config): boolean {
  // In the audit log, the calls of single accesses can be granted.
  if (isAuditId(streamId)) return level === 'read' && isUrlSafeId(getAuditedAccess(streamId) ?? '')
  const system = getAccountStreams(home).list.find(({ stream }) => stream.id === streamId)
  // Unknown fields have no content that could be read.
  return level !== 'manage' && !(system && (system.isHidden || system.kind === 'mark'))
}

/**
 * Reports problems with the creator of an access: its type must allow it to create others, which a shared
 * access cannot do.
 */
function examineCreator(examiner: Examiner, access: Access, known: ReadonlyMap<string, Known>): void {
  const { createdBy, expires = Infinity, id, type } = access
  const by = getCreatorId(access)
  const creator = known.get(by)
  const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, 'access', id, detail)
  if (type === 'personal') return void say(createdBy === 'system', 'was not created by signing in')
  if (creator?.type === 'shared') say(false, 'was created by a shared access, which cannot create any')
  if (creator?.type === 'app' && type === 'app') say(false, 'was created by another app, which cannot be')
  if (creator?.type === 'app' && creator.deleted !== undefined && expires > examiner.options.now)
    say(false, 'outlives the access that created it')
  if (examiner.options.targetConfig && by !== 'system' && !creator)
    say(false, "was created by an access that doesn't exist. Delete it before exporting the account")
}

/** Reports problems with rows that refer to accesses: sessions, consents, OAuth grants, and use. */
function examineUse(examiner: Examiner, known: ReadonlyMap<string, Known>): void {
  const { file } = examiner
  for (const { access } of file.rows('SELECT access FROM session')) {
    const isPersonal = known.get(String(access))?.type === 'personal'
    examiner.check(isPersonal, 'access', access, 'has a session, which only personal accesses have')
  }
  for (const { access, agreed } of file.rows('SELECT access, agreed FROM access_consent'))
    examiner.check(
      known.has(String(access)) && examiner.isPast(agreed),
      'access',
      access,
      'has a consent but does not exist'
    )
  for (const { access, body } of file.rows('SELECT access, body FROM oauth_grant')) {
    const { created } = (examiner.read('access', access, body, isGrant) ?? {}) as { created?: number }
    examiner.check(
      known.get(String(access))?.type === 'app' && examiner.isPast(created),
      'access',
      access,
      'is held by OAuth, which only accesses of apps are'
    )
  }
  const strays = `SELECT access FROM (SELECT access FROM access_use UNION ALL SELECT access FROM access_calls)
    WHERE access NOT IN (SELECT id FROM access) LIMIT 1`
  const stray = examiner.options.targetConfig && file.first(strays)
  examiner.check(stray === undefined, 'access', stray, 'has been used but does not exist')
  const calls = file.first('SELECT access FROM access_calls WHERE count < 0 OR octet_length(method) > 1000')
  examiner.check(calls === undefined, 'access', calls, 'has calls that cannot have been counted')
}

/** Reports what is wrong with a webhook. */
function examineWebhook(examiner: Examiner, row: Row, known: ReadonlyMap<string, Known>): void {
  const webhook = examiner.read('webhook', row['id'], row['body'], isWebhook) as Webhook | undefined
  if (!webhook) return
  const { accessId, id, url } = webhook
  const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, 'webhook', id, detail)
  examiner.read('webhook', id, row['owed'], areMessages)
  examiner.read('webhook', id, row['sending'], areMessages)
  const { access, id: ownId, secret, url: ownUrl } = row
  say(
    ownId === id && access === accessId && ownUrl === url,
    "is indexed under values that don't match its content"
  )
  say(
    secret === null || /^[A-Za-z0-9_-]{20,200}$/.test(String(secret)),
    'has a secret that the service does not make'
  )
  const owner = known.get(accessId)
  say(owner !== undefined && owner.type !== 'personal', 'belongs to no access that may have webhooks')
  say(isCallable(url), 'has an URL that cannot be called')
}

function isCallable(url: string): boolean {
  const { hostname, password, protocol, username } = URL.canParse(url) ? new URL(url) : new URL('none:')
  return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === ''
}
