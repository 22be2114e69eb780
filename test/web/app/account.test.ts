/** The page of the account: how one signs in, what is stored, and the end of it. */
import { readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { desk, startApp } from '../../support/app.js'
import { untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { password, signIn } from '../../support/pages.js'
import { receiver } from '../../support/receiver.js'

const adminKey = 'the key of the operator'

t.test('the account page', async t => {
  const { daisy, enter, open, register, service, url } = await startApp(t, {
    userAccount: { delete: ['personalToken'] },
    adminKey,
    quota: { bytes: 5_000_000 },
    webhooks: { allowInternalTargets: true }
  })
  await daisy.stream('diary')
  await daisy.event({ content: 'A walk along the lake' })

  await t.test('shows what there is, and changes address and password', async t => {
    const page = await enter('/app/daisy/account')
    await page.getByText('daisy@example.com').waitFor()
    await page.getByText('of 5 MB').waitFor()
    await page.getByText('from 127.0.0.1').first().waitFor()
    await look(t, page, 'app-account')
    await page.getByRole('button', { name: 'Change your e‑mail address' }).click()
    await page.getByLabel('E-mail').fill('other@example.com')
    await page.getByRole('button', { name: 'Save the address' }).click()
    await page.getByText('other@example.com').waitFor()
    await page.getByRole('button', { name: 'Change your password' }).click()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('five words in one row')
    await look(t, page, 'app-account-password')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await untilHeading(page, 'Your password is set')
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await untilHeading(page, 'Your account')
    await daisy.do('account.changePassword', {
      oldPassword: 'five words in one row',
      newPassword: password
    })
    await page.context().close()
  })

  await t.test('shows the limit that an operator has set for this account', async t => {
    const limit = async (bytes: number | null): Promise<void> => {
      const key = { authorization: adminKey }
      t.equal((await service.http('POST', '/system/users/daisy/quota', { bytes }, key)).status, 200)
    }
    await limit(7_000_000)
    const page = await enter('/app/daisy/account')
    await page.getByText('of 7 MB').waitFor()
    await limit(0)
    await page.reload()
    await page.getByText(/^Entries /).waitFor()
    t.equal(await page.locator('meter').count(), 0, 'there is none')
    await limit(null)
    await page.context().close()
  })

  await t.test('switches the second step on, and remembers that after a reload', async t => {
    const page = await enter('/app/daisy/account')
    await page.getByRole('button', { name: 'Switch it on' }).click()
    const secret = (await page.locator('.secret code').innerText()).replaceAll(/\s/g, '')
    await look(t, page, 'app-account-second-step')
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: service.clock.now() * 1000
    })
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await untilHeading(page, 'Keep these recovery codes')
    t.equal(await page.getByRole('button', { name: 'Copy' }).isVisible(), true, 'codes can be kept')
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('Switched on:').waitFor()
    await page.reload()
    await page.getByText('Switched on:').waitFor()
    await page.getByRole('button', { name: 'Switch it off' }).click()
    await page.getByRole('button', { name: 'Switch it off' }).click()
    await page.getByText('With it, a stolen password opens nothing').waitFor()
    await page.context().close()
  })

  await t.test('keeps language and units, wherever one signs in', async t => {
    const page = await enter('/app/daisy/account')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    await untilHeading(page, 'Ihr Konto')
    await page.getByLabel('Gewicht').selectOption('lb')
    await look(t, page, 'app-account-german')
    await page.context().close()
    const { account } = await daisy.do('account.get')
    t.equal(account.language, 'de')
    const { profile } = await daisy.do('profile.get', { id: 'private' })
    t.match(profile, { 'coffer:language': 'de', 'coffer:units': { mass: 'lb' } })
    const elsewhere = await open('/app/', desk)
    await signIn(elsewhere, 'daisy')
    await elsewhere.getByRole('link', { name: 'Zeitachse' }).first().waitFor()
    await elsewhere.goto(`${url}/app/daisy/account`)
    await untilHeading(elsewhere, 'Ihr Konto')
    t.equal(await elsewhere.getByLabel('Gewicht').inputValue(), 'lb')
    await elsewhere.getByRole('combobox', { name: 'Sprache' }).selectOption('en')
    await untilHeading(elsewhere, 'Your account')
    await elsewhere.context().close()
  })

  await t.test('takes everything along', async t => {
    const page = await enter('/app/daisy/account')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download everything' }).click()
    const download = await saved
    t.match(download.suggestedFilename(), /^\w+-daisy\.zip$/)
    t.equal(
      readFileSync(await download.path())
        .subarray(0, 2)
        .toString(),
      'PK'
    )
    await page.context().close()
  })

  await t.test('lists, tries and ends notifications', async t => {
    const target = await receiver(t)
    const sensor = await daisy.grant('read', 'diary')
    await sensor.do('webhooks.create', { url: target.url })
    const page = await enter('/app/daisy/account')
    await page.getByRole('button', { name: `Try ${target.url}` }).click()
    await page.getByText('The address answers.').waitFor()
    t.same(target.messages, [['test']])
    await page.getByRole('button', { name: 'End it' }).click()
    await look(t, page, 'app-account-webhook')
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
    await page.getByText('No app has asked for any.').waitFor()
    t.same((await daisy.do('webhooks.get')).webhooks, [])
    await page.context().close()
  })

  await t.test('deletes the account, for who types its name and password', async t => {
    await register('gerda')
    const page = await open('/app/', desk)
    await signIn(page, 'gerda')
    await page.locator('.lid').waitFor()
    await page.goto(`${url}/app/gerda/account`)
    await page.getByRole('button', { name: 'Delete the account …' }).click()
    const fill = async (name: string, secret: string): Promise<void> => {
      await page.getByLabel('Type the name of the account').fill(name)
      await page.getByLabel('Password', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    }
    await fill('daisy', password)
    await page.getByText('This is not the name of the account.').waitFor()
    await fill('gerda', 'a wrong guess')
    await page.getByText('This is not your current password.').waitFor()
    await look(t, page, 'app-account-delete')
    await fill('gerda', password)
    await page.getByRole('heading', { name: 'Account closed' }).waitFor()
    await look(t, page, 'app-account-deleted')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await untilHeading(page, 'Sign in')
    await signIn(page, 'gerda')
    await page.getByRole('heading', { name: 'This account is scheduled for deletion on' }).waitFor()
    await look(t, page, 'app-account-closing')
    await page.getByRole('button', { name: 'Keep my account' }).click()
    await page.locator('.lid').waitFor()
    t.match((await service.http('GET', '/reg/gerda/check_username')).status, 409)
    t.ok((await daisy.do('account.get')).account, 'nobody else’s')
    await page.context().close()
  })
})
