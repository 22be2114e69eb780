/** The link of a request: to copy, as a QR code, or in an email. */
import { useContext } from 'preact/hooks'
import { root } from '../../api.js'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { CopyButton } from '../../parts/copy-button.js'
import { formatDay } from '../parts/format-time.js'
import { QrCode } from '../parts/qr-code.js'
import { pickText, type RequestContent } from './people.js'

/**
 * Shows the link and the code, each with a button that copies it, the QR code, and a button that writes an
 * email.
 */
export function OfferLink({ content }: { readonly content: RequestContent }) {
  const { info } = useContext(PageContext)
  const { capabilityExpiresAt = 0, capabilityUrl = '', request } = content
  const link = new URL('cmc-accept', root)
  link.searchParams.set('capabilityUrl', capabilityUrl)
  const title = pickText(request.title)
  const mail = `mailto:?${new URLSearchParams({
    subject: title,
    body: t('people.mailBody', { title, link: link.href, code: capabilityUrl })
  })
    .toString()
    .replaceAll('+', '%20')}`
  return (
    <>
      <h1>{title}</h1>
      <p class="lead">{t('people.linkLead', { date: formatDay(capabilityExpiresAt) })}</p>
      <section class="card panel with-code">
        <div>
          <dl>
            <div>
              <dt>{t('people.linkHere', { service: info.name })}</dt>
              <dd>
                <code>{link.href}</code>
                <CopyButton text={link.href} />
              </dd>
            </div>
            <div>
              <dt>{t('people.linkElsewhere')}</dt>
              <dd>
                <code>{capabilityUrl}</code>
                <CopyButton text={capabilityUrl} />
              </dd>
            </div>
          </dl>
          <a class="button" href={mail}>
            {t('people.sendMail')}
          </a>
        </div>
        <figure>
          <QrCode text={link.href} label={t('people.qr')} />
          <figcaption>{t('people.qrHint')}</figcaption>
        </figure>
      </section>
      <p class="notice">{t('people.linkSecret')}</p>
    </>
  )
}
