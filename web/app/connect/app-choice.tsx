/** Asks what the user has, and lists the apps that fit. */
import { t } from '../../language.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { devices, getApp, getAppText, sortDialects } from './app-catalogue.js'
import type { Dialect } from './connections.js'

interface Props {
  readonly dialects: readonly Dialect[]
  /** The chosen device in the address. */
  readonly chosen: string | null
}

/** Lists the apps for the chosen device, or all of them. Devices without a supported app are omitted. */
export function AppChoice({ dialects, chosen }: Props) {
  // Devices for which the service understands no app are not offered.
  const offered = devices.filter(device => dialects.some(({ id }) => getApp(id).devices.includes(device)))
  const device = offered.find(each => each === chosen)
  const apps = sortDialects(dialects).filter(
    ({ id }) => device === undefined || getApp(id).devices.includes(device)
  )
  return (
    <section class="choice" aria-labelledby="choice">
      <h2 id="choice">{t('connect.have')}</h2>
      <nav class="devices" aria-label={t('connect.have')}>
        {offered.map(each => (
          <AppLink key={each} to={{ page: 'connect', query: { device: each } }} isCurrent={each === device}>
            {t(`connect.device.${each}`)}
          </AppLink>
        ))}
        <AppLink to={{ page: 'connect' }} isCurrent={device === undefined}>
          {t('connect.device.all')}
        </AppLink>
      </nav>
      <ul class="apps">
        {apps.map(({ id, name }) => (
          <li key={id} class="card">
            <AppLink to={{ page: 'connect', query: { app: id, device } }}>
              <h3>{id === 'json' ? t('connect.json.name') : name}</h3>
              <p>{getAppText(id, 'brings')}</p>
              <p class="cost">{t(`connect.cost.${getApp(id).cost}`)}</p>
              <Icon name="right" />
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
