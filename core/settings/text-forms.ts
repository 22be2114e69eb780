/** Named forms of text settings that a pattern cannot describe. */
import { Cron } from 'croner'
import { isBech32 } from '../bech32.js'
import { parseIpRange } from '../ip-range.js'
import { parseUrl } from '../parse-url.js'
import { checkRedirectUri } from '../redirect-uri.js'

interface TextForm {
  /** Completes "must be". */
  readonly description: string
  fits(text: string): boolean
}

const forms = {
  webUrl: { description: 'an http or https URL', fits: text => isUrl(text, webProtocols) },
  sourceUrl: {
    description: 'an http, https or file URL',
    fits: text => isUrl(text, [...webProtocols, 'file:'])
  },
  messageUrl: {
    description: 'an http or https URL, optionally with placeholders such as {{ phone }}',
    fits: text => isUrl(text.replaceAll(/\{\{ [^{}]+ \}\}/g, 'x'), webProtocols)
  },
  redirectUri: {
    description: 'a redirect URI without a fragment: https, http on a loopback address, or an app scheme',
    // Whether the operator lists the scheme is checked once all settings are known.
    fits: text => checkRedirectUri(text, [(parseUrl(text)?.protocol ?? '').slice(0, -1)]) === undefined
  },
  webUrls: {
    description: 'http or https URLs, separated by commas',
    fits: text => text.split(',').every(part => isUrl(part.trim(), webProtocols))
  },
  engineUrls: {
    description: 'URLs such as nats://10.0.0.1:4222, separated by commas',
    fits: text => text.split(',').every(part => isUrl(part.trim(), ['nats:', 'tls:']))
  },
  host: { description: 'a host name or an IP address', fits: isHost },
  schedule: {
    description:
      'a cron expression such as 30 3 * * * (minute, hour, day of the month, month, day of the week)',
    fits: isSchedule
  },
  ageRecipient: {
    description: 'a public key of age-keygen (age1…), exactly as printed there',
    fits: text => isBech32(text, 'age', 32)
  },
  range: { description: 'an IP address or a range such as 10.0.0.0/8', fits: isRange }
} as const satisfies Record<string, TextForm>

/** The name of a form. */
export type TextFormName = keyof typeof forms

/** Returns the form of this name. */
export function getTextForm(name: TextFormName): TextForm {
  return forms[name]
}

const webProtocols = ['http:', 'https:']

/** Returns whether text is a URL. Browsers accept URLs with spaces, but not everything that reads settings does. */
function isUrl(text: string, protocols: readonly string[]): boolean {
  const { protocol = '' } = parseUrl(text) ?? {}
  // URLs of files have no host.
  const isComplete = /^(?:file:\/\/|[a-z]+:\/\/[^/\\?#])/i.test(text)
  return !/\s/.test(text) && isComplete && protocols.includes(protocol)
}

function isHost(text: string): boolean {
  if (/[\s/?#@\\%[\]]/.test(text) || text === '') return false
  return parseUrl(`http://${text.includes(':') ? `[${text}]` : text}:1`) !== undefined
}

function isRange(text: string): boolean {
  try {
    return parseIpRange(text).length > 0
  } catch {
    return false
  }
}

function isSchedule(text: string): boolean {
  try {
    // `null` for a date that there never is, such as 31 February.
    return new Cron(text, { paused: true }).nextRun() !== null
  } catch {
    return false
  }
}
