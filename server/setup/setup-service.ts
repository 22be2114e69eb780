/** Sets the service up for whoever has the set-up link: an operator's account, and the main settings. (docs/spec/administration.md#set-up) */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { fail } from '../../core/errors.js'
import { createMailTransport } from '../../core/outgoing/mail/mail-transport.js'
import { createPasswords } from '../../core/security/passwords.js'
import { createThrottle, type Throttle } from '../../core/security/throttle.js'
import {
  pageSettingsFile,
  formatPageSettings,
  mergePageSettings,
  type PageSettings
} from '../../core/settings/page-settings.js'
import { toConfig, type Config } from '../../core/settings/config.js'
import type { ReadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { assertPasswordComplexity } from '../../core/sign-in/password-rules.js'
import { version } from '../../core/version.js'
import type { SetupChoices, SetupFinish, SetupCheck, SetupMail } from '../../schemas/setup.js'
import type { Layout } from '../../storage/files/layout.js'
import { removeSetupLink, isSetupSecret, writeFileAtomically } from '../../storage/files/setup-link.js'
import type { SetupDesk } from '../../transports/http/pages/setup.js'
import { assertSettings, presentChoices, settingsFor } from './choices.js'

/** What the process knows that was started with settings from several sources. */
export interface SettingsSource {
  /** The settings as they would be with these choices; without any, as they are. */
  read(chosen?: PageSettings): ReadSettings
  /** Returns further problems with settings: of the files and places that they name. */
  check?(settings: Settings): Promise<readonly string[]>
  /** Begins a backup of those that the service makes by itself. Returns whether it does. */
  startBackup?(): boolean
  /** Starts the service again, in the same place, with the settings that are kept. */
  restart(): void
}

/** Time for a test mail, in milliseconds. */
const mailTimeoutMs = 15_000

export class SetupService implements SetupDesk {
  readonly #throttle: Throttle
  /** The key of the operator for this process: the account is made as the operator makes others. */
  readonly #adminKey: string
  /** One at a time: of two people with the link, one is the operator. */
  #last: Promise<unknown> = Promise.resolve()
  #isDone = false

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly layout: Layout,
    private readonly source: SettingsSource
  ) {
    const { clock, config } = dispatcher.services
    this.#throttle = createThrottle(config, clock)
    this.#adminKey = config.adminKey
  }

  look(ip: string, { secret }: SetupCheck): object {
    this.#assertValidLink(ip, secret)
    const { publicUrl } = this.#config
    return { ...presentChoices(this.source.read().settings, this.source.read()), presentUrl: publicUrl }
  }

  async tryMail(ip: string, { choices, email, language, secret }: SetupMail): Promise<void> {
    this.#assertValidLink(ip, secret)
    const config = toConfig(this.#applyChoices(choices).settings, version)
    const transport = createMailTransport({ ...config, publicUrl: this.#config.publicUrl })
    if (!transport) fail('invalid-operation', 'No mail server is set')
    const username = email.split('@')[0] ?? ''
    const message = { kind: 'test', accountId: '', username, email, language } as const
    try {
      const substitutions = { USERNAME: username }
      await transport.deliver({ ...message, substitutions }, AbortSignal.timeout(mailTimeoutMs))
    } catch (error) {
      const {
        code,
        message: text,
        response
      } = error as { code?: string; message?: string; response?: string }
      fail('invalid-operation', response ?? text ?? code ?? 'The email could not be sent', {
        code: 'mail-failed'
      })
    }
  }

  finish(ip: string, answers: SetupFinish): Promise<object> {
    const finished = this.#last.then(async () => await this.#finish(ip, answers))
    this.#last = finished.catch(() => undefined)
    return finished
  }

  get #config(): Config {
    return this.dispatcher.services.config
  }

  async #finish(
    ip: string,
    { choices, email, language, password, secret, username }: SetupFinish
  ): Promise<object> {
    this.#assertValidLink(ip, secret)
    const { settings } = this.#applyChoices(choices, username)
    const { publicUrl, service } = toConfig(settings, version, this.#config.port)
    assertPasswordComplexity(this.#config, password, 'password')
    const passwordHash = await createPasswords().hash(password)
    await this.#createAccount(ip, { username, email, language, passwordHash })
    // Nothing below waits: an operator who is not written down would leave the link good.
    const { pageSettings } = this.#applyChoices(choices, username)
    writeFileAtomically(join(this.layout.root, pageSettingsFile), formatPageSettings(pageSettings))
    this.#isDone = true
    removeSetupLink(this.layout)
    this.dispatcher.services.log.info('the service has been set up; restarting with the new settings')
    setImmediate(() => this.source.restart())
    return { username, publicUrl, serviceName: service.name }
  }

  /** The settings with these choices. Throws `invalid-parameters-format`. */
  #applyChoices(choices: SetupChoices, operator?: string): ReadSettings {
    const present = this.source.read()
    const values = settingsFor(choices, present)
    if (operator !== undefined) {
      values.set('operators', [operator])
      // With it, commands work through the running service.
      if (present.settings.adminKey === '') values.set('adminKey', randomBytes(24).toString('base64url'))
    }
    const read = this.source.read(mergePageSettings(present.pageSettings, values))
    assertSettings(read)
    return read
  }

  async #createAccount(ip: string, params: object): Promise<void> {
    const credentials = { authorization: this.#adminKey, ip, via: 'http' } as const
    const outcome = await this.dispatcher.call({
      method: 'system.createUser',
      params,
      credentials,
      isWhole: true
    })
    if (!outcome.ok) throw outcome.error
  }

  /** Throws `forbidden` unless the link is good. Wrong secrets are counted, right ones as well while there is none. */
  #assertValidLink(ip: string, secret: string): void {
    const guess = { subject: 'setup', ip }
    this.#throttle.check(guess)
    if (!this.#isDone && isSetupOpen(this.source.read()) && isSetupSecret(this.layout, secret)) return
    this.#throttle.failed(guess)
    fail('forbidden', 'The set-up link is invalid or has expired')
  }
}

/**
 * Whether a set-up link can be good: nobody has been named as an operator, nothing else says who is one, and the password
 * that is chosen there opens something.
 */
export function isSetupOpen({ given, settings }: Pick<ReadSettings, 'given' | 'settings'>): boolean {
  return settings.operators.length === 0 && !given.has('operators') && settings.auth.passwords === 'on'
}
