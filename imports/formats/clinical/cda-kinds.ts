/** What statements of a clinical document are records of, in the kinds of FHIR, and which are none of what took place. */
import type { Reason } from '../../reasons.js'
import type { CdaElement } from './cda-elements.js'
import { nameIn } from './cda-values.js'

/** Elements that state something about a person. Others within an entry tell about one of these. */
export const statements = new Set([
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

const templates = '2.16.840.1.113883.10.20.22.4.'
/** Sections by LOINC. */
const allergySection = '48765-2'
const conditionSections = new Set(['11450-4', '11348-0', '46241-6', '11535-2', '75310-3', '55108-5'])
const immunizationSection = '11369-6'
const procedureSection = '47519-4'
const vitalSection = '8716-3'
const familySection = '10157-6'

function hasTemplate(element: CdaElement, ...numbers: readonly number[]): boolean {
  return element
    .all('templateId')
    .some(each => numbers.some(number => each.get('root') === templates + number))
}

/** Returns the statements of which an act is only the frame: allergies and problems as concerns. */
export function concernsIn(act: CdaElement, section: string): CdaElement[] {
  const isConcern =
    act.name === 'act' &&
    (hasTemplate(act, 3, 30, 132) || section === allergySection || conditionSections.has(section))
  if (!isConcern) return []
  return act
    .all('entryRelationship')
    .flatMap(each => (each.get('typeCode') === 'SUBJ' ? each.all('observation') : []))
}

/** Returns the kind of a statement by the template that it follows, or the section that it is in. */
export function careKindOf(element: CdaElement, section: string): string | undefined {
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

export function isVitalSign(element: CdaElement, section: string): boolean {
  return section === vitalSection || hasTemplate(element, 27)
}

/** Statuses of what has not begun, or was called off. */
const unfinished = new Set(['cancelled', 'held', 'new', 'obsolete'])
/** Kinds that an order makes a record, too. */
const ordered = new Set(['MedicationStatement', 'MedicationRequest'])

/** Returns why a statement, or one around it, is none of something that was so; `undefined` where it is. */
export function faultOf(element: CdaElement, section: string): Reason | undefined {
  const kind = careKindOf(element, section)
  const status = element.find('statusCode')?.get('code') ?? ''
  const mood = element.get('moodCode') ?? 'EVN'
  if (section === familySection || element.find('subject', 'relatedSubject')) return 'about another person'
  if (element.get('nullFlavor') !== undefined) return 'a record without what makes one'
  if (status === 'nullified') return 'marked as entered in error'
  if (unfinished.has(status) || element.get('negationInd') === 'true')
    return 'cancelled, not carried out or ruled out'
  // A medication that was stopped has been taken, and a concern that is closed was one.
  if (status === 'aborted' && ['observation', 'procedure', 'encounter'].includes(element.name))
    return 'cancelled, not carried out or ruled out'
  if (mood !== 'EVN' && !(ordered.has(kind ?? '') && ['INT', 'RQO'].includes(mood)))
    return 'a plan or a goal, not something that took place'
  return undefined
}

/** Returns how a record of a kind is called: what was given, what somebody has, or what was done or observed. */
export function careNameOf(kind: string, element: CdaElement): string {
  const code = element.find('code')
  const value = element.find('value')
  const product = (element.find('consumable') ?? element.find('product'))?.find('manufacturedProduct')
  const material = product?.find('manufacturedMaterial')
  const agent = element.find('participant', 'participantRole', 'playingEntity')
  let codes = [code]
  if (material) codes = [material.find('code')]
  else if (kind === 'AllergyIntolerance') codes = [agent?.find('code'), value, code]
  else if (kind === 'Condition') codes = [value, code]
  const names = codes.map(each => nameIn(each))
  return names.find(Boolean) ?? material?.find('name')?.wholeText ?? ''
}
