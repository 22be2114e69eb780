/** The available languages as options of a select, each by its own name. */
import { languages, getLanguageName } from '../language.js'

export function LanguageOptions() {
  return (
    <>
      {languages.map(each => (
        <option key={each} value={each} lang={each}>
          {getLanguageName(each)}
        </option>
      ))}
    </>
  )
}
