/** Entry point of the pages: reads the request named in the URL, then renders the view. */
import './consent.css'
import { render } from 'preact'
import { runEffectsAtOnce } from '../effects.js'
import { readPageSettings, readServiceInfo } from '../api.js'
import { App } from './app.js'
import { findRequest } from './auth-request.js'
import { setLanguage } from '../language.js'
import { ServiceHeader } from '../parts/page-layout.js'
import { explainError } from '../explain-error.js'
import { addSignInTexts } from './texts.js'
import { ErrorPage } from './views/error-pages.js'

runEffectsAtOnce()
const page = document.querySelector('#page')!
const params = new URLSearchParams(location.search)
const asked = params.get('lang')
await addSignInTexts()
await setLanguage([...(asked === null ? [] : [asked]), ...navigator.languages])

try {
  const [info, facts] = await Promise.all([readServiceInfo(), readPageSettings()])
  const request = await findRequest(params, info)
  if (asked === null && typeof request === 'object' && request.lang) await setLanguage([request.lang])
  render(<App info={info} facts={facts} request={request} />, page)
} catch (error) {
  render(
    <>
      <ServiceHeader name="" />
      <main class="sheet">
        <ErrorPage message={explainError(error).message} />
      </main>
    </>,
    page
  )
}
