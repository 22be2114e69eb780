/** Forms: questionnaires in a subset of FHIR R4, and the responses to them. (docs/api/forms.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, tracking } from '../scalars.js'

/** JSON of FHIR; `core/forms/questionnaire.ts` checks it. */
export const FhirResource = Type.Record(Type.String(), Type.Unknown())
export type FhirResource = Static<typeof FhirResource>

/** A form as stored and shown. */
export const Form = Type.Object(
  {
    id: Identifier,
    title: Type.String({ minLength: 1, maxLength: 500 }),
    questionnaire: FhirResource,
    /** Where responses and scores are stored. */
    streamId: Identifier,
    /** The access that created it. */
    accessId: Identifier,
    ...tracking
  },
  closed
)
export type Form = Static<typeof Form>
