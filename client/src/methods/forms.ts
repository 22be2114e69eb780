/** Params and results of methods: forms. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Event, ItemDeletion } from './nouns.js'

export interface FormsMethods {
  /** Store a response to a form. */
  'forms.answer': {
    params: {
      readonly id: string
      readonly response: { readonly [key: string]: unknown }
      readonly time?: number | null | undefined
      readonly reminder?: { readonly id: string; readonly due: number } | null | undefined
    }
    result: { event: Event; eventIds: string[] }
  }
  /** Add a form. */
  'forms.create': {
    params: {
      readonly questionnaire?: { readonly [key: string]: unknown } | null | undefined
      readonly template?: ('phq-9' | 'gad-7') | null | undefined
      readonly language?: ('en' | 'de' | 'fr') | null | undefined
      readonly streamId: string
    }
    result: {
      form: {
        id: string
        title: string
        questionnaire: { [key: string]: unknown }
        streamId: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
    }
  }
  /** Remove a form. */
  'forms.delete': { params: { readonly id: string }; result: { formDeletion: ItemDeletion } }
  /** Get a form with its questionnaire. */
  'forms.getOne': {
    params: { readonly id: string }
    result: {
      form: {
        id: string
        title: string
        questionnaire: { [key: string]: unknown }
        streamId: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
    }
  }
  /** List forms, and templates for new ones. */
  'forms.get': {
    params: Record<string, never>
    result: {
      forms: {
        id: string
        title: string
        streamId: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }[]
      templates: { id: string; title: string }[]
    }
  }
  /** Change a form. */
  'forms.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly questionnaire?: { readonly [key: string]: unknown } | undefined
        readonly streamId?: string | undefined
      }
    }
    result: {
      form: {
        id: string
        title: string
        questionnaire: { [key: string]: unknown }
        streamId: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
    }
  }
}
