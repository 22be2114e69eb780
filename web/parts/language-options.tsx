/** The languages that there are, each by its own name, to choose from. */
import { languages, nameOf } from '../language.js'

export function LanguageOptions() {
  return (
    <>
      {languages.map(each => (
        <option key={each} value={each} lang={each}>
          {nameOf(each)}
        </option>
      ))}
    </>
  )
}
