/** The way in: setting the service up, start page, invitations, sessions; in a real browser. Pictures are left in `.test-output/pages`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { startBrowser, untilHeading, visit, Watch } from '../support/browser.js'
import { commandProcess } from '../support/command.js'
import { look } from '../support/look.js'
import { mailbox } from '../support/mailbox.js'
import { password, signIn, startPages } from '../support/pages.js'

t.setTimeout(900_000)
const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Starts the service as a process of its own; answers its URL. */
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

t.test('setting up a service that runs', async t => {
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
  await untilHeading(page, 'This link is no longer valid')
  await look(t, page, 'setup-over')
  await page.goto('about:blank')
  await page.goto(link)
  await untilHeading(page, 'Set up this service')
  t.notMatch(page.url(), '#', 'the secret is not left in the address')
  await look(t, page, 'setup')
  await page.getByLabel('Username', { exact: true }).fill('robin')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Address that people will use').fill('example.org')
  await page.getByLabel('Name of the service').fill('Our data')
  await page.getByLabel('Who may register').selectOption('invited')
  await page.getByRole('button', { name: 'Send me a test mail' }).click()
  await page.getByText('Enter your e-mail address above first').waitFor()
  await page.getByLabel('E-mail', { exact: true }).fill('robin@example.com')
  await page.getByLabel('Mail server').fill('127.0.0.1')
  await page.getByLabel('Port').fill('1')
  await page.getByLabel('Sender of the mails').fill('us@example.org')
  await page.getByRole('button', { name: 'Send me a test mail' }).click()
  await page.getByText('Something is not right yet').waitFor()
  await page.getByLabel('Address that people will use').fill('')
  await page.getByRole('button', { name: 'Send me a test mail' }).click()
  await page.getByText('The mail server refused it: ').waitFor()
  await page.getByLabel('Port').fill(String(post.port))
  await page.getByRole('button', { name: 'Send me a test mail' }).click()
  await page.getByText('A test mail is on its way to robin@example.com.').waitFor()
  t.match(await post.received(1), { subject: 'A test mail of Our data', to: ['robin@example.com'] })
  await page.getByLabel('Address that people will use').fill('nonsense')
  await page.getByRole('button', { name: 'Set up the service' }).click()
  await page.locator('#publicUrl-problem').waitFor()
  await look(t, page, 'setup-wrong')
  await page.getByLabel('Address that people will use').fill('')
  await page.getByRole('button', { name: 'Set up the service' }).click()
  await untilHeading(page, 'Our data is set up')
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

  // The link is used up, for the service and for the command.
  await page.goto('about:blank')
  await page.goto(link)
  await untilHeading(page, 'This link is no longer valid')
  const again = await commandProcess(['setup-link', `--dataDir=${dataDir}`, `--port=${port}`])
  t.match([again.code, again.errors], [1, 'The service has been set up: its operators are robin'])
  // What was chosen lets commands work through the running service.
  const invited = await commandProcess(['invite', `--dataDir=${dataDir}`, `--port=${port}`])
  t.match(invited.output, /\/app\/\?register#invitation=/, invited.errors)
  const health = await commandProcess(['health', `--dataDir=${dataDir}`, `--port=${port}`])
  t.match([health.code, health.output], [0, /ok\taccounts\t1 account, nothing contradicts/], health.errors)
  t.same(watch.troubles, [])
})

t.test('the start page, and where there is nothing', async t => {
  const { open, url } = await startPages(t, {
    service: { support: 'help@example.com', terms: 'https://example.com/terms' }
  })
  const page = await open('/')
  await untilHeading(page, 'Coffer')
  await look(t, page, 'home')
  t.equal(await page.getByRole('link', { name: 'Help' }).getAttribute('href'), 'mailto:help@example.com')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.waitForURL(`${url}/app/?register`)
  for (const path of ['/alice/', '/nobody']) {
    await page.goto(url + path)
    await page.getByText('This is the address at which apps find the data of one person.').waitFor()
  }
  await look(t, page, 'door')
  await page.getByRole('link', { name: 'Your account' }).click()
  await untilHeading(page, 'Sign in')
  t.equal(page.url(), `${url}/app/account`)
  for (const path of [
    '/alice/nonsense/deep',
    '/x',
    '/access/nothing.html',
    '/nobody/access/register.html',
    '/users'
  ]) {
    await page.goto(url + path)
    await untilHeading(page, 'Page not found')
  }
  await look(t, page, 'nowhere')
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await untilHeading(page, 'Coffer')
  await page.goto(`${url}/?lang=de`)
  await page.getByText('Hier bewahren Menschen Daten').waitFor()
  await page.context().close()
  const plain = await open('/', { javaScriptEnabled: false })
  t.match(
    await plain.locator('body').innerText(),
    /needs JavaScript[^]*besoin de JavaScript[^]*braucht JavaScript/
  )
  await plain.context().close()
})

t.test('invitations', async t => {
  const used = '/access/register.html#invitation=not-valid'
  const right = '/access/register.html#invitation=good-words'
  const heading = 'Create an account'
  await t.test('are needed where people are invited', async t => {
    const { open } = await startPages(t, { registration: { invitationTokens: ['good-words'] } })
    let page = await open('/access/register.html')
    await page.getByText('Whoever runs the service gives you one.').waitFor()
    await page.getByLabel('Invitation').waitFor()
    await look(t, page, 'register-invited')
    await page.context().close()
    page = await open(used)
    await page.getByText('This invitation is not valid, or has been used already.').waitFor()
    await look(t, page, 'register-used')
    await page.context().close()
    page = await open(right)
    await page.getByText('You are invited.').waitFor()
    t.equal(await page.getByLabel('Invitation').inputValue(), 'good-words')
    await page.context().close()
    page = await open('/')
    await page.getByText('New accounts need an invitation here.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Create an account' }).count(), 0)
    await page.context().close()
  })
  await t.test('mean nothing where everybody may register', async t => {
    const { open } = await startPages(t)
    const page = await open(used)
    await untilHeading(page, heading)
    t.equal(await page.getByLabel('Invitation').count(), 0)
    t.equal(await page.getByText('You are invited.').count(), 0)
    await page.context().close()
  })
  await t.test('do not help where nobody may', async t => {
    const { open } = await startPages(t, { registration: { invitationTokens: [] } })
    const page = await open(right)
    await page.getByText('Your invitation does not help at the moment').waitFor()
    await look(t, page, 'register-closed-invited')
    await page.context().close()
  })
})
