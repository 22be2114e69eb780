/** The greeting of the service on a terminal: where it is, who can register, and what is still missing. */
import { toConfig, buildLocalUrl, type Config } from '../../core/settings/config.js'
import { getPageFacts } from '../../core/settings/page-facts.js'
import type { Settings } from '../../core/settings/settings.js'
import { isLoopbackHost } from '../../core/security/network.js'
import { version } from '../../core/version.js'
import { formatCount } from './output.js'

interface GreetingOptions {
  readonly settings: Settings
  /** The port in use. */
  readonly port: number
  /** Absolute path. */
  readonly dataDirectory: string
  readonly accounts: number
  /** The secret of the setup link, if it should be shown. */
  readonly setupSecret: string | undefined
}

/** Returns the link with which the service is set up. The secret is in the fragment, which browsers do not send. */
export function createSetupLink(settings: Settings, secret: string, port = settings.port): string {
  return `${toConfig(settings, version, port).publicUrl}/access/setup.html#${secret}`
}

/** Returns true if other machines may be able to reach the service, according to the settings. */
function isReachable({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  return !isLoopbackHost(host) || !isLoopbackHost(new URL(publicUrl).hostname)
}

/** Returns the lines of the greeting. */
export function formatGreeting({
  accounts,
  dataDirectory,
  port,
  settings,
  setupSecret
}: GreetingOptions): string[] {
  const config = toConfig(settings, version, port)
  const missing = listMissing(config)
  return [
    `${settings.service.name} is running (Coffer ${version}). Ctrl+C stops it.`,
    '',
    formatRow('Open', `${config.publicUrl}/`),
    formatRow('Listens', `${buildLocalUrl(settings.host, port)} ${describeHost(settings)}`),
    formatRow(
      'Data',
      `${dataDirectory} (${accounts === 0 ? 'no accounts yet' : formatCount(accounts, 'account')})`
    ),
    formatRow('Registration', describeRegistration(config)),
    ...(setupSecret === undefined
      ? []
      : [
          '',
          'To set up the service and create your operator account, open this link in a browser. It works once:',
          `  ${createSetupLink(settings, setupSecret, port)}`
        ]),
    ...(missing.length === 0 ? [] : ['', 'Before you make it public (docs/deployment.md):', ...missing]),
    ''
  ]
}

/**
 * Returns a warning if anyone can register and other machines can reach the service; otherwise `undefined`.
 */
export function getRegistrationWarning(config: Config): string | undefined {
  if (getPageFacts(config).registration !== 'open' || !isReachable(config)) return undefined
  return 'anyone who can reach this service can register; to require invitations, set registration.invitationTokens and run "coffer invite"'
}

function formatRow(name: string, value: string): string {
  return `  ${name.padEnd(11)} ${value}`
}

function describeHost({ host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return '(all addresses of this machine)'
  return isLoopbackHost(host) ? '(this machine only)' : ''
}

function describeRegistration(config: Config): string {
  const { registration } = getPageFacts(config)
  if (registration === 'closed') return 'closed'
  if (registration === 'invited') return 'by invitation only (create one with "coffer invite")'
  return isReachable(config) ? 'open to ANYONE who can reach the service' : 'open to anyone on this machine'
}

function listMissing(config: Config): string[] {
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
