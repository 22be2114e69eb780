/** Setup, start page, invitations and sessions, in a real browser. Screenshots are saved in `.test-output/pages`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { leave, startBrowser, untilHeading, visit, Watch } from '../support/browser.js'
import { commandProcess } from '../support/command.js'
import { look } from '../support/look.js'
import { mailbox } from '../support/mailbox.js'
import { password, signIn, startPages } from '../support/pages.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)
const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Starts the service as a separate process; returns its URL. */
async function serve(t: Test, dataDir: string): Promise<string> {
  const child = spawn(process.execPath, [cli, 'serve', '--port=0', `--dataDir=${dataDir}`], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url !== undefined) return url
  }
  throw new Error('it did not start')
}

t.test('setting up a running service', async t => {
  const post = await mailbox(t)
  const dataDir = join(t.testdir(), 'data')
  const url = await serve(t, dataDir)
  const port = new URL(url).port
  const made = await commandProcess(['setup-link', `--dataDir=${dataDir}`, `--port=${port}`])
  t.equal(made.code, 0, made.errors)
  const link = made.output.trim()
  t.ok(link.startsWith(`${url}/access/setup.html#`), link)
  const browser = await startBrowser(t)
  const page = await visit(browser)
  const watch = new Watch(page, url)

  await page.goto(`${url}/access/setup.html#not-the-secret`)
  await untilHeading(page, 'This link has expired')
  await look(t, page, 'setup-over')
  await page.goto('about:blank')
  await page.goto(link)
  await untilHeading(page, 'Set up your service')
  t.notMatch(page.url(), '#', 'the secret is not left in the address')
  await look(t, page, 'setup')
  await page.getByLabel('Username', { exact: true }).fill('robin')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Public URL').fill('example.org')
  await page.getByLabel('Service name').fill('Our data')
  await page.getByLabel('Who can register').selectOption('invited')
  await page.getByRole('button', { name: 'Send test email' }).click()
  await page.getByText('Enter your email address above first').waitFor()
  await page.getByLabel('Email address', { exact: true }).fill('robin@example.com')
  await page.getByLabel('Mail server').fill('127.0.0.1')
  await page.getByLabel('Port').fill('1')
  await page.getByLabel('Sender address').fill('us@example.org')
  await page.getByRole('button', { name: 'Send test email' }).click()
  await page.getByText('Check the highlighted fields').waitFor()
  await page.getByLabel('Public URL').fill('')
  await page.getByRole('button', { name: 'Send test email' }).click()
  await page.getByText('The test email couldn’t be sent: ').waitFor()
  await page.getByLabel('Port').fill(String(post.port))
  await page.getByRole('button', { name: 'Send test email' }).click()
  await page.getByText('Test email sent to robin@example.com.').waitFor()
  t.match(await post.received(1), { subject: 'Test email from Our data', to: ['robin@example.com'] })
  await page.getByLabel('Public URL').fill('nonsense')
  await page.getByRole('button', { name: 'Complete setup' }).click()
  await page.locator('#publicUrl-problem').waitFor()
  await look(t, page, 'setup-wrong')
  await page.getByLabel('Public URL').fill('')
  await page.getByRole('button', { name: 'Complete setup' }).click()
  await untilHeading(page, 'Our data is ready')
  t.equal(await page.locator('header.mast').textContent(), 'Our data')
  await look(t, page, 'setup-done')
  t.match(parse(readFileSync(join(dataDir, 'settings.yaml'), 'utf8')), {
    operators: ['robin'],
    service: { name: 'Our data' },
    services: { email: { smtp: { host: '127.0.0.1', port: post.port } } }
  })
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, 'robin')
  await page.waitForURL(/\/app\/robin/)

  // The link has been used, for the service and for the command.
  await page.goto('about:blank')
  await page.goto(link)
  await untilHeading(page, 'This link has expired')
  const again = await commandProcess(['setup-link', `--dataDir=${dataDir}`, `--port=${port}`])
  t.match([again.code, again.errors], [1, 'The service is already set up. Operators: robin'])
  // With the chosen settings, commands work through the running service.
  const invited = await commandProcess(['invite', `--dataDir=${dataDir}`, `--port=${port}`])
  t.match(invited.output, /\/app\/\?register#invitation=/, invited.errors)
  t.same(watch.troubles, [])
})

t.test('the start page, and unknown URLs', async t => {
  const { open, service, url } = await startPages(t, {
    service: { support: 'help@example.com', terms: 'https://example.com/terms' }
  })
  const page = await open('/')
  await untilHeading(page, 'Coffer')
  await look(t, page, 'home')
  t.equal(await page.getByRole('link', { name: 'Help' }).getAttribute('href'), 'mailto:help@example.com')
  await page.getByRole('link', { name: 'Create account' }).click()
  await page.waitForURL(`${url}/app/?register`)
  for (const path of rotate(t, ['/alice/', '/nobody'])) {
    await page.goto(url + path)
    await page.getByText('This address is for apps.').waitFor()
  }
  await look(t, page, 'door')
  await page.getByRole('link', { name: 'Your account' }).click()
  await untilHeading(page, 'Sign in')
  t.equal(page.url(), `${url}/app/account`)
  await page.goto(`${url}/alice/nonsense/deep`)
  await untilHeading(page, 'Page not found')
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
  for (const path of ['/x', '/access/nothing.html', '/nobody/access/register.html', '/users'])
    t.match(await service.http('GET', path, undefined, headers), { status: 404, body: /data-nowhere/ }, path)
  await look(t, page, 'nowhere')
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await untilHeading(page, 'Coffer')
  await page.goto(`${url}/?lang=de`)
  await page.getByText('Ihre persönlichen Daten an einem Ort').waitFor()
  await leave(page)
  const plain = await open('/', { javaScriptEnabled: false })
  t.match(
    await plain.locator('body').innerText(),
    /Turn on JavaScript[^]*Activez JavaScript[^]*Aktivieren Sie JavaScript/
  )
  await leave(plain)
})

t.test('invitations', async t => {
  const used = '/access/register.html#invitation=not-valid'
  const right = '/access/register.html#invitation=good-words'
  const heading = 'Create account'
  const test = inRotation(t, 2)
  await t.test('are required if registration is by invitation', async t => {
    const { open, url } = await startPages(t, { registration: { invitationTokens: ['good-words'] } })
    const page = await open('/access/register.html')
    const go = async (path: string): Promise<void> => {
      // Another fragment alone would not load the page again.
      await page.goto('about:blank')
      await page.goto(url + path)
    }
    await page.getByText('Ask the operator of this service for one.').waitFor()
    await page.getByLabel('Invitation code').waitFor()
    await look(t, page, 'register-invited')
    await go(used)
    await page.getByText('This invitation is invalid or has already been used.').waitFor()
    await look(t, page, 'register-used')
    await go(right)
    await page.getByText('You’ve been invited.').waitFor()
    t.equal(await page.getByLabel('Invitation code').inputValue(), 'good-words')
    await go('/')
    await page.getByText('You need an invitation to create an account.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Create account' }).count(), 0)
    await leave(page)
  })
  await test('are ignored if registration is open', async t => {
    const { open } = await startPages(t)
    const page = await open(used)
    await untilHeading(page, heading)
    t.equal(await page.getByLabel('Invitation code').count(), 0)
    t.equal(await page.getByText('You’ve been invited.').count(), 0)
    await leave(page)
  })
  await test('do not help if registration is closed', async t => {
    const { open } = await startPages(t, { registration: { invitationTokens: [] } })
    const page = await open(right)
    await page.getByText('at the moment, even with an invitation').waitFor()
    await look(t, page, 'register-closed-invited')
    await leave(page)
  })
})
