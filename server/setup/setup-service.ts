/** Sets up the service with the set-up link: the operator's account and the main settings. (docs/spec/administration.md#set-up) */
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
import { removeSetupLink, isSetupSecret, writeFileAtomically } from '../../storage/files/private-files.js'
import type { SetupActions } from '../../transports/http/pages/setup.js'
import { assertSettings, getCurrentChoices, toSettings } from './setup-choices.js'

/** Reads the settings of this process from their sources, and acts on the process. */
export interface SettingsSource {
  /** Returns the settings with these choices applied; without choices, the stored settings. */
  read(chosen?: PageSettings): ReadSettings
  /** Returns further problems with settings: problems of the files and destinations that the settings name. */
  check?(settings: Settings): Promise<readonly string[]>
  /** Starts a scheduled backup now. Returns false if a backup is in progress. */
  startBackup?(): boolean
  /** Restarts the service with the stored settings. */
  restart(): void
}

/** Timeout for a test mail, in milliseconds. */
const mailTimeoutMs = 15_000

export class SetupService implements SetupActions {
  readonly #throttle: Throttle
  /** The admin key of this process: the account is created by the method that operators use. */
  readonly #adminKey: string
  /**
   * The last `finish` call. Such calls run one at a time: of two people with the link, only one becomes the operator.
   */
  #lastFinish: Promise<unknown> = Promise.resolve()
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

  getChoices(ip: string, { secret }: SetupCheck): object {
    this.#assertValidLink(ip, secret)
    const { publicUrl } = this.#config
    return { ...getCurrentChoices(this.source.read().settings, this.source.read()), presentUrl: publicUrl }
  }

  /**
   * Sends a test mail with the chosen settings. Errors: `invalid-operation` with what the mail server says, and those
   * of an invalid link.
   */
  async sendTestMail(ip: string, { choices, email, language, secret }: SetupMail): Promise<void> {
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
    const finished = this.#lastFinish.then(async () => await this.#finish(ip, answers))
    this.#lastFinish = finished.catch(() => undefined)
    return finished
  }

  get #config(): Config {
    return this.dispatcher.services.config
  }

  /** Creates the operator's account, stores the settings and restarts the service. The link is then used up. */
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
    // Nothing below is asynchronous: the link must not stay valid after the account was created.
    const { pageSettings } = this.#applyChoices(choices, username)
    writeFileAtomically(join(this.layout.root, pageSettingsFile), formatPageSettings(pageSettings))
    this.#isDone = true
    removeSetupLink(this.layout)
    this.dispatcher.services.log.info('the service has been set up; restarting with the new settings')
    setImmediate(() => this.source.restart())
    return { username, publicUrl, serviceName: service.name }
  }

  /** Returns the settings with these choices. Throws `invalid-parameters-format`. */
  #applyChoices(choices: SetupChoices, operator?: string): ReadSettings {
    const stored = this.source.read()
    const values = toSettings(choices, stored)
    if (operator !== undefined) {
      values.set('operators', [operator])
      // Commands need it to work through the running service.
      if (stored.settings.adminKey === '') values.set('adminKey', randomBytes(24).toString('base64url'))
    }
    const read = this.source.read(mergePageSettings(stored.pageSettings, values))
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

  /** Throws `forbidden` unless the link is valid. All failed attempts are counted, even if no link is valid. */
  #assertValidLink(ip: string, secret: string): void {
    const guess = { subject: 'setup', ip }
    this.#throttle.check(guess)
    if (!this.#isDone && isSetupOpen(this.source.read()) && isSetupSecret(this.layout, secret)) return
    this.#throttle.failed(guess)
    fail('forbidden', 'The set-up link is invalid or has expired')
  }
}

/**
 * Returns whether set-up links can be valid: there is no operator, no other source sets `operators`, and signing in with a
 * password is enabled.
 */
export function isSetupOpen({ given, settings }: Pick<ReadSettings, 'given' | 'settings'>): boolean {
  return settings.operators.length === 0 && !given.has('operators') && settings.auth.passwords === 'on'
}
