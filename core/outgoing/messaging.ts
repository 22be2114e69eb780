/** Calls to the operator's messaging service, which sends codes to users and may check them. (docs/spec/mfa.md#messaging-service) */
import { randomInt } from 'node:crypto'
import type { Config } from '../settings/config.js'
import { fail } from '../errors.js'
import type { Log } from '../log.js'
import { Outgoing } from './http.js'
import { fill, filledCall, type Values } from './placeholders.js'
import type { KeyValue } from '../../schemas/scalars.js'

/** Which calls there are to make: none where no messaging service is configured. */
export type MessagingMode = 'disabled' | 'challenge-verify' | 'single'

/** Digits of a code that is made here. */
const codeDigits = 6

export class Messaging {
  readonly mode: MessagingMode
  readonly #outgoing: Outgoing

  constructor(private readonly config: Config) {
    const { allowInternalTargets, timeoutMs } = config.services.mfa
    this.mode = messagingMode(config)
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
  }

  /** Has a code sent. Answers it where it is this service that has made it. Error: `messaging-server-error`. */
  async challenge({ content }: Candidate): Promise<string | undefined> {
    if (this.mode !== 'single') return await this.#send('challenge', content)
    const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
    await this.#send('single', { ...withCode(content, code), code })
    return code
  }

  /** Has the messaging service check what the user gave. Error: `messaging-server-error`, also for a wrong code. */
  async verify({ content }: Candidate, given: Values): Promise<void> {
    await this.#send('verify', { ...given, ...content })
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#outgoing.close()
  }

  async #send(kind: 'challenge' | 'verify' | 'single', values: Values): Promise<undefined> {
    const call = filledCall(this.config.services.mfa.sms.endpoints[kind], values)
    const status = await this.#outgoing.send(call)
    if (status < 200 || status > 299) fail('messaging-server-error')
  }
}

/** The mode in force: one whose calls have no URL is none. */
export function messagingMode({ services }: Config): MessagingMode {
  const { mode, sms } = services.mfa
  const needed = mode === 'single' ? [sms.endpoints.single] : [sms.endpoints.challenge, sms.endpoints.verify]
  return needed.every(({ url }) => url !== '') ? mode : 'disabled'
}

/** Tells the operator of a mode that lacks the URL of a call. */
export function warnOfMissingEndpoints(config: Config, log: Log): void {
  const { mode } = config.services.mfa
  if (messagingMode(config) !== mode)
    log.warn(`services.mfa: the mode ${mode} lacks the URL of a call: there is none`)
}

/** Values of the user may hold a place for the code. */
function withCode(content: Values, code: string): Values {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      typeof value === 'string' ? fill(value, { code }, String) : value
    ])
  )
}

/** How codes come about: by an app of the user's, or by messages of the operator's messaging service. */
export type FactorMethod = 'totp' | 'sms'

/** What a user proves to have: not in force before it has been proved once. */
export interface Candidate {
  readonly method: FactorMethod
  /** What the user gave at the activation, e.g. a phone number: it fills the templates of messages. */
  readonly content: KeyValue
  /** Of TOTP: base32. */
  readonly secret?: string
}
