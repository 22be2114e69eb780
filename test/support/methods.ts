/** Methods that exist only in tests: they reach what other threads own. */
import { hash as argonHash } from '@node-rs/argon2'
import { Type } from 'typebox'
import { createIdentity } from '../../core/identities/identities.js'
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import type { RegisteredClient } from '../../schemas/oauth.js'
import { digestSecret } from '../../schemas/secret-digest.js'
import type { IdentityProof } from '../../storage/identities/identity-proofs.js'
import { anyAccess, anyone } from '../../core/auth/allow.js'
import { createId, createToken } from '../../core/ids.js'
import { setFactor, type Factor } from '../../core/sign-in/mfa/factor.js'
import type { MfaSession } from '../../core/sign-in/mfa/sessions.js'
import { fail } from '../../core/errors.js'
import { method, serviceMethod, type AnyMethod } from '../../core/call/method.js'
import { KeyValue } from '../../schemas/scalars.js'
import { openPageSession, openSession, recordSignIn } from '../../core/auth/personal-access.js'
import { storeValues, selectUniqueValues } from '../../core/registration/fields.js'
import type { Access } from '../../schemas/access.js'
import type { Services } from '../../core/call/services.js'

/** Creates a signed-in user, without hashing or registration. Returns the personal access. */
async function makeUser(
  services: Services,
  username: string,
  fields?: Readonly<Record<string, unknown>>
): Promise<Access> {
  const values = new Map(Object.entries(fields ?? {}))
  const now = services.clock.now()
  const access: Access = {
    id: createId(),
    token: createToken(),
    type: 'personal',
    name: 'coffer-test',
    created: now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system'
  }
  await services.accounts.create({
    id: createId(),
    username,
    created: now,
    unique: selectUniqueValues(services, values),
    fill(store) {
      store.accesses.insert(access)
      store.sessions.open(access.id, now)
      // A user with field values counts as signed in.
      if (fields) store.sessions.recordSignIn(access.id, { time: now, address: '127.0.0.1' })
      if (fields) storeValues(services, store, values, { now, by: access.id })
    }
  })
  return access
}

const createUser = serviceMethod({
  id: 'test.createUser',
  summary: 'For tests',
  params: Type.Object({
    username: Type.String(),
    fields: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
  }),
  result: Type.Object({ access: Type.Unknown() }),
  allow: anyone,
  async run({ services }, { fields, username }) {
    return { access: await makeUser(services, username, fields) }
  }
})

/** Sets a password whose hash takes no time to verify: its parameters are far below those of the service. */
const setPassword = serviceMethod({
  id: 'test.setPassword',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), password: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { password, username }) {
    const hash = await argonHash(password, { algorithm: 2, memoryCost: 64, timeCost: 1, parallelism: 1 })
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => store.account.insertPassword({ hash, created: now }))
    return {}
  }
})

/** Keeps the thread busy for some milliseconds, as a large read does. */
const spend = method({
  id: 'test.spend',
  summary: 'For tests',
  mode: 'read',
  params: Type.Object({ ms: Type.Number() }),
  result: Type.Object({}),
  allow: anyAccess,
  run(_call, { ms }) {
    const end = performance.now() + ms
    while (performance.now() < end);
    return {}
  }
})

/** Acts as if the user had signed in with an app a second ago. */
const signIn = serviceMethod({
  id: 'test.signIn',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), appId: Type.String() }),
  result: Type.Object({ access: Type.Unknown() }),
  allow: anyone,
  async run({ services, now }, { appId, username }) {
    const account = services.accounts.find(username) ?? fail('unknown-resource', 'No such account is served')
    const store = services.accounts.openStore(account)
    return { access: await store.write(() => openSession(services.config, store, appId, now - 1)) }
  }
})

/** Acts as if the user had signed in on a page of the service, in a new browser. */
const signInOnPage = serviceMethod({
  id: 'test.signInOnPage',
  summary: 'For tests',
  params: Type.Object({ username: Type.String() }),
  result: Type.Object({ access: Type.Unknown() }),
  allow: anyone,
  async run(call, { username }) {
    const { config, accounts } = call.services
    const store = accounts.openStore(accounts.find(username)!)
    const signIn = { appId: 'coffer-app', browser: '', now: call.now }
    return await store.write(() => {
      const { access } = openPageSession(config, store, signIn)
      recordSignIn(store, access.id, call)
      return { access }
    })
  }
})

/** Acts as if all open sessions of the user had just begun by signing in. */
const noteSignIns = serviceMethod({
  id: 'test.noteSignIns',
  summary: 'For tests',
  params: Type.Object({ username: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run(call, { username }) {
    const { accounts } = call.services
    const store = accounts.openStore(accounts.find(username)!)
    await store.write(() => {
      for (const { id } of store.accesses.listPersonal()) recordSignIn(store, id, call)
    })
    return {}
  }
})

/** Acts as if the user had received a weekly letter with this token. */
const sendLetter = serviceMethod({
  id: 'test.sendLetter',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), token: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services: { accounts } }, { token, username }) {
    const store = accounts.openStore(accounts.find(username)!)
    await store.write(() => store.letter.put({ ...store.letter.find()!, isOn: true, token }))
    return {}
  }
})

/** Acts as if the user had received a token by mail to reset the password. */
const mailVerification = serviceMethod({
  id: 'test.mailVerification',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), address: Type.String(), token: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { address, token, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => {
      const { emails } = store
      emails.set({ address, added: now, verified: null, method: null, sent: null })
      emails.setToken(address, token, now + 3600)
    })
    return {}
  }
})

const mailToken = serviceMethod({
  id: 'test.mailToken',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), resetToken: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { resetToken, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => store.signIn.insert('reset', resetToken, now, now + 3600, {}))
    return {}
  }
})

/** Acts as if an app had set an email address, and a mail to it had contained a token to confirm it. */
const mailConfirmation = serviceMethod({
  id: 'test.mailConfirmation',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), token: Type.String(), address: Type.String() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { address, token, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => store.signIn.insert('email', token, now, now + 3600, { address }))
    return {}
  }
})

/** Changes the private profile set as only the service does; returns its content. */
const changeProfile = serviceMethod({
  id: 'test.changeProfile',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), update: KeyValue }),
  result: Type.Object({ profile: KeyValue }),
  allow: anyone,
  async run({ services }, { update, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    return { profile: await store.write(() => store.profile.update('private', update)) }
  }
})

/** Acts as if the user had turned on two-factor authentication. */
const enrol = serviceMethod({
  id: 'test.enrol',
  summary: 'For tests',
  params: Type.Object({ username: Type.String(), factor: Type.Unsafe<Factor>({}) }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services }, { factor, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => setFactor(store, factor))
    return {}
  }
})

/** Acts as if the user had entered a password, but not yet a code. */
const beginMfa = serviceMethod({
  id: 'test.beginMfa',
  summary: 'For tests',
  params: Type.Object({
    username: Type.String(),
    mfaToken: Type.String(),
    session: Type.Unsafe<MfaSession>({})
  }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { mfaToken, session, username }) {
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => store.signIn.insert('mfa', mfaToken, now, now + 1800, session))
    return {}
  }
})

/** Acts as if a provider had authenticated a person, for the page with the secret; links the given account, if any. */
const prove = serviceMethod({
  id: 'test.prove',
  summary: 'For tests',
  params: Type.Object({
    ticket: Type.String(),
    secret: Type.String(),
    proof: Type.Unsafe<Partial<IdentityProof>>({}),
    username: Type.Optional(Type.String())
  }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services, now }, { proof, secret, ticket, username }) {
    const [provider] = services.config.auth.oidc
    const given = {
      provider: provider!.name,
      issuer: provider!.issuer,
      subject: ticket,
      hasSecondFactor: false
    }
    const whole = { ...given, ...proof, secret: digestSecret(secret) }
    await services.platform.change('addProof', digestSecret(ticket), whole, now, now + 900, 10_000)
    if (username === undefined) return {}
    const store = services.accounts.openStore(services.accounts.find(username)!)
    await store.write(() => {
      store.unique.claim(identityField, toIdentityKey(whole))
      store.identities.insert(createIdentity(whole, now))
    })
    return {}
  }
})

const addClient = serviceMethod({
  id: 'test.addClient',
  summary: 'For tests',
  params: Type.Object({ client: Type.Unknown() }),
  result: Type.Object({}),
  allow: anyone,
  async run({ services: { platform }, now }, { client }) {
    await platform.change('addClient', client as RegisteredClient, now, 1000, now - 3600)
    return {}
  }
})

export const methods: readonly AnyMethod[] = [
  addClient,
  beginMfa,
  changeProfile,
  createUser,
  enrol,
  mailConfirmation,
  mailToken,
  mailVerification,
  noteSignIns,
  prove,
  sendLetter,
  setPassword,
  signIn,
  signInOnPage,
  spend
]
