/** Links that confirm an address set by an app: who receives one, how long it is valid, and what it permits. */
import { readFileSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { Log, LogFields } from '../../../../core/log.js'
import { Client, openCoffer, type Overrides } from '../../../support/coffer.js'
import { linkOf, mailbox } from '../../../support/mailbox.js'
import { until } from '../../../support/socket.js'
import { Layout } from '../../../../storage/files/layout.js'
import { confirmedValues } from '../../../../storage/migrations/user/012-confirmed-values.js'

const theirs = 'eve@evil.example.com'
const own = 'daisy@example.com'
const refused = { status: 400, error: { id: 'invalid-parameter', data: { param: 'token' } } }

/** Starts a service with Daisy, an app that may set her address, and a mailbox. */
async function start(t: Test, overrides: Overrides = {}) {
  const box = await mailbox(t)
  const lines: { message: string; fields: LogFields }[] = []
  const note = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields })
  const log: Log = { info: note, warn: note, error: note }
  const service = await openCoffer(t, { ...box.settings, ...overrides }, log)
  const daisy = await service.user('daisy', { email: own })
  const app = await daisy.grant('create-only', ':system:email', { type: 'app', name: 'helpful-app' })
  const set = async (content: string, by: Client = app): Promise<void> => {
    await by.do('events.create', { streamIds: [':system:email'], type: 'email/string', content })
  }
  const { mailer } = service.server.services
  const quiet = async (): Promise<void> => await until(() => mailer.isIdle, 'no mail to be on its way')
  const links = (address: string): URL[] =>
    box.mails
      .filter(({ text, to }) => to.includes(address) && text.includes('confirm-email.html'))
      .map(linkOf)
  const tokens = (address: string): string[] => links(address).map(({ hash }) => hash.replace('#token=', ''))
  const confirm = async (token: string, by: Client = daisy) =>
    await by.call('account.confirmEmail', { token })
  const counts = async (): Promise<unknown> => (await daisy.do('account.getEmail')).email.confirmedAddress
  return { service, box, lines, daisy, app, set, quiet, links, tokens, confirm, counts }
}

async function emailOf(client: Client): Promise<unknown> {
  return (await client.do('account.getEmail')).email
}

t.test('account.confirmEmail', async t => {
  t.test(
    'confirms the address once, by the mailed link and a session; the previous one is notified',
    async t => {
      const { box, confirm, counts, daisy, links, quiet, service, set, tokens } = await start(t)
      await set(theirs)
      await quiet()
      const [link] = links(theirs)
      t.match(
        link!.href,
        new RegExp(`^${service.server.url}/access/confirm-email\\.html\\?username=daisy#token=c\\w{24}$`)
      )
      const [token] = tokens(theirs)
      t.equal(await counts(), own)
      const told = box.mails.filter(({ to }) => to.includes(own)).length
      t.strictSame(await confirm(token!), { accessId: daisy.access.id })
      t.equal(await counts(), theirs)
      t.match(await confirm(token!), refused)
      await quiet()
      t.equal(box.mails.filter(({ to }) => to.includes(own)).length, told + 1)
      t.match(await service.call(undefined, 'registration.username', { email: theirs }), {
        username: 'daisy'
      })
    }
  )

  t.test(
    'requires more than the link: the owner of the new mailbox may have made the app set it',
    async t => {
      const { app, confirm, counts, quiet, service, set, tokens } = await start(t)
      await set(theirs)
      await quiet()
      const [token = ''] = tokens(theirs)
      t.match(await confirm(token, app), { status: 403 })
      t.match(await service.call('daisy', 'account.confirmEmail', { token }), { status: 401 })
      t.match(await service.alice.call('account.confirmEmail', { token }), refused)
      t.match(await service.alice.call('account.resetPassword', { token }), { error: Object })
      t.equal(await counts(), own)
    }
  )

  t.test('is bound to the address, and refused after a day or a newer link', async t => {
    const { confirm, counts, daisy, quiet, service, set, tokens } = await start(t)
    await set(theirs)
    await quiet()
    const [first = ''] = tokens(theirs)
    await set('second@evil.example.com')
    t.match(await confirm(first), refused)
    await set(theirs)
    t.match(await confirm(first), refused, 'also once the address has come back')
    await quiet()
    const second = tokens(theirs).at(-1)!
    await daisy.do('account.requestEmailConfirmation')
    await quiet()
    const third = tokens(theirs).at(-1)!
    t.not(second, third)
    t.match(await confirm(second), refused)
    service.clock.advance(86_400)
    await service.call(undefined, 'test.noteSignIns', { username: 'daisy' })
    t.match(await confirm(third), refused)
    t.equal(await counts(), own)
    await daisy.do('account.requestEmailConfirmation')
    await quiet()
    t.notOk((await confirm(tokens(theirs).at(-1)!)).error)
    t.equal(await counts(), theirs)
  })

  t.test('stores only a digest of the token', async t => {
    const { quiet, service, set, tokens } = await start(t)
    await set(theirs)
    await quiet()
    const { services } = service.server
    const store = services.accounts.openStore(services.accounts.find('daisy')!)
    const copy = `${service.directory}/copy.sqlite`
    await store.copyTo(copy)
    t.notMatch(readFileSync(copy, 'latin1'), tokens(theirs)[0])
  })

  t.test('is not accepted as a token of another kind', async t => {
    const { daisy, quiet, service, set, tokens } = await start(t)
    await set(theirs)
    await quiet()
    const [token = ''] = tokens(theirs)
    const params = { appId: 'test-app', resetToken: token, newPassword: 'another secret' }
    t.match(
      await service.call('daisy', 'account.resetPassword', params, undefined, { origin: service.server.url }),
      { error: { id: 'invalid-access-token' } }
    )
    await service.call(undefined, 'test.mailToken', { username: 'daisy', resetToken: 'of a reset' })
    t.match(await daisy.call('account.confirmEmail', { token: 'of a reset' }), refused)
  })
})

t.test('account.requestEmailConfirmation', async t => {
  t.test('sends a few links an hour, and refuses more', async t => {
    const { daisy, quiet, service, set, tokens } = await start(t)
    await set(theirs)
    await quiet()
    for (let count = 0; count < 4; count++) {
      await daisy.do('account.requestEmailConfirmation')
      await quiet()
    }
    t.match(await daisy.call('account.requestEmailConfirmation'), {
      status: 429,
      error: { id: 'too-many-requests' }
    })
    t.equal(tokens(theirs).length, 5)
    service.clock.advance(3600)
    t.notOk((await daisy.call('account.requestEmailConfirmation')).error)
  })

  t.test('sends no more links for a mailbox if another address is confirmed in between', async t => {
    const { confirm, daisy, quiet, set, tokens } = await start(t)
    for (let round = 0; round < 3; round++) {
      const mine = `mine-${round}@example.com`
      await set(mine)
      await quiet()
      const [token] = tokens(mine)
      if (token !== undefined) await confirm(token)
      await set(theirs)
      await quiet()
      for (let count = 0; count < 3; count++) {
        await daisy.call('account.requestEmailConfirmation')
        await quiet()
      }
    }
    t.equal(tokens(theirs).length, 4, 'five in an hour, one of them for the first address')
  })

  t.test('gives the link to the operator if there is no mail server', async t => {
    const { confirm, counts, lines, set } = await start(t, { services: {} })
    await set(theirs)
    await until(() => lines.some(({ fields }) => fields.link !== undefined), 'the link')
    const { hash } = new URL(lines.find(({ fields }) => fields.link !== undefined)!.fields.link!)
    t.notOk((await confirm(hash.replace('#token=', ''))).error)
    t.equal(await counts(), theirs)
  })

  t.test('sends nothing if password mails are off', async t => {
    const { box, lines, quiet, set } = await start(t, {
      services: { email: { enabled: { welcome: true, resetPassword: false } } }
    })
    await set(theirs)
    await quiet()
    t.same([box.mails.length, lines.length], [0, 0])
  })
})

t.test('the confirmation of an address', async t => {
  t.test('depends for older accounts on who set it', async t => {
    const { service, daisy } = await start(t)
    const bobby = await service.user('bobby', { email: 'bobby@example.com' })
    const nobody = await service.user('nobody-s', {})
    const app = await bobby.grant('create-only', ':system:email')
    await app.do('events.create', { streamIds: [':system:email'], type: 'email/string', content: theirs })
    const { services } = service.server
    for (const { username } of [daisy, bobby, nobody]) {
      const { id } = services.accounts.find(username)!
      const db = new SQLite(new Layout(service.directory).userFile(id))
      db.exec('DROP TABLE confirmed_value')
      confirmedValues(db)
      db.close()
    }
    t.match(await emailOf(daisy), { address: own, isConfirmed: true })
    t.match(await emailOf(bobby), { address: theirs, isConfirmed: false, confirmedAddress: null })
    t.match(await emailOf(nobody), { address: null, isConfirmed: false, confirmedAddress: null })
  })
})
