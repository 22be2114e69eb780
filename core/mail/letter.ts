/** What is mailed, before a template makes text of it. */

/** The mails that operators can switch on and off. */
export type LetterKind = 'welcome' | 'resetPassword'

export interface Letter {
  readonly kind: LetterKind
  /** For the log. */
  readonly accountId: string
  readonly username: string
  readonly email: string
  /** The user's language, as the account has it. */
  readonly language: string
  /** Values of the template's placeholders. */
  readonly substitutions: Readonly<Record<string, string>>
  /** What the letter is about: given to the operator where there is no mail server. */
  readonly link?: string
}

/** What hands a letter over. Rejects when it could not be. */
export interface Postman {
  deliver(letter: Letter, signal: AbortSignal): Promise<void>
}

/** Languages to look for a letter in: the user's own, that without its region, then the operator's choice. */
export function languagesOf({ language }: Letter, standard: string): string[] {
  const own = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,3})?$/i.test(language)
    ? [language, language.split(/[-_]/)[0]!]
    : []
  return [...new Set([...own, standard].map(name => name.toLowerCase()))]
}
