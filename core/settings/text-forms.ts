/** Named forms of text settings that a pattern cannot describe. */
import { CronPattern } from 'croner'
import { parseIpRange } from '../ip-range.js'
import { parsedUrl } from '../parsed-url.js'
import { faultOf } from '../redirect-uri.js'

interface TextForm {
  /** Completes "has to be". */
  readonly words: string
  fits(text: string): boolean
}

const forms = {
  webUrl: { words: 'a URL with http or https', fits: text => isUrl(text, web) },
  sourceUrl: { words: 'a URL with http, https or file', fits: text => isUrl(text, [...web, 'file:']) },
  messageUrl: {
    words: 'a URL with http or https, perhaps with places such as {{ phone }}',
    fits: text => isUrl(text.replaceAll(/\{\{ [^{}]+ \}\}/g, 'x'), web)
  },
  redirectUri: {
    words: 'a redirect URI: https, http on a loopback address, or the scheme of an app, and no fragment',
    // Whether the operator lists the scheme is checked once all settings are known.
    fits: text => faultOf(text, [(parsedUrl(text)?.protocol ?? '').slice(0, -1)]) === undefined
  },
  webUrls: {
    words: 'URLs with http or https, separated by commas',
    fits: text => text.split(',').every(part => isUrl(part.trim(), web))
  },
  engineUrls: {
    words: 'URLs such as nats://10.0.0.1:4222, separated by commas',
    fits: text => text.split(',').every(part => isUrl(part.trim(), ['nats:', 'tls:']))
  },
  host: { words: 'a host name or an address', fits: isHost },
  schedule: {
    words: 'a schedule such as 30 3 * * * (minute, hour, day of the month, month, day of the week)',
    fits: isSchedule
  },
  range: { words: 'an address, or a range such as 10.0.0.0/8', fits: isRange }
} as const satisfies Record<string, TextForm>

/** The name of a form. */
export type TextFormName = keyof typeof forms

/** The form of this name. */
export function textForm(name: TextFormName): TextForm {
  return forms[name]
}

const web = ['http:', 'https:']

/** Browsers accept URLs with spaces, but not everything that reads settings does. */
function isUrl(text: string, protocols: readonly string[]): boolean {
  return !/\s/.test(text) && protocols.includes(parsedUrl(text)?.protocol ?? '')
}

function isHost(text: string): boolean {
  if (/[\s/?#@\\%[\]]/.test(text) || text === '') return false
  return parsedUrl(`http://${text.includes(':') ? `[${text}]` : text}:1`) !== undefined
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
    void new CronPattern(text)
    return true
  } catch {
    return false
  }
}
