/** Shows how to set up the app of a new connection: its address, token and link, which are shown only once. */
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../language.js'
import { CopyButton } from '../../parts/copy-button.js'
import { QrCode } from '../parts/qr-code.js'
import { getAppText, listSetupFields } from './app-catalogue.js'
import type { NewConnection } from './connections.js'
import { GuideLink } from './guide-link.js'

interface Props {
  readonly connection: NewConnection
  /** Name of the app. */
  readonly app: string
  readonly onDone: () => void
}

/** Shows the steps and secrets, and takes the focus. `onDone` is called when the user closes it. */
export function NewConnectionCard({ connection, app, onDone }: Props) {
  const { dialect, link } = connection
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class="card panel setup" aria-labelledby="setup">
      <h2 id="setup" ref={heading} tabIndex={-1}>
        {t('connect.setUp', { app })}
      </h2>
      <ol>
        {getAppText(dialect, 'steps')
          .split('\n')
          .map(step => (
            <li key={step}>{step}</li>
          ))}
      </ol>
      <p>
        <GuideLink dialect={dialect} />
      </p>
      <div class="with-code">
        <div>
          {link !== undefined && (
            <a class="button primary" href={link}>
              {t('connect.openApp', { app })}
            </a>
          )}
          <dl>
            {listSetupFields(dialect, connection).map(([label, value]) => (
              <div key={label}>
                <dt>{t(`connect.field.${label}`)}</dt>
                <dd>
                  <code>{value}</code>
                  <CopyButton text={value} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
        <figure>
          <QrCode text={link ?? connection.url} label={t('connect.qr')} />
          <figcaption>{t(link === undefined ? 'connect.qrAddress' : 'connect.qrLink', { app })}</figcaption>
        </figure>
      </div>
      {isLocalhost(connection.url) && <p class="notice">{t('connect.nearby')}</p>}
      <p class="notice">{t('connect.onlyOnce')}</p>
      <div class="actions side">
        <button type="button" class="button" onClick={onDone}>
          {t('connect.done')}
        </button>
      </div>
    </section>
  )
}

/** Returns whether an address works only on the machine of the service. */
function isLocalhost(url: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
}
