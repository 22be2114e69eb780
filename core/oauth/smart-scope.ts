/**
 * Scopes of SMART App Launch: which resources of FHIR a client reads, and for whom. The user decides which streams that
 * means. (docs/api/fhir.md#smart-app-launch)
 */
import { createHash } from 'node:crypto'
import { resourceScopePattern, type IdentityScope } from '../../schemas/oauth.js'
import { failOAuth } from './errors.js'

/** A scope on resources. */
export type ResourceScope = Extract<IdentityScope, `patient/${string}`>

/** Examples of scopes on resources: for all, and for each type. */
export const resourceScopes: readonly ResourceScope[] = [
  'patient/*.rs',
  'patient/DocumentReference.rs',
  'patient/Observation.rs',
  'patient/Patient.rs',
  'patient/QuestionnaireResponse.rs'
]

/** Maximum number of scopes on resources in a request. */
const maxResourceScopes = 30

/** Returns whether a scope is one on resources of the patient. */
export function isResourceScope(scope: string): scope is ResourceScope {
  return resourceScope.test(scope)
}

const resourceScope = new RegExp(resourceScopePattern)

/** Returns whether scopes are about a patient, whose id the client then gets. */
export function concernPatient(scopes: readonly string[]): boolean {
  return scopes.some(scope => scope === 'launch/patient' || isResourceScope(scope))
}

/**
 * Returns a requested scope without what SMART knows but this service does not: writing, other resources,
 * users and systems. The response shows what is left. Throws `invalid_scope` if nothing is. Also throws it
 * for too many scopes.
 */
export function omitUnknownResources(text: string): string {
  const tokens = text.split(' ').filter(token => token !== '')
  const kept = [...new Set(tokens.flatMap(token => (isSmartWord(token) ? toKnownScope(token) : token)))]
  if (kept.length === 0 && tokens.length > 0)
    failOAuth(
      'invalid_scope',
      'None of these scopes can be granted here: they name resources that are not served'
    )
  if (kept.filter(isResourceScope).length > maxResourceScopes)
    failOAuth('invalid_scope', `There can be at most ${maxResourceScopes} scopes on resources`)
  return kept.join(' ')
}

/**
 * Returns whether a client that is allowed some scopes may request a scope on resources, because it is
 * allowed all of them.
 */
export function isResourceScopeAllowed(scope: string, allowed: readonly string[]): boolean {
  return isResourceScope(scope) && ['patient/*.rs', 'patient/*.read'].some(all => allowed.includes(all))
}

/** What scopes permit to read. */
export interface ScopedResources {
  /** Categories and codes of observations: one of them is enough. */
  readonly observations: ReadonlySet<string> | 'all'
  readonly hasDocuments: boolean
  readonly hasResponses: boolean
}

/** Returns the resources that scopes are about. */
export function listScopedResources(scopes: readonly string[]): ScopedResources {
  const resources = scopes.filter(isResourceScope)
  const ofObservations = resources.filter(scope => /^patient\/(?:\*|Observation)\./.test(scope))
  const includes = (type: string): boolean =>
    resources.some(scope => scope.startsWith('patient/*.') || scope.startsWith(`patient/${type}.`))
  const named = ofObservations.map(scope => /[=|]([a-z\d-]+)$/.exec(scope)?.[1])
  return {
    observations: named.includes(undefined) ? 'all' : new Set(named.flatMap(each => each ?? [])),
    hasDocuments: includes('DocumentReference'),
    hasResponses: includes('QuestionnaireResponse')
  }
}

function isSmartWord(token: string): boolean {
  return (
    /^(?:patient|user|system)\/(?:\*|[A-Za-z]+)\.[a-z*]+(?:\?|$)/.test(token) ||
    /^launch(?:\/[A-Za-z]+)?$/.test(token) ||
    token === 'online_access'
  )
}

/** Returns the part of a scope that can be granted; nothing if there is none. */
function toKnownScope(token: string): string[] {
  if (token === 'launch/patient') return [token]
  const [, resource = '', permissions = '', query = ''] =
    /^patient\/([^.]+)\.([a-z*]+)(\?.*)?$/.exec(token) ?? []
  // Those of SMART 2 are letters; `write` of SMART 1 has one of reading.
  const letters = /^c?r?u?d?s?$/.test(permissions) ? permissions.replaceAll(/[cud]/g, '') : ''
  const reading = permissions === '*' || permissions === 'read' ? 'read' : letters
  const scope = `patient/${resource}.${reading}${query}`
  return isResourceScope(scope) ? [scope] : []
}

/**
 * Returns the id of the patient, which never changes and does not tell the user name. By an alias it is another: clients
 * cannot tell that both are the same user.
 */
export function createPatientId(accountId: string, alias = ''): string {
  return createHash('sha256').update(`patient ${accountId} ${alias}`).digest('hex').slice(0, 32)
}
