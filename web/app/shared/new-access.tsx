/** Shows a new shared link with its QR code, or the API endpoint for an app. Shown only once. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { copyText } from '../../parts/copy-button.js'
import { useAccount } from '../data/account.js'
import { buildLink } from '../data/shared-link.js'
import type { Access } from '../data/model.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { toPlainText } from '../../plain-text.js'
import { describeExpiry } from './describe-access.js'
import { QrCode } from '../parts/qr-code.js'

/** What was created. */
export type ShareKind = 'link' | 'app'

interface Props {
  readonly access: Access
  readonly kind: ShareKind
  readonly onDone: () => void
}

/** Shows the link or endpoint with buttons to copy and send it, and takes the focus. */
export function NewAccess({ access, kind, onDone }: Props) {
  const { username } = useAccount()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const name = toPlainText(access.name)
  const text =
    kind === 'link'
      ? buildLink({ username: access.alias ?? username, token: access.token ?? '' })
      : (access.apiEndpoint ?? '')
  return (
    <div class="made">
      <h3 ref={heading} tabIndex={-1}>
        {t(kind === 'link' ? 'shared.linkFor' : 'shared.tokenFor', { name })}, {describeExpiry(access)}
      </h3>
      <p class="hint">{t(kind === 'link' ? 'shared.linkHint' : 'shared.tokenHint')}</p>
      <input
        class="made-text"
        readOnly
        value={text}
        aria-label={t(kind === 'link' ? 'shared.theLink' : 'shared.theEndpoint')}
        onFocus={event => event.currentTarget.select()}
      />
      <CopyOrShare text={text} title={name} isLink={kind === 'link'} />
      {kind === 'link' && isLocalhost() && <p class="notice">{t('shared.nearby')}</p>}
      <QrCode text={text} label={t('shared.qr')} />
      <div class="actions">
        <button type="button" class="button" onClick={onDone}>
          {t('shared.another')}
        </button>
        <AppLink to={{ page: 'shared', id: access.id }}>{t('shared.viewActivity')}</AppLink>
      </div>
    </div>
  )
}

/** Copies the text, or shares it with another app on a phone. */
function CopyOrShare({
  text,
  title,
  isLink
}: {
  readonly text: string
  readonly title: string
  readonly isLink: boolean
}) {
  const [status, setStatus] = useState('')
  const copy = (): void => {
    copyText(text).then(
      () => setStatus(t('shared.copied')),
      () => {
        document.querySelector<HTMLInputElement>('.made-text')?.select()
        setStatus(t('shared.notCopied'))
      }
    )
  }
  const canShare = isLink && 'share' in navigator && navigator.canShare({ url: text, title })
  return (
    <>
      <div class="actions side">
        <button type="button" class="button primary" onClick={copy}>
          {t('shared.copy')}
        </button>
        {canShare && (
          <button
            type="button"
            class="button"
            onClick={() => void navigator.share({ url: text, title }).catch(() => undefined)}
          >
            <Icon name="export" />
            {t('shared.send')}
          </button>
        )}
      </div>
      <p class="hint" role="status">
        {status}
      </p>
    </>
  )
}

/** Returns whether the URL of this page works only on this device. */
function isLocalhost(): boolean {
  return /^(?:localhost|127\.|\[::1\])/.test(location.hostname)
}
