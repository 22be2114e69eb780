/** A form that comes with a request for data: checked as untrusted input, and added once the user accepts. (docs/api/forms.md#forms-of-requests) */
import { Type, type Static } from 'typebox'
import { FhirResource } from '../../schemas/plans/form.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import { runSteps } from '../../storage/steps.js'
import { provideStreams } from '../accesses/provide-streams.js'
import type { Call } from '../call/method.js'
import { isShallow } from '../json/depth.js'
import { createChecker } from '../validation/params.js'
import { refuse } from './fhir-json.js'
import { insertForm } from './insert-form.js'
import { readQuestionnaire, type Questionnaire } from './questionnaire.js'

/** The form of a request, as the requester writes it. */
const OfferedForm = Type.Object(
  {
    questionnaire: FhirResource,
    /** A stream that the request asks to read: it gets the answers. */
    streamId: Identifier
  },
  closed
)
type OfferedForm = Static<typeof OfferedForm>

/** Maximum length as JSON, in characters. */
const maxLength = 65_536
const maxDepth = 30
const markup = /<\s*[!/?a-z]|javascript:/i
/** Characters that make a text look like another one. */
const bidiOverrides = /[\u202a-\u202e\u2066-\u2069]/
const lineBreaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

const assertShape = createChecker(OfferedForm)

/**
 * Returns the checked form. Throws `invalid-parameters-format` for one that is too long, has markup or
 * overrides of the direction of text, names streams, or is none.
 */
export function checkOfferedForm(form: unknown): OfferedForm & { readonly checked: Questionnaire } {
  if (!isShallow(form, maxDepth)) refuse('#', `must not be nested deeper than ${maxDepth} levels`)
  const text = JSON.stringify(form)
  if (text.length > maxLength) refuse('#', `must not be longer than ${maxLength} characters`)
  if (markup.test(text)) refuse('#', 'must not have markup')
  if (bidiOverrides.test(text)) refuse('#', 'must not change the direction of text')
  assertShape(form)
  const given = form as OfferedForm
  const checked = readQuestionnaire(given.questionnaire)
  const bindings = [...[...checked.items.values()].flatMap(({ binding }) => binding ?? []), ...checked.scores]
  // Answers go to the stream that the request asks to read: the user knows of no other.
  if (bindings.some(({ streamId }) => streamId !== undefined))
    refuse('#/questionnaire', 'must not name streams')
  return { ...given, checked }
}

/**
 * Adds the form of a request that the user accepts. `call`: of the user. `streamId`: the stream that the user
 * has chosen for the one that the form names. Returns the id of the form. Also creates the stream that the
 * form names, or restores it, if needed.
 */
export function addOfferedForm(call: Call, form: unknown, streamId: string): string {
  const { checked, questionnaire } = checkOfferedForm(form)
  runSteps(
    provideStreams(call, [{ streamId, level: 'read', defaultName: findFreeName(call, checked.title) }])
  )
  return insertForm(call, { questionnaire: checked, resource: questionnaire, streamId }).id
}

/** Returns a name for a stream at the root: another stream may have the title of the form already. */
function findFreeName({ store }: Call, title: string): string {
  const name = title.replaceAll(lineBreaks, ' ').trim() || 'Form'
  const known = new Set(Array.from(store.streams.roots(), ({ stream }) => stream.name))
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name} (${number})`
    if (!known.has(numbered)) return numbered
  }
}
