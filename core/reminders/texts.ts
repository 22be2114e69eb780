/** Texts of the notifications of reminders, in the language of the user. */
import type { UserStore } from '../../storage/user/user-store.js'
import { getTextLanguage, type TextLanguage } from '../channels/texts.js'

interface Texts {
  readonly due: string
  readonly at: (time: string) => string
  readonly done: string
  readonly skip: string
  readonly later: string
}

const all: Readonly<Record<TextLanguage, Texts>> = {
  en: {
    due: 'A reminder is due',
    at: time => `Due at ${time}`,
    done: 'Done',
    skip: 'Skip',
    later: 'Later'
  },
  de: {
    due: 'Eine Erinnerung ist fällig',
    at: time => `Fällig um ${time}`,
    done: 'Erledigt',
    skip: 'Überspringen',
    later: 'Später'
  },
  fr: {
    due: 'Un rappel est arrivé à échéance',
    at: time => `Prévu à ${time}`,
    done: 'Fait',
    skip: 'Passer',
    later: 'Plus tard'
  }
}

/** Returns the texts in the language of the user. */
export function getReminderTexts(store: UserStore): Texts {
  return all[getTextLanguage(store)]
}
