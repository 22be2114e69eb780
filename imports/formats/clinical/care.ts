/** Records of care, which are kept as they are. */
import { byName } from '../json-files.js'

/** Kinds of records, as FHIR names them, with the names that events have for them. */
const kinds = byName<readonly [clinicalType: string, resourceType: string]>({
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

/** Longest name of a record, in characters. */
const longestName = 500

/** Whether a kind is one of records of care. */
export function isCareRecord(kind: string): boolean {
  return kinds.has(kind)
}

/** Returns the event of a record of care, whose kind is one that {@link isCareRecord} knows. */
export function careRecord(
  kind: string,
  record: { readonly name: string; readonly identifier: string; readonly isVital: boolean }
): { readonly type: string; readonly stream: string; readonly content: unknown } {
  const [clinicalType, resourceType] = kinds.get(kind)!
  return {
    type: 'clinical/fhir',
    stream: `${kind}s`,
    content: {
      displayName: record.name.slice(0, longestName) || kind,
      clinicalType: record.isVital ? 'vitalSignRecord' : clinicalType,
      fhir: { identifier: record.identifier, resourceType }
    }
  }
}
