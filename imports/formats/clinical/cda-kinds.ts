/** Maps statements of a clinical document to FHIR's kinds, and finds statements about what did not take place. */
import type { SkipReason } from '../../skip-reasons.js'
import type { CdaElement } from './cda-elements.js'
import { getCodeName } from './cda-values.js'

/** Elements that are statements about a person. Other elements within an entry describe such a statement. */
export const statementElements = new Set([
  'observation',
  'act',
  'substanceAdministration',
  'supply',
  'procedure',
  'encounter',
  'observationMedia',
  'regionOfInterest',
  'organizer'
])

const templatePrefix = '2.16.840.1.113883.10.20.22.4.'
/** LOINC codes of sections. */
const allergySection = '48765-2'
const conditionSections = new Set(['11450-4', '11348-0', '46241-6', '11535-2', '75310-3', '55108-5'])
const immunizationSection = '11369-6'
const procedureSection = '47519-4'
const vitalSection = '8716-3'
const familySection = '10157-6'

function hasTemplate(element: CdaElement, ...numbers: readonly number[]): boolean {
  return element
    .findAll('templateId')
    .some(each => numbers.some(number => each.get('root') === templatePrefix + number))
}

/**
 * Returns the observations (allergies and problems) that an act wraps as concerns. Returns an empty list for
 * other elements.
 */
export function findConcerns(act: CdaElement, section: string): CdaElement[] {
  const isConcern =
    act.name === 'act' &&
    (hasTemplate(act, 3, 30, 132) || section === allergySection || conditionSections.has(section))
  if (!isConcern) return []
  return act
    .findAll('entryRelationship')
    .flatMap(each => (each.get('typeCode') === 'SUBJ' ? each.findAll('observation') : []))
}

/**
 * Returns the FHIR kind of a statement, by its template or its section. Returns `undefined` for elements
 * without such a kind.
 */
export function toFhirKind(element: CdaElement, section: string): string | undefined {
  switch (element.name) {
    case 'observation':
      if (hasTemplate(element, 7, 90) || section === allergySection) return 'AllergyIntolerance'
      if (hasTemplate(element, 4) || conditionSections.has(section)) return 'Condition'
      return hasTemplate(element, 13) || section === procedureSection ? 'Procedure' : 'Observation'
    case 'substanceAdministration':
      if (hasTemplate(element, 52, 120) || section === immunizationSection) return 'Immunization'
      return hasTemplate(element, 42) ? 'MedicationRequest' : 'MedicationStatement'
    case 'supply':
      if (!element.find('product', 'manufacturedProduct', 'manufacturedMaterial')) return undefined
      return element.get('moodCode') === 'EVN' ? 'MedicationDispense' : 'MedicationRequest'
    case 'procedure':
      return 'Procedure'
    case 'act':
      return hasTemplate(element, 12) || section === procedureSection ? 'Procedure' : undefined
    default:
      return undefined
  }
}

/** Returns whether an observation is a vital sign, by the code of its section or by its template. */
export function isVitalSign(element: CdaElement, section: string): boolean {
  return section === vitalSection || hasTemplate(element, 27)
}

/** Statuses of statements that did not begin or were cancelled. */
const unfinishedStatuses = new Set(['cancelled', 'held', 'new', 'obsolete'])
/** Kinds whose orders count as well, not only what was carried out. */
const orderKinds = new Set(['MedicationStatement', 'MedicationRequest'])

/**
 * Returns the reason to skip a statement because it, or a statement that contains it, states nothing that happened;
 * `undefined` to keep it.
 */
export function findSkipReason(element: CdaElement, section: string): SkipReason | undefined {
  const kind = toFhirKind(element, section)
  const status = element.find('statusCode')?.get('code') ?? ''
  const mood = element.get('moodCode') ?? 'EVN'
  if (section === familySection || element.find('subject', 'relatedSubject')) return 'about another person'
  if (element.get('nullFlavor') !== undefined) return 'a record without what makes one'
  if (status === 'nullified') return 'marked as entered in error'
  if (unfinishedStatuses.has(status) || element.get('negationInd') === 'true')
    return 'cancelled, not carried out or ruled out'
  // A stopped medication has been taken, and a closed concern existed.
  if (status === 'aborted' && ['observation', 'procedure', 'encounter'].includes(element.name))
    return 'cancelled, not carried out or ruled out'
  if (mood !== 'EVN' && !(orderKinds.has(kind ?? '') && ['INT', 'RQO'].includes(mood)))
    return 'a plan or a goal, not something that took place'
  return undefined
}

/**
 * Returns the name of a record: what was given, diagnosed, done or observed. Returns an empty string if it is
 * not named.
 */
export function getRecordName(kind: string, element: CdaElement): string {
  const code = element.find('code')
  const value = element.find('value')
  const product = (element.find('consumable') ?? element.find('product'))?.find('manufacturedProduct')
  const material = product?.find('manufacturedMaterial')
  const agent = element.find('participant', 'participantRole', 'playingEntity')
  let codes = [code]
  if (material) codes = [material.find('code')]
  else if (kind === 'AllergyIntolerance') codes = [agent?.find('code'), value, code]
  else if (kind === 'Condition') codes = [value, code]
  const names = codes.map(each => getCodeName(each))
  return names.find(Boolean) ?? material?.find('name')?.wholeText ?? ''
}
