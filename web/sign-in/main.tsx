/** Entry point of the pages: reads the request named in the URL, then renders the view. */
import { render } from 'preact'
import { readPageFacts, readServiceInfo } from '../api.js'
import { App } from './app.js'
import { requestOf } from './auth-request.js'
import { speak } from '../language.js'
import { Mast } from '../parts/frame.js'
import { explain } from '../problem.js'
import { Broken } from './views/no-request.js'

const page = document.querySelector('#page')!
const params = new URLSearchParams(location.search)
const asked = params.get('lang')
await speak([...(asked === null ? [] : [asked]), ...navigator.languages])

try {
  const [info, facts] = await Promise.all([readServiceInfo(), readPageFacts()])
  const request = await requestOf(params, info)
  if (asked === null && typeof request === 'object' && request.lang) await speak([request.lang])
  render(<App info={info} facts={facts} request={request} />, page)
} catch (error) {
  render(
    <>
      <Mast name="" />
      <main class="sheet">
        <Broken message={explain(error).message} />
      </main>
    </>,
    page
  )
}
