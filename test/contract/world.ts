/** A user with some data of every kind, and the callers that a scenario may choose from. */
import { deriveCommandKey } from '../../core/auth/admin.js'
import { createId } from '../../core/ids.js'
import { type Client, type Answer, type Overrides, type Service } from '../support/coffer.js'
import type { Begun } from '../support/oauth.js'
import { rested } from '../support/importing.js'
import { fillAccount } from './contents.js'

export type CallerName =
  | 'owner'
  | 'app'
  | 'manager'
  | 'reader'
  | 'contributor'
  | 'sensor'
  | 'restricted'
  | 'stranger'
  | 'nobody'
  | 'admin'
  /** A command on this machine. */
  | 'command'

/** The admin key. */
export const adminKey = 'the key of the operator'

/** Settings of a service in which each method can succeed. */
export const enabling = {
  adminKey,
  userAccount: { delete: ['adminToken', 'personalToken'], deletionGraceDays: 0 },
  webhooks: { allowInternalTargets: true },
  auth: {
    oidc: [{ name: 'work', label: 'Work', issuer: 'https://id.example.org', clientId: 'coffer' }]
  },
  access: {
    apps: [
      {
        id: 'known-app',
        displayName: 'Known',
        oauth: { redirectURIs: ['https://app.example.com/callback'] }
      },
      { id: 'gone-app', oauth: { redirectURIs: ['https://app.example.com/callback'] } },
      {
        id: 'keyed-app',
        oauth: {
          redirectURIs: ['https://app.example.com/callback'],
          account: 'robot',
          keys: [
            {
              kid: 'a-key',
              kty: 'EC',
              crv: 'P-256',
              x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
              y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'
            }
          ]
        }
      }
    ]
  },
  oauth: { registration: true },
  accesses: { updates: true }
} satisfies Overrides

/** Streams: `diary` with `walks` below it, `body`, `attic` (trashed). Events: one in each that is not trashed. */
export class World {
  #found: Answer
  /** Id of the file that {@link attach} created. */
  fileId = ''
  /** Id of the webhook that {@link hook} created. */
  webhookId = ''
  /** Id of the channel that {@link addChannel} created. */
  channelId = ''
  /** Of the reminder that {@link addReminder} created: id, and when it is next due. */
  reminderId = ''
  reminderDue = 0
  /** Id of the form that {@link addForm} created. */
  formId = ''
  /** Id of the rule that {@link addRule} created. */
  ruleId = ''
  /** Id of a slice that the owner follows. */
  sliceId = ''
  /** Id of a connection of the owner. */
  connectionId = ''
  /** Id of an import that the owner started. */
  importId = ''
  /** Id and token of the access that {@link signIn} created. */
  sessionId = ''
  sessionToken = ''
  /** Key of the request that {@link ask} created. */
  key = ''
  /** The request of an OAuth client, the response, and its tokens. */
  oauth: { begun: Begun; answered: URL; tokens: Answer } | undefined
  /** Id of the event that {@link holder} created. */
  holderId = ''

  private constructor(
    readonly service: Service,
    readonly owner: Client,
    readonly clients: ReadonlyMap<CallerName, Client>,
    /** Ids of events: `note` in diary, `walk` in walks, `mass` in body, `binned` (trashed), `gone` (deleted). */
    readonly events: Readonly<Record<'note' | 'walk' | 'mass' | 'binned' | 'gone', string>>
  ) {}

  static async make(service: Service): Promise<World> {
    const owner = await service.user(`user-${createId().slice(-12)}`)
    const { clients, events } = await fillAccount(owner)
    return new World(service, owner, clients, events)
  }

  /** Attaches a file to the event `note` unless it has one. */
  async attach(): Promise<void> {
    if (this.fileId !== '') return
    const form = new FormData()
    form.append('file', new Blob(['some bytes'], { type: 'text/plain' }), 'a.txt')
    const { body } = await this.owner.http('POST', `/events/${this.events.note}`, form)
    this.fileId = body.event.attachments[0].id
  }

  /** Makes the owner's sign-in recent. */
  async noteSignIn(): Promise<void> {
    await this.service.call(undefined, 'test.noteSignIns', { username: this.owner.username })
  }

  /** Gives the account an email address and a language. Makes the owner's sign-in recent. */
  async mail(): Promise<void> {
    await this.noteSignIn()
    await this.owner.do('account.update', {
      update: { email: `${this.owner.username}@example.com`, language: 'en' }
    })
  }

  /** A URL of the service itself that responds as a webhook's should. */
  get hookUrl(): string {
    return `${this.service.server.url}/reg/${this.owner.username}/server`
  }

  /** Creates a webhook of the app unless it has one. */
  async hook(): Promise<void> {
    if (this.webhookId !== '') return
    const { webhook } = await this.client('app').do('webhooks.create', { url: this.hookUrl })
    this.webhookId = webhook.id
  }

  /** Creates a channel of the app unless it has one. */
  async addChannel(target: object): Promise<void> {
    if (this.channelId !== '') return
    const { channel } = await this.client('app').do('channels.create', {
      type: 'ntfy',
      name: 'phone',
      target
    })
    this.channelId = channel.id
  }

  /** Creates a form of the app unless it has one. */
  async addForm(fields: object): Promise<void> {
    if (this.formId === '') this.formId = (await this.client('app').do('forms.create', fields)).form.id
  }

  /** Creates a reminder of the app unless it has one. */
  async addReminder(fields: object): Promise<void> {
    if (this.reminderId !== '') return
    const { reminder } = await this.client('app').do('reminders.create', fields)
    this.reminderId = reminder.id
    this.reminderDue = reminder.next
  }

  /** Creates a rule of the app unless it has one. */
  async addRule(form: object): Promise<void> {
    if (this.ruleId !== '') return
    this.ruleId = (await this.client('app').do('rules.create', form)).rule.id
  }

  /** Creates an event with a series of two data points unless there is one. */
  async holder(): Promise<void> {
    if (this.holderId !== '') return
    const { id } = await this.owner.event({ type: 'series:mass/kg', content: null, time: 1000 })
    this.holderId = id
    const points = [
      [0, 70],
      [1, 71]
    ]
    await this.owner.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    // Otherwise the holder event would be updated during a comparison.
    await this.service.server.settle()
  }

  /** Requests access as an app; returns the key. */
  async ask(fields: object = {}): Promise<string> {
    const app = { requestingAppId: 'an-app-that-contributes', deviceName: 'phone' }
    const asked = { ...app, requestedPermissions: [], ...fields }
    const { key } = await this.service.call(undefined, 'authRequest.create', asked)
    this.key = key
    return key
  }

  /** Starts another session of the owner. */
  async signIn(appId: string): Promise<void> {
    const { username } = this.owner
    const { access } = await this.service.call(undefined, 'test.signIn', { username, appId })
    this.sessionId = access.id
    this.sessionToken = access.token
  }

  /** Returns a caller that has an access. */
  client(name: CallerName): Client {
    const client = this.clients.get(name)
    if (!client) throw new Error(`${name} has no access`)
    return client
  }

  /** Returns the token that a caller sends. */
  token(name: CallerName): string | undefined {
    if (name === 'nobody') return undefined
    if (name === 'admin') return adminKey
    if (name === 'command') return deriveCommandKey(adminKey)
    return name === 'stranger' ? 'no-such-token' : this.client(name).token
  }

  /** Returns all of the user's data that calls can change: as last read. */
  async before(): Promise<Answer> {
    return this.#found ?? (await this.after())
  }

  /** Forgets the data last read, since something has been prepared. */
  forget(): void {
    this.#found = undefined
  }

  /** Returns all of the user's data, read again. */
  async after(): Promise<Answer> {
    // Pending work ends first.
    for (const { id } of (await this.owner.do('imports.get')).imports) await rested(this.owner, id)
    const everything = {
      fromTime: -1e300,
      toTime: 1e300,
      modifiedSince: -1e300,
      includeDeletions: true,
      state: 'all'
    }
    const { events, eventDeletions } = await this.owner.do('events.get', everything)
    const { streams, streamDeletions } = await this.owner.do('streams.get', {
      state: 'all',
      includeDeletionsSince: 0
    })
    const { accesses, accessDeletions } = await this.owner.do('accesses.get', {
      includeExpired: true,
      includeDeletions: true
    })
    for (const access of accesses) delete access.lastUsed
    const { webhooks } = await this.owner.do('webhooks.get')
    const { points } = this.holderId === '' ? {} : await this.owner.do('hfs.get', { id: this.holderId })
    const profiles = await Promise.all([
      this.owner.do('profile.getPublic'),
      this.owner.do('profile.getPrivate'),
      this.client('app').do('profile.getApp')
    ])
    const { followedSlices } = await this.owner.do('followedSlices.get')
    const { connections } = await this.owner.do('connections.get')
    const { channels } = await this.owner.do('channels.get')
    const { reminders, occurrences } = await this.owner.do('reminders.get')
    const { forms } = await this.owner.do('forms.get')
    const { rules } = await this.owner.do('rules.get')
    const { passkeys } = await this.owner.do('passkeys.get')
    const { notices } = await this.owner.do('account.getNotices')
    return (this.#found = {
      followedSlices,
      connections,
      channels,
      reminders,
      occurrences,
      forms,
      rules,
      passkeys,
      notices,
      profiles: profiles.map(({ profile }) => profile),
      events,
      eventDeletions,
      streams,
      streamDeletions,
      accesses,
      accessDeletions,
      webhooks,
      points
    })
  }
}
