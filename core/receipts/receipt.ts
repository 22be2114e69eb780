/**
 * Consent receipts: a record of who may do what with which data, why and until when, in the fields of ISO/IEC TS 27560 and with the
 * words of the W3C's Data Privacy Vocabulary. (docs/spec/receipts.md)
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import type { Level, StreamPermission } from '../../schemas/permission.js'
import { maxSeconds } from '../../schemas/zones.js'
import { formatWireId } from '../access-ids.js'
import { auditRoot, getAuditStreamId } from '../audit-ids.js'
import { getClientId } from '../auth/oauth-marks.js'
import type { Call } from '../call/method.js'
import { isCmcId } from '../cmc-ids.js'
import { describeOAuthGrant } from '../oauth/token-grants.js'
import { getCreatorId } from '../permissions/access.js'
import { findOfferAccess, getOfferEnd, getOfferMark } from '../permissions/offer-session.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { getAccountUrl } from '../service-info.js'
import { findNotice } from '../accesses/notices.js'
import { isObject } from '../validation/is-object.js'

/** What the words of a receipt stand for: nothing has to be fetched to read it. */
const context = {
  '@version': 1.1,
  '@vocab': 'https://w3id.org/dpv#',
  dct: 'http://purl.org/dc/terms/',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  id: '@id',
  type: '@type',
  issued: { '@id': 'dct:issued', '@type': 'xsd:dateTime' },
  conformsTo: 'dct:conformsTo'
}

const Texts = Type.Record(Type.String(), Type.String())

export const Receipt = Type.Object({
  '@context': Type.Record(Type.String(), Type.Unknown()),
  type: Type.Literal('ConsentRecord'),
  conformsTo: Type.Literal('ISO/IEC TS 27560:2023'),
  /** URL of the access at this version. */
  id: Type.String(),
  /** How often the access was updated. */
  version: Type.Integer(),
  /** Times are in ISO 8601, as JSON-LD requires. */
  issued: Type.String(),
  issuer: Type.String(),
  hasDataSubject: Type.Object({ username: Type.String(), service: Type.String() }),
  hasRecipient: Type.Object({
    kind: Type.Enum(['app', 'person', 'link']),
    name: Type.String(),
    clientId: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    host: Type.Optional(Type.String())
  }),
  /**
   * The texts that the user has agreed to, their SHA-256, and the version of the access to which they applied; `null` if none are known.
   * For requests of apps also in which language a page has shown them, when, and of which service.
   */
  hasNotice: Type.Union([
    Type.Object({
      texts: Type.Record(Type.String(), Texts),
      sha256: Type.String(),
      version: Type.Integer(),
      language: Type.Optional(Type.String()),
      shown: Type.Optional(
        Type.Object({ time: Type.String(), service: Type.String(), software: Type.String() })
      )
    }),
    Type.Null()
  ]),
  hasPersonalData: Type.Array(
    Type.Object({
      streamId: Type.String(),
      name: Type.String(),
      level: Type.String(),
      hasProcessing: Type.Array(Type.String())
    })
  ),
  /** Absent for what an app has shared: the user has agreed to the app's access, not to this one. */
  hasLegalBasis: Type.Optional(Type.Literal('Consent')),
  hasConsentStatus: Type.Enum(['ConsentGiven', 'ConsentExpired']),
  given: Type.String(),
  changed: Type.String(),
  /** `null`: until it is revoked. */
  validUntil: Type.Union([Type.String(), Type.Null()]),
  /** How the access is revoked: the call, and for the user a page. */
  withdrawal: Type.Object({ method: Type.String(), page: Type.Optional(Type.String()) }),
  /** The proof of the consent: the audit of the access, and its digest. */
  evidence: Type.Object({
    auditStreamId: Type.String(),
    /** Id of the record of the agreement. */
    auditEventId: Type.Optional(Type.String()),
    integrity: Type.Optional(Type.String())
  })
})
export type Receipt = Static<typeof Receipt>

/** What each level allows, in words of the vocabulary. */
const processing: Readonly<Record<Level, readonly string[]>> = {
  read: ['Access'],
  'create-only': ['Record'],
  contribute: ['Access', 'Record', 'Alter', 'Erase'],
  manage: ['Access', 'Record', 'Alter', 'Erase', 'Organise'],
  none: []
}

type Context = Pick<Call, 'account' | 'caller' | 'now' | 'services' | 'store'>

/**
 * Builds the receipt of an access that is not a session. Its holder sees the account under the name that the
 * access has for it, and no names of streams that are withheld.
 */
export function buildReceipt(call: Context, access: Access): Receipt {
  const { account, caller, now, services } = call
  const { config } = services
  const username = caller.isPersonal ? account.username : (access.alias ?? account.username)
  const root = getAccountUrl(config, username)
  const url = `${root}accesses/${formatWireId(access)}`
  const { record } = findNotice(call.store, access.id) ?? {}
  const end = getEnd(call, access)
  return {
    '@context': context,
    type: 'ConsentRecord',
    conformsTo: 'ISO/IEC TS 27560:2023',
    id: url,
    version: access.serial ?? 0,
    issued: formatTime(now),
    issuer: config.publicUrl,
    hasDataSubject: { username, service: config.publicUrl },
    hasRecipient: describeRecipient(access),
    hasNotice: describeNotice(call, access),
    hasPersonalData: (access.permissions ?? []).flatMap(permission =>
      'streamId' in permission && !isMachinery(permission.streamId)
        ? [
            {
              streamId: permission.streamId,
              name: findName(call, permission),
              level: permission.level,
              hasProcessing: [...processing[permission.level]]
            }
          ]
        : []
    ),
    ...(!isSharedByApp(call, access) && { hasLegalBasis: 'Consent' as const }),
    hasConsentStatus: end <= now ? 'ConsentExpired' : 'ConsentGiven',
    given: formatTime(access.created),
    changed: formatTime(access.modified),
    // What ends after the last date has no end.
    validUntil: end > maxSeconds ? null : formatTime(end),
    withdrawal: {
      method: `DELETE ${url}`,
      ...(caller.isPersonal && { page: `${config.publicUrl}/app/${username}/shared/${access.id}` })
    },
    evidence: {
      auditStreamId: getAuditStreamId(access.id),
      ...(record !== undefined && { auditEventId: `${auditRoot}${record}` }),
      ...(access.integrity !== undefined && { integrity: access.integrity })
    }
  }
}

/** Returns when the consent ends, in seconds: with the access, unless its client can refresh it, and with the offer to which it belongs. */
function getEnd({ now, store }: Context, access: Access): number {
  const { renewableUntil = 0 } = describeOAuthGrant(store, access, now) ?? {}
  return Math.min(Math.max(access.expires ?? Infinity, renewableUntil), getOfferEnd(store, access))
}

/** Returns the name of a stream; its id where the holder of the access must not see the name, or the stream does not exist. */
function findName({ caller, store }: Context, { level, streamId }: StreamPermission): string {
  const isHidden = level === 'none' && !caller.isPersonal
  return (isHidden ? undefined : store.streams.find(streamId)?.stream.name) ?? streamId
}

/**
 * Returns whether a stream is one of the service that carries messages, or the audit of the access itself.
 */
function isMachinery(streamId: string): boolean {
  return isCmcId(streamId) || streamId.startsWith(':_audit:')
}

function describeRecipient(access: Access): Receipt['hasRecipient'] {
  const { name, type } = access
  const peer = getCounterparty(access)?.counterparty
  if (peer) return { kind: 'person', name, username: peer.username, host: peer.host }
  const clientId = getClientId(access)
  return { kind: type === 'app' ? 'app' : 'link', name, ...(clientId !== undefined && { clientId }) }
}

/**
 * Returns the texts of the offer that the user has accepted, or those that a page of the service has shown of
 * an app's request; `null` if none are known, or they name streams that the holder must not see. What apps
 * say of themselves is no evidence of what was shown.
 */
function describeNotice(call: Context, access: Access): Receipt['hasNotice'] {
  const { caller, store } = call
  const shown = findNotice(store, access.id)
  if (!shown) return findOfferNotice(call, access)
  // The texts name streams, also those that the holder must not see.
  const isHidden =
    !caller.isPersonal && (access.permissions ?? []).some(each => 'level' in each && each.level === 'none')
  if (isHidden) return null
  const { language, serial, service, software, texts: lines, time } = shown
  const texts = { page: { [language]: lines.join('\n') } }
  return {
    texts,
    sha256: digestTexts(texts),
    version: serial,
    language,
    shown: { time: formatTime(time), service, software }
  }
}

function findOfferNotice({ store }: Context, access: Access): Receipt['hasNotice'] {
  const offer = getOfferMark(access)
  const { acceptEventId } = getCounterparty(offer ? findOfferAccess(store, offer) : access) ?? {}
  const acceptance = acceptEventId === undefined ? undefined : store.events.find(acceptEventId)
  const texts = acceptance && isObject(acceptance.content) ? acceptance.content['notice'] : undefined
  if (!isObject(texts)) return null
  // An acceptance makes the first version.
  return { texts: texts as Record<string, Record<string, string>>, sha256: digestTexts(texts), version: 0 }
}

function digestTexts(texts: object): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

/** Returns whether an app has made an access, rather than the user. */
function isSharedByApp({ store }: Context, access: Access): boolean {
  return store.accesses.find(getCreatorId(access))?.type === 'app'
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
