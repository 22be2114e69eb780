/** The events that a response becomes: the response itself, answers that are bound to a type, and sums. (docs/api/forms.md#events) */
import type { Form } from '../../schemas/plans/form.js'
import { createId } from '../ids.js'
import type { Item } from './items.js'
import type { Questionnaire } from './questionnaire.js'
import { buildResponse, type AnswerValue } from './response.js'
import { responseType } from './rules.js'

/** Params of `events.create`. */
export interface NewEvent {
  readonly id: string
  readonly streamIds: readonly string[]
  readonly type: string
  readonly content: unknown
  readonly time: number
  readonly clientData: object
}

/** Key in the `clientData` of events: the form, the event with the response, and the item. */
const formKey = 'coffer:form'

/**
 * Lists the events of a response, the response first, under the id `responseId`. Sums for which an answer is
 * missing are omitted.
 */
export function listEvents(
  form: Form,
  questionnaire: Questionnaire,
  given: {
    readonly answers: ReadonlyMap<string, AnswerValue>
    readonly time: number
    readonly responseId: string
    readonly clientData: object
  }
): NewEvent[] {
  const { answers, clientData, responseId, time } = given
  const source = { id: form.id, response: responseId }
  const items = [...questionnaire.items.values()]
  return [
    {
      id: responseId,
      streamIds: [form.streamId],
      type: responseType,
      content: buildResponse(questionnaire, answers, { formId: form.id, time }),
      time,
      clientData: { [formKey]: { id: form.id }, ...clientData }
    },
    ...items.flatMap((item): NewEvent[] => {
      const answer = answers.get(item.linkId)
      if (!item.binding || answer === undefined) return []
      const { streamId = form.streamId, type } = item.binding
      return [
        {
          id: createId(),
          streamIds: [streamId],
          type,
          content: toContent(item, answer),
          time,
          clientData: { [formKey]: { ...source, linkId: item.linkId } }
        }
      ]
    }),
    ...questionnaire.scores.flatMap(({ linkIds, streamId = form.streamId, type }): NewEvent[] => {
      const values = linkIds.map(linkId => toNumber(questionnaire.items.get(linkId), answers.get(linkId)))
      // A sum without some of its answers would be too small.
      if (values.includes(undefined)) return []
      const sum = values.reduce<number>((total, value) => total + value!, 0)
      return [
        {
          id: createId(),
          streamIds: [streamId],
          type,
          content: sum,
          time,
          clientData: { [formKey]: { ...source, linkIds } }
        }
      ]
    })
  ]
}

function toContent({ options, type }: Item, answer: AnswerValue): AnswerValue {
  if (type !== 'choice') return answer
  const option = options.find(({ code }) => code === answer)
  return option?.score ?? option?.display ?? answer
}

function toNumber(item: Item | undefined, answer: AnswerValue | undefined): number | undefined {
  const value = item && answer !== undefined ? toContent(item, answer) : undefined
  return typeof value === 'number' ? value : undefined
}
