/** Accesses as Consents: who may do what with which data. Only the user's own sessions see them. */
import { TimeFormatter } from '../../core/exports/time-formatter.js'
import { replaceInvalidCharacters } from '../../core/exports/fhir-observation.js'
import type { Level } from '../../schemas/permission.js'
import type { ReadRequest } from '../endpoints.js'
import { compareKeys, takePage, type ListKey, type Page } from './bundle.js'
import { refuse } from './outcome.js'
import { concernsPatient, toSubject, type Patient } from './patient.js'
import { meetsTokens, readSearch } from './search-params.js'

/** The parameters of searches, with the types of their values. */
export const consentParams = { _id: 'token', patient: 'reference', status: 'token' } as const

const terminology = 'http://terminology.hl7.org/CodeSystem/'
const instants = new TimeFormatter()

/** An access, as its owner sees it. */
interface Access {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly deviceName?: string
  readonly created: number
  readonly modified: number
  readonly expires?: number
  /** Of apps that can renew it. */
  readonly oauth?: { readonly renewableUntil?: number }
  readonly permissions?: readonly { readonly streamId?: string; readonly level?: Level }[]
}

/** What each level permits, in the codes of consents. */
const actionsByLevel: Readonly<Record<Level, readonly string[]>> = {
  none: ['access', 'collect', 'correct'],
  read: ['access'],
  'create-only': ['collect'],
  contribute: ['access', 'collect', 'correct'],
  manage: ['access', 'collect', 'correct']
}

/** Reads one consent. Refuses with 404 if there is none. */
export async function readConsent(patient: Patient, id: string): Promise<object> {
  const access = (await listAccesses(patient)).find(each => getConsentId(each) === id)
  return access ? toConsent(patient, access) : refuse('not-found', 'There is no such Consent', 404)
}

/** Searches for consents, the latest first. */
export async function searchConsents(patient: Patient, request: ReadRequest): Promise<Page> {
  const search = readSearch(request, Object.keys(consentParams))
  const all = await listAccesses(patient)
  const isWanted =
    concernsPatient(patient, search) &&
    meetsTokens(search.listTokens('status'), [
      { system: 'http://hl7.org/fhir/consent-state-codes', code: status }
    ])
  const ids = search.listValues('_id')
  const found = isWanted ? all.filter(access => ids.every(list => list.includes(getConsentId(access)))) : []
  const page = await takePage(found, search, toKey, access => toConsent(patient, access))
  return { type: 'Consent', search, ...page }
}

/** The status of all consents: accesses that have ended are not listed. */
const status = 'active'

/** Lists the accesses that are consents, in their order. */
async function listAccesses({ calls }: Patient): Promise<Access[]> {
  const { type } = await calls.call<{ type: string }>('getAccessInfo', {})
  if (type !== 'personal') refuse('forbidden', 'Consents can only be read in a session of the user', 403)
  const { accesses } = await calls.call<{ accesses: Access[] }>('accesses.get', {})
  return accesses
    .filter(access => access.type !== 'personal')
    .toSorted((a, b) => compareKeys(toKey(a), toKey(b)))
}

/** The latest come first. */
const toKey = (access: Access): ListKey => ({ time: -access.created, id: getConsentId(access) })

/** Versions of an access have the same id up to a colon. */
const getConsentId = ({ id }: Access): string => id.split(':', 1)[0]!

/** Converts an access to a Consent; times out of range are omitted. */
function toConsent(patient: Patient, access: Access): object {
  const { created, deviceName, expires, modified, name, oauth, permissions = [] } = access
  const holder = replaceInvalidCharacters(deviceName === undefined ? name : `${name}, ${deviceName}`)
  const start = instants.format(created)
  const end = expires === undefined ? '' : instants.format(Math.max(expires, oauth?.renewableUntil ?? 0))
  const consent = {
    resourceType: 'Consent',
    id: getConsentId(access),
    meta: { lastUpdated: instants.format(modified) },
    status,
    scope: toConcept('consentscope', 'patient-privacy'),
    category: [{ coding: [{ system: 'http://loinc.org', code: '59284-0', display: 'Consent Document' }] }],
    patient: toSubject(patient),
    dateTime: start,
    policyRule: toConcept('v3-ActCode', 'OPTIN'),
    provision: {
      type: 'permit',
      period: { start, ...(/^\d{4}-/.test(end) && { end }) },
      actor: [
        {
          role: toConcept('v3-ParticipationType', 'IRCP'),
          reference: { display: holder.trim() || access.id }
        }
      ],
      ...toProvisions(permissions)
    }
  }
  return consent
}

/** Returns what applies to each stream; FHIR does not allow empty lists. */
function toProvisions(permissions: NonNullable<Access['permissions']>): object {
  const provision = permissions.flatMap(({ level, streamId }) =>
    level === undefined || streamId === undefined
      ? []
      : {
          type: level === 'none' ? 'deny' : 'permit',
          action: actionsByLevel[level].map(code => toConcept('consentaction', code)),
          data: [{ meaning: 'dependents', reference: { display: streamId } }]
        }
  )
  return provision.length === 0 ? {} : { provision }
}

function toConcept(system: string, code: string): object {
  return { coding: [{ system: `${terminology}${system}`, code }] }
}
