/** The items of a questionnaire, as they are checked and shown. */
/** Types of items with an answer. */
export const questionTypes = ['choice', 'integer', 'decimal', 'boolean', 'string', 'text', 'date'] as const
export type QuestionType = (typeof questionTypes)[number]

/** An option of a choice. `score`: its ordinal value. */
export interface Option {
  readonly code: string
  readonly system: string | undefined
  readonly display: string | undefined
  readonly score: number | undefined
}

/** A condition under which an item is asked. */
export interface Condition {
  readonly question: string
  /** Whether there has to be an answer; `undefined` if it has to be `value`. */
  readonly exists: boolean | undefined
  /** The code of a choice, or the value itself. */
  readonly value: unknown
}

/** An item, in the order of the questionnaire. */
export interface Item {
  readonly linkId: string
  /** Link id of the group that contains the item. */
  readonly parent: string | undefined
  readonly type: QuestionType | 'group' | 'display'
  readonly text: string | undefined
  readonly isRequired: boolean
  readonly options: readonly Option[]
  readonly conditions: readonly Condition[]
  /** Whether one condition suffices. */
  readonly isAny: boolean
  readonly min: number | string | undefined
  readonly max: number | string | undefined
  readonly maxLength: number | undefined
  readonly binding: Binding | undefined
}

/** Where a value is stored, and as what type. Without a stream: in the stream of the form. */
export interface Binding {
  readonly type: string
  readonly streamId: string | undefined
}

/** A sum over answers. */
export interface Score extends Binding {
  readonly linkIds: readonly string[]
}
