/** Params and results of methods: letter. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface LetterMethods {
  /** Get the settings of the weekly letter. */
  'letter.get': {
    params: Record<string, never>
    result: {
      letter: {
        isOn: boolean
        weekday: number
        time: string
        zone: string
        language: 'en' | 'de' | 'fr'
        showsValues: boolean
        byMail: boolean
        channelIds: string[]
        next?: number | null
        address?: string | null
        hasMail: boolean
      }
    }
  }
  /** Turn the weekly letter off with the token of a mail. */
  'letter.unsubscribe': { params: { readonly token: string }; result: { [key: string]: unknown } }
  /** Change the settings of the weekly letter. */
  'letter.update': {
    params: {
      readonly update: {
        readonly isOn?: boolean | undefined
        readonly weekday?: number | undefined
        readonly time?: string | undefined
        readonly zone?: string | undefined
        readonly language?: 'en' | 'de' | 'fr' | undefined
        readonly showsValues?: boolean | undefined
        readonly byMail?: boolean | undefined
        readonly channelIds?: readonly string[] | undefined
      }
    }
    result: {
      letter: {
        isOn: boolean
        weekday: number
        time: string
        zone: string
        language: 'en' | 'de' | 'fr'
        showsValues: boolean
        byMail: boolean
        channelIds: string[]
        next?: number | null
        address?: string | null
        hasMail: boolean
      }
    }
  }
}
