/** Entry point of the operator's page: finds out who is signed in, then renders the page. */
import { render } from 'preact'
import { call, keepSession, readPageFacts, readServiceInfo, type Session } from '../api.js'
import { addTextsOf } from '../app/texts.js'
import { speak } from '../language.js'
import { Mast } from '../parts/frame.js'
import { Alert } from '../parts/form.js'
import { explain } from '../problem.js'
import { OperatorPage } from './page.js'
import { addOperatorTexts } from './texts.js'

const page = document.querySelector('#page')!
const asked = new URLSearchParams(location.search).get('lang')
await speak([...(asked === null ? [] : [asked]), ...navigator.languages])
await Promise.all([addTextsOf('shell'), addOperatorTexts()])
keepSession()
try {
  const [info, facts, { session }] = await Promise.all([
    readServiceInfo(),
    readPageFacts(),
    call<{ session: Pick<Session, 'username'> | null }>('GET', 'app/session')
  ])
  render(<OperatorPage info={info} facts={facts} username={session?.username} />, page)
} catch (error) {
  render(
    <div class="door">
      <Mast name="" />
      <main class="sheet">
        <Alert>{explain(error).message}</Alert>
      </main>
    </div>,
    page
  )
}
