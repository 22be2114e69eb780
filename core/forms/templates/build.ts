/** Builds questionnaires in which each question has the same options, with values from 0 up. */
import type { FhirResource } from '../../../schemas/plans/form.js'

/** The texts of a questionnaire in one language. */
export interface TemplateTexts {
  readonly title: string
  /** What all questions begin with. */
  readonly stem: string
  readonly questions: readonly string[]
  readonly options: readonly string[]
  /** How difficult the problems have made life. It has no score, and may be left unanswered. */
  readonly difficulty: { readonly question: string; readonly options: readonly string[] }
  /** Shown after the questions. */
  readonly note?: string
}

/** A questionnaire that comes with the service. */
export interface Template {
  readonly id: string
  /** Code of the questionnaire in LOINC. */
  readonly loinc: string
  readonly copyright: string
  readonly texts: Readonly<Record<'en' | 'de' | 'fr', TemplateTexts>>
}

/** Returns the questionnaire in a language. The sum of all answers with a score becomes an event of type `count/generic`. */
export function buildQuestionnaire(template: Template, language: 'en' | 'de' | 'fr'): FhirResource {
  const { copyright, id, loinc, texts } = template
  const { difficulty, note, options, questions, stem, title } = texts[language]
  const linkIds = questions.map((_, index) => `${id}-${index + 1}`)
  return {
    resourceType: 'Questionnaire',
    status: 'active',
    language,
    name: id,
    title,
    copyright,
    code: [{ system: 'http://loinc.org', code: loinc }],
    extension: [
      {
        url: 'urn:coffer:score',
        extension: [
          { url: 'type', valueString: 'count/generic' },
          ...linkIds.map(linkId => ({ url: 'linkId', valueString: linkId }))
        ]
      }
    ],
    item: [
      { linkId: `${id}-stem`, type: 'display', text: stem },
      ...questions.map((text, index) => ({
        linkId: linkIds[index],
        type: 'choice',
        text,
        required: true,
        answerOption: options.map((display, value) => ({
          valueCoding: {
            code: String(value),
            display,
            extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/ordinalValue', valueDecimal: value }]
          }
        }))
      })),
      {
        linkId: `${id}-difficulty`,
        type: 'choice',
        text: difficulty.question,
        answerOption: difficulty.options.map((display, value) => ({
          valueCoding: { code: String(value), display }
        }))
      },
      ...(note === undefined ? [] : [{ linkId: `${id}-note`, type: 'display', text: note }])
    ]
  }
}
