/** The notices that users have seen when they agreed to the request of an app, for receipts. (docs/spec/receipts.md#notices) */
import { Type, type Static } from 'typebox'
import { closed, Timestamp } from '../../schemas/scalars.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { version } from '../version.js'

/** What a page of the service has shown: its texts in their order, without those about the user. */
export const ShownNotice = Type.Object(
  {
    language: Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$' }),
    texts: Type.Array(Type.String({ minLength: 1, maxLength: 5000 }), { minItems: 1, maxItems: 300 })
  },
  closed
)
export type ShownNotice = Static<typeof ShownNotice>

/** Maximum number of characters of all texts of a notice. */
const maxLength = 50_000

/** A notice as stored. */
export const StoredNotice = Type.Object(
  {
    ...ShownNotice.properties,
    time: Timestamp,
    /** How often the access had been updated. */
    serial: Type.Integer({ minimum: 0 }),
    /** The service that has shown it, and its version. */
    service: Type.String({ maxLength: 2000 }),
    software: Type.String({ maxLength: 100 }),
    /** Id of the record in the audit. */
    record: Type.Optional(Type.String({ pattern: '^c[0-9a-z]{24}$' }))
  },
  closed
)
export type StoredNotice = Static<typeof StoredNotice>

/** Returns the name under which the notice of an access is stored. */
function getStateName(accessId: string): string {
  return `notice:${accessId}`
}

/** Returns what the user has seen when agreeing to an access; `undefined` if that is not known. */
export function findNotice(
  { signIn }: Pick<UserStore, 'signIn'>,
  accessId: string
): StoredNotice | undefined {
  return signIn.getState(getStateName(accessId)) as StoredNotice | undefined
}

/** Removes the notice of an access that ends. */
export function removeNotice({ signIn }: Pick<UserStore, 'signIn'>, accessId: string): void {
  signIn.removeState(getStateName(accessId))
}

/** An agreement of the user. */
interface Agreement {
  readonly access: Access
  readonly credentials: Credentials
  readonly notice: ShownNotice
  readonly now: number
}

/**
 * Stores what the user has seen, with a record in the audit if the service keeps one. Does nothing if the
 * texts together have more than 50,000 characters. Runs in a transaction.
 */
export function recordNotice(
  { config }: Pick<Services, 'config'>,
  store: UserStore,
  { access, credentials: { ip, via }, notice, now }: Agreement
): void {
  const { language, texts } = notice
  if (texts.reduce((length, text) => length + text.length, 0) > maxLength) return
  let record: string | undefined
  if (config.audit.active) {
    store.record({ time: now, access: access.id, action: 'accesses.consent', via, ip, status: 200 })
    store.completeAudit()
    record = store.audit.lastId
  }
  const stored: StoredNotice = {
    language,
    texts,
    time: now,
    serial: access.serial ?? 0,
    service: config.publicUrl,
    software: `Coffer ${version}`,
    ...(record !== undefined && { record })
  }
  store.signIn.setState(getStateName(access.id), stored)
}
