/**
 * Members with the time of a FHIR resource, periods by their start: the first that has one is the time of the event. Exports change the
 * same member once the event has another time.
 */
export const timeMembers: readonly string[] = [
  'effectivePeriod',
  'performedPeriod',
  'onsetPeriod',
  'effectiveDateTime',
  'effectiveInstant',
  'onsetDateTime',
  'performedDateTime',
  'occurrenceDateTime',
  'authored',
  'authoredOn',
  'whenHandedOver',
  'dateAsserted',
  'issued',
  'recordedDate',
  'assertedDate'
]
