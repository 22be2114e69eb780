/**
 * Further facts for a decision: who asks, where the user returns to, the device, the expiry, and what ends with an
 * older access.
 */
import type { ComponentChildren } from 'preact'
import type { AuthRequest } from '../auth-request.js'
import type { Access, Consent, Destination } from '../grant-access.js'
import { formatDate, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'

/**
 * Ten thousand years, in seconds. Accesses that last longer are shown without an expiry, because browsers may not be able to
 * format such dates.
 */
const maxShownExpiry = 10_000 * 365 * 86_400

interface Props {
  readonly request: AuthRequest
  readonly shares: number
  readonly consent: Consent
  /** The existing access that the app requests again. */
  readonly same: Access | undefined
}

/** Shows who asks for access, for how long, and what makes the request unusual. */
export function ConsentDetails({ request, shares, consent, same }: Props) {
  const { app, deviceName, requestingAppId } = request
  const end = getEnd(request, same)
  const { agreed, asked, isNeeded } = consent
  const isNewDestination = isNeeded && agreed.length > 0
  return (
    <>
      {shares > 0 && <p class="notice">{t('consent.shares', { count: shares })}</p>}
      {(same !== undefined || isNewDestination || !asked.isNear) && (
        <p class="notice">{t('consent.caution', { app })}</p>
      )}
      <dl class="facts">
        {app !== toPlainText(requestingAppId) && (
          <Fact name={t('consent.app')}>{toPlainText(requestingAppId)}</Fact>
        )}
        <Fact name={t('consent.asker')}>{describeRequester(asked)}</Fact>
        {asked.returnTo !== undefined && <Fact name={t('consent.return')}>{getHost(asked.returnTo)}</Fact>}
        {isNewDestination && (
          <Fact name={t('consent.agreed')}>
            {[...new Set(agreed.map(describeDestination))].slice(0, 5).join(', ')}
          </Fact>
        )}
        {deviceName && <Fact name={t('consent.device')}>{toPlainText(deviceName)}</Fact>}
        <Fact name={t('consent.until')}>
          {end - Date.now() / 1000 < maxShownExpiry
            ? t('consent.ends', { date: formatDate(end) })
            : t('consent.revoked')}
        </Fact>
      </dl>
    </>
  )
}

/**
 * Returns when the access ends once the user allows the request, in seconds; `Infinity` if it does not, or the app renews it. A
 * client of OAuth prolongs the access that it has, other apps do not.
 */
function getEnd({ expireAfter, oauth }: AuthRequest, same: Access | undefined): number {
  if (oauth?.scopes.includes('offline_access')) return Infinity
  const asked = typeof expireAfter === 'number' ? Date.now() / 1000 + expireAfter : Infinity
  if (!same) return asked
  const { expires = Infinity } = same
  return oauth && asked < Infinity ? Math.max(asked, expires) : expires
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function describeRequester({ isNear, network, origin }: Consent['asked']): string {
  const place = origin === undefined ? t('consent.program') : getHost(origin)
  if (isNear) return place
  return t('consent.elsewhere', { place, network: network === '' ? '?' : network })
}

/** Describes where an access has gone so far. */
function describeDestination({ network, origin, returnTo }: Destination): string {
  if (returnTo !== undefined) return getHost(returnTo)
  return origin === undefined ? t('consent.programAt', { network }) : getHost(origin)
}

/** Returns the part of a URL that users can judge. */
function getHost(url: string): string {
  if (!URL.canParse(url)) return toPlainText(url)
  const { host, protocol } = new URL(url)
  return host === '' ? protocol : host
}
