/** Builds events of clinical records, which keep the record as it is. */
import { toLookupMap } from '../json-files.js'

/** Kinds of records by FHIR's names, with the names that events use. */
const kinds = toLookupMap<readonly [clinicalType: string, resourceType: string]>({
  AllergyIntolerance: ['allergyRecord', 'allergyIntolerance'],
  Immunization: ['immunizationRecord', 'immunization'],
  Condition: ['conditionRecord', 'condition'],
  Observation: ['labResultRecord', 'observation'],
  MedicationRequest: ['medicationRecord', 'medicationOrder'],
  MedicationOrder: ['medicationRecord', 'medicationOrder'],
  MedicationDispense: ['medicationRecord', 'medicationDispense'],
  MedicationStatement: ['medicationRecord', 'medicationStatement'],
  Procedure: ['procedureRecord', 'procedure']
})

/** Maximum length of a record's name, in characters. */
const maxNameLength = 500

/** Returns true if a kind is a clinical record. */
export function isClinicalKind(kind: string): boolean {
  return kinds.has(kind)
}

/** Returns the event of a clinical record. `kind`: a kind that {@link isClinicalKind} accepts. */
export function buildClinicalEvent(
  kind: string,
  record: { readonly name: string; readonly identifier: string; readonly isVital: boolean }
): { readonly type: string; readonly stream: string; readonly content: unknown } {
  const [clinicalType, resourceType] = kinds.get(kind)!
  return {
    type: 'clinical/fhir',
    stream: `${kind}s`,
    content: {
      displayName: record.name.slice(0, maxNameLength) || kind,
      clinicalType: record.isVital ? 'vitalSignRecord' : clinicalType,
      fhir: { identifier: record.identifier, resourceType }
    }
  }
}
