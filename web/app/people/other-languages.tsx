/** The texts of a request in further languages. Each person sees the texts in their own language, and agrees to those. */
import { getLanguage, getLanguageName, languages, t, type Messages, type TextFiles } from '../../language.js'
import { Field } from '../../parts/field.js'
import type { Values } from '../../parts/form.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { everything } from './measure-choice.js'
import type { LocalTexts } from './people.js'

interface Props {
  /** Tags of the languages that the user has added. */
  readonly added: readonly string[]
  readonly onAdd: (tag: string) => void
}

/** Fields for the texts in other languages, and a choice that adds one. */
export function OtherLanguages({ added, onAdd }: Props) {
  const left = languages.filter(tag => tag !== getLanguage() && !added.includes(tag))
  return (
    <>
      {added.map(tag => (
        <fieldset class="asked" key={tag} lang={tag}>
          <legend>{t('people.textsIn', { language: getLanguageName(tag) })}</legend>
          <Field
            name={`title-${tag}`}
            label={t('people.titleField')}
            input={{ maxLength: 200, autocomplete: 'off' }}
          />
          <div class="field">
            <label for={`reason-${tag}`}>{t('people.reason')}</label>
            <textarea id={`reason-${tag}`} name={`reason-${tag}`} required maxLength={2000} rows={3} />
          </div>
        </fieldset>
      ))}
      {left.length > 0 && (
        <div class="field">
          <label for="language">{t('people.moreLanguages')}</label>
          <select id="language" value="" onChange={event => onAdd(event.currentTarget.value)}>
            <option value="" />
            {left.map(tag => (
              <option key={tag} value={tag} lang={tag}>
                {getLanguageName(tag)}
              </option>
            ))}
          </select>
          <p class="hint">{t('people.textsHint')}</p>
        </div>
      )}
    </>
  )
}

/** What is asked for, as the sentence to agree to names it. */
interface Wish {
  readonly name: string
  readonly level: 'read' | 'contribute'
  /** Ids of measures, or of everything. */
  readonly chosen: ReadonlySet<string>
  readonly measures: readonly AnyMeasure[]
}

const files: TextFiles = import.meta.glob<Messages>('./messages/*.json', { import: 'default' })

/** Returns the texts of a request by language: what the user has written, and the sentence to agree to. */
export async function writeTexts(
  values: Values,
  added: readonly string[],
  wish: Wish
): Promise<Readonly<Record<'title' | 'description' | 'consent', LocalTexts>>> {
  const own = getLanguage()
  const tags = [own, ...added]
  const collect = (name: string): LocalTexts =>
    Object.fromEntries(tags.map(tag => [tag, values[tag === own ? name : `${name}-${tag}`]!.trim()]))
  const consent = await Promise.all(tags.map(async tag => [tag, await writeConsent(tag, wish)]))
  return {
    title: collect('title'),
    description: collect('reason'),
    consent: Object.fromEntries(consent) as LocalTexts
  }
}

/** Returns the sentence to agree to in a language. */
async function writeConsent(tag: string, { chosen, level, measures, name }: Wish): Promise<string> {
  const texts = await files[`./messages/${tag}.json`]!()
  const names = [
    ...(chosen.has(everything) ? [texts['people.allData']!] : []),
    ...measures.filter(({ id }) => chosen.has(id)).map(measure => nameIn(tag, measure))
  ]
  const list = new Intl.ListFormat(tag, { type: 'conjunction' }).format(names)
  const sentence = texts[level === 'read' ? 'people.consentRead' : 'people.consentContribute']!
  return sentence.replaceAll(/\{(\w+)\}/g, (_whole, key: string) => (key === 'name' ? name : list))
}

/** Returns the name of a measure in a language. The user's own measures have the same name in all languages. */
function nameIn(tag: string, measure: AnyMeasure): string {
  const names: Readonly<Record<string, string>> = 'names' in measure ? { ...measure.names } : {}
  return Object.hasOwn(names, tag) ? names[tag]! : getMeasureName(measure)
}
