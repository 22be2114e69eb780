/** Entry point of the operator's page: finds out who is signed in, then renders the page. */
import { render } from 'preact'
import { runEffectsAtOnce } from '../effects.js'
import { callRoute, keepSession, readPageSettings, readServiceInfo, type Session } from '../api.js'
import { addModuleTexts } from '../app/texts.js'
import { setLanguage } from '../language.js'
import { ServiceHeader } from '../parts/page-layout.js'
import { Alert } from '../parts/form.js'
import { explainError } from '../explain-error.js'
import { OperatorPage } from './page.js'
import { addOperatorTexts } from './texts.js'

runEffectsAtOnce()
const page = document.querySelector('#page')!
const asked = new URLSearchParams(location.search).get('lang')
await setLanguage([...(asked === null ? [] : [asked]), ...navigator.languages])
await Promise.all([addModuleTexts('shell'), addOperatorTexts()])
keepSession()
try {
  const [info, facts, { session }] = await Promise.all([
    readServiceInfo(),
    readPageSettings(),
    callRoute<{ session: Pick<Session, 'username'> | null }>('GET', 'app/session')
  ])
  render(<OperatorPage info={info} facts={facts} username={session?.username} />, page)
} catch (error) {
  render(
    <div class="door">
      <ServiceHeader name="" />
      <main class="sheet">
        <Alert>{explainError(error).message}</Alert>
      </main>
    </div>,
    page
  )
}
