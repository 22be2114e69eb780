/** Texts of messages about rules, in the language of the user. By default they tell nothing of the data. (docs/api/rules.md#messages) */
import type { Rule } from '../../schemas/rule.js'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { getTextLanguage, type TextLanguage } from '../channels/texts.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Telling } from './episodes.js'

interface Texts {
  readonly title: string
  readonly fired: string
  readonly recovered: string
  readonly over: (name: string) => string
  readonly open: string
  readonly acknowledge: string
}

const all: Readonly<Record<TextLanguage, Texts>> = {
  en: {
    title: 'Alert',
    fired: 'Something that you wanted to know has happened.',
    recovered: 'An alert is over.',
    over: name => `Over: ${name}`,
    open: 'Open',
    acknowledge: 'Acknowledge'
  },
  de: {
    title: 'Warnung',
    fired: 'Es ist etwas eingetreten, das Sie wissen wollten.',
    recovered: 'Eine Warnung hat sich erledigt.',
    over: name => `Erledigt: ${name}`,
    open: 'Öffnen',
    acknowledge: 'Bestätigen'
  },
  fr: {
    title: 'Alerte',
    fired: 'Il s’est produit quelque chose que vous vouliez savoir.',
    recovered: 'Une alerte est terminée.',
    over: name => `Terminé : ${name}`,
    open: 'Ouvrir',
    acknowledge: 'Confirmer'
  }
}

/**
 * Returns the title and the text of a message. It has the name of the rule and values only if the rule says
 * so.
 */
export function describeTelling(
  store: UserStore,
  rule: Rule,
  { kind, value }: Telling
): Pick<Texts, 'acknowledge' | 'open' | 'title'> & { readonly text: string } {
  const language = getTextLanguage(store)
  const texts = all[language]
  const { acknowledge, open } = texts
  const buttons = { acknowledge, open }
  if (kind === 'recovered')
    return rule.showsValues
      ? { title: texts.over(rule.name), text: '', ...buttons }
      : { title: texts.title, text: texts.recovered, ...buttons }
  if (!rule.showsValues) return { title: texts.title, text: rule.text ?? texts.fired, ...buttons }
  const told = value === undefined ? undefined : describeValue(rule, value, language)
  return {
    title: rule.name,
    text: [rule.text, told].filter(text => text !== undefined).join('\n'),
    ...buttons
  }
}

/**
 * Returns a number with the name of its measure and its unit: `Glucose: 3.8 mmol/l`; `undefined` for
 * conditions without a measure.
 */
function describeValue({ condition }: Rule, value: number, language: TextLanguage): string | undefined {
  if (!('measure' in condition)) return undefined
  const measure = findMeasure(condition.measure)
  const name = measure?.names[language] ?? condition.measure
  const type = ('unit' in condition ? condition.unit : undefined) ?? measure?.types[0] ?? ''
  const unit = type.slice(type.indexOf('/') + 1)
  const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 }).format(value)
  return `${name}: ${number}${unit === '' || unit === 'count' ? '' : ` ${unit}`}`
}
