/** What else there is to know before one agrees: the device, the end, where one is led, what ends with the older access. */
import type { ComponentChildren } from 'preact'
import type { AuthRequest } from '../auth-request.js'
import { date, t } from '../language.js'

/** Ten thousand years, in seconds: later dates are none that people know, and calendars end. */
const aeon = 10_000 * 365 * 86_400

export function Facts({ request, shares }: { readonly request: AuthRequest; readonly shares: number }) {
  const { app, deviceName, expireAfter, requestingAppId, returnURL } = request
  return (
    <>
      {shares > 0 && (
        <p class="notice">{t(shares === 1 ? 'consent.share' : 'consent.shares', { count: shares })}</p>
      )}
      <dl class="facts">
        {app !== requestingAppId && <Fact name={t('consent.app')}>{requestingAppId}</Fact>}
        {deviceName && <Fact name={t('consent.device')}>{deviceName}</Fact>}
        <Fact name={t('consent.until')}>
          {typeof expireAfter === 'number' && expireAfter < aeon
            ? t('consent.ends', { date: date(Date.now() / 1000 + expireAfter) })
            : t('consent.revoked')}
        </Fact>
        {returnURL && <Fact name={t('consent.return')}>{hostOf(returnURL)}</Fact>}
      </dl>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The part of an address that people can judge. */
function hostOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, protocol } = new URL(url)
  return host === '' ? protocol : host
}
