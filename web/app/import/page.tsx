/** The import page: uploads a file, which is analysed before it is imported, and lists previous imports. */
import './style.css'
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { formatSize } from '../parts/format-duration.js'
import { formatDateTime } from '../parts/format-time.js'
import { ReadProblem } from '../parts/read-problem.js'
import type { PageProps } from '../route.js'
import { FileDrop } from './file-drop.js'
import { isBusy, sumCounts, type Import } from './model.js'
import { ImportView } from './import-view.js'

/** Milliseconds between polls of the progress. */
const pollIntervalMs = 1000

/** Shows the upload and the list of imports, or one import (`id`). */
export default function ImportPage({ id }: PageProps) {
  return id === undefined ? <Overview /> : <ImportView id={id} />
}

/** Shows where to drop a file, and the imports so far, read again while one of them is in progress. */
function Overview() {
  const { client } = useAccount()
  const { read, problem, reread } = useReading(
    async () => await client.call<{ imports: readonly Import[] }>('imports.get')
  )
  const imports = read?.imports
  useEffect(() => {
    if (!imports?.some(isBusy)) return undefined
    const timer = setTimeout(() => void reread(), pollIntervalMs)
    return () => clearTimeout(timer)
  }, [imports])
  return (
    <div class="column">
      <h1>{t('import.title')}</h1>
      <p class="lead">{t('import.lead')}</p>
      <FileDrop />
      <p class="by-itself">
        <AppLink to={{ page: 'connect' }}>
          <Icon name="phone" />
          {t('import.byItself')}
        </AppLink>
      </p>
      {problem !== undefined && <ReadProblem message={problem} />}
      {imports && imports.length > 0 && (
        <section class="card before">
          <h2>{t('import.previous')}</h2>
          <ul>
            {imports.map(item => (
              <li key={item.id}>
                <AppLink to={{ page: 'import', id: item.id }}>
                  <span>
                    <b>{toPlainText(item.fileName)}</b>
                    <small>
                      {[item.look?.formatName, formatSize(item.size), formatDateTime(item.created)]
                        .filter(Boolean)
                        .join(', ')}
                    </small>
                  </span>
                  <span class="state">{describeState(item)}</span>
                  <Icon name="right" />
                </AppLink>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function describeState(item: Import): string {
  if (item.state !== 'written') return t(`import.state.${item.state}`)
  return t('import.state.written', { count: sumCounts(item.tally?.broughtIn) })
}
