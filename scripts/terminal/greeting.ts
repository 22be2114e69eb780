/** What the service says at its start on a terminal: where it is, who may come, and what is still missing. */
import { toConfig, buildLocalUrl, type Config } from '../../core/settings/config.js'
import { getPageFacts } from '../../core/settings/page-facts.js'
import type { Settings } from '../../core/settings/settings.js'
import { isLoopbackHost } from '../../core/security/network.js'
import { version } from '../../core/version.js'
import { counted } from './counted.js'

export interface Circumstances {
  readonly settings: Settings
  /** The port in use. */
  readonly port: number
  /** Absolute. */
  readonly dataDirectory: string
  readonly accounts: number
  /** The secret of the set-up link, if it is to be shown. */
  readonly setupSecret: string | undefined
}

/** The link with which the service is set up. The secret is in the fragment, which browsers send to nobody. */
export function setupLinkOf(settings: Settings, secret: string, port = settings.port): string {
  return `${toConfig(settings, version, port).publicUrl}/access/setup.html#${secret}`
}

/** Whether others than this machine can reach the service, as far as the settings tell. */
export function isReachable({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  return !isLoopbackHost(host) || !isLoopbackHost(new URL(publicUrl).hostname)
}

/** The lines. */
export function greeting({ accounts, dataDirectory, port, settings, setupSecret }: Circumstances): string[] {
  const config = toConfig(settings, version, port)
  const missing = missingOf(config)
  return [
    `${settings.service.name} is running (Coffer ${version}). Ctrl+C stops it.`,
    '',
    row('Open', `${config.publicUrl}/`),
    row('Listens', `${buildLocalUrl(settings.host, port)} ${listensTo(settings)}`),
    row('Data', `${dataDirectory} (${accounts === 0 ? 'no accounts yet' : counted(accounts, 'account')})`),
    row('Registration', registrationOf(config)),
    ...(setupSecret === undefined
      ? []
      : [
          '',
          'To set up the service and create your operator account, open this link in a browser. It works once:',
          `  ${setupLinkOf(settings, setupSecret, port)}`
        ]),
    ...(missing.length === 0 ? [] : ['', 'Before you make it public (docs/deployment.md):', ...missing]),
    ''
  ]
}

/** A warning where strangers can register, or `undefined`. */
export function warningOfStrangers(config: Config): string | undefined {
  if (getPageFacts(config).registration !== 'open' || !isReachable(config)) return undefined
  return 'anyone who can reach this service can register; to require invitations, set registration.invitationTokens and run "coffer invite"'
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(11)} ${value}`
}

function listensTo({ host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return '(all addresses of this machine)'
  return isLoopbackHost(host) ? '(this machine only)' : ''
}

function registrationOf(config: Config): string {
  const { registration } = getPageFacts(config)
  if (registration === 'closed') return 'closed'
  if (registration === 'invited') return 'by invitation only (create one with "coffer invite")'
  return isReachable(config) ? 'open to ANYONE who can reach the service' : 'open to anyone on this machine'
}

function missingOf(config: Config): string[] {
  const { http, smtp } = config.services.email
  const { hostname, protocol } = new URL(config.publicUrl)
  return [
    ...(isLoopbackHost(hostname) ? ['  - Public URL: set publicUrl'] : []),
    ...(protocol === 'https:' ? [] : ['  - TLS: set up a proxy, and set publicUrl to its https URL']),
    ...(smtp.host === '' && http.url === ''
      ? ['  - Email: set services.email.smtp.host. Until then, reset passwords with "coffer reset-link"']
      : [])
  ]
}
