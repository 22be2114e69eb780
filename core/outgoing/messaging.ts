/**
 * Calls the operator's messaging service, which sends codes to users and may check them.
 * (docs/spec/mfa.md#messaging-service)
 */
import { randomInt } from 'node:crypto'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import { Outgoing } from './http.js'
import { fillPlaceholders, fillCall, type Values } from './placeholders.js'
import type { KeyValue } from '../../schemas/scalars.js'

/** The calls to make; `disabled` if no messaging service is configured. */
type MessagingMode = 'disabled' | 'challenge-verify' | 'single'

/** Number of digits of a code that is generated here. */
const codeDigits = 6

/** Sends and checks codes of second factors, in the mode that the settings choose. */
export class Messaging {
  readonly mode: MessagingMode
  readonly #outgoing: Outgoing

  constructor(private readonly config: Config) {
    const { allowInternalTargets, timeoutMs } = config.services.mfa
    this.mode = getMessagingMode(config)
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
  }

  /**
   * Sends a code. Returns the code if this service generated it, in the mode `single`; else `undefined`.
   * Error: `messaging-server-error`.
   */
  async challenge({ content }: Candidate): Promise<string | undefined> {
    if (this.mode !== 'single') return await this.#send('challenge', content)
    const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
    await this.#send('single', { ...fillCode(content, code), code })
    return code
  }

  /**
   * Lets the messaging service check the user's input. Error: `messaging-server-error`, also for a wrong
   * code. Not for the mode `single`, whose codes are made here.
   */
  async verify({ content }: Candidate, given: Values): Promise<void> {
    await this.#send('verify', { ...given, ...content })
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    await this.#outgoing.close()
  }

  async #send(kind: 'challenge' | 'verify' | 'single', values: Values): Promise<undefined> {
    const call = fillCall(this.config.services.mfa.sms.endpoints[kind], values)
    const status = await this.#outgoing.send(call)
    if (status < 200 || status > 299) fail('messaging-server-error')
  }
}

/** Returns the mode for sending codes; `disabled` if a URL that the mode needs is missing. */
export function getMessagingMode({ services }: Config): MessagingMode {
  const { mode, sms } = services.mfa
  const needed = mode === 'single' ? [sms.endpoints.single] : [sms.endpoints.challenge, sms.endpoints.verify]
  return needed.every(({ url }) => url !== '') ? mode : 'disabled'
}

/** Logs a warning if the mode for sending codes needs an endpoint whose URL is not set. */
export function warnAboutMissingEndpoints(config: Config, log: Log): void {
  const { mode } = config.services.mfa
  if (getMessagingMode(config) !== mode)
    log.warn(`services.mfa: the mode "${mode}" needs the URL of an endpoint; no codes are sent`)
}

/** Replaces the placeholder for the code in the user's values. */
function fillCode(content: Values, code: string): Values {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      typeof value === 'string' ? fillPlaceholders(value, { code }, String) : value
    ])
  )
}

/** Where codes come from: an authenticator app, or the operator's messaging service. */
type FactorMethod = 'totp' | 'sms'

/** A second factor that comes into force once the user has proved to have it. */
export interface Candidate {
  readonly method: FactorMethod
  /** The user's data from the activation, e.g. a phone number: fills the templates of messages. */
  readonly content: KeyValue
  /** The TOTP secret, in base32. */
  readonly secret?: string
}
