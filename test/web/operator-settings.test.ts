/** Changing settings on the operator's page of a separate process. Screenshots are saved in `.test-output/pages`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { startBrowser, untilHeading, visit, Watch } from '../support/browser.js'
import { look } from '../support/look.js'
import { until } from '../support/socket.js'

t.setTimeout(900_000)

const adminKey = 'the key of the operator'
/** The language that is shown in addition to English: in the short form one of two, in rotation. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const isShown = (_each: unknown, at: number): boolean =>
  process.env['COFFER_TEST_LONG'] === '1' || (at + seed) % 2 === 0
t.comment(`COFFER_TEST_SEED=${seed}`)

const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Starts the service as a separate process, with settings from a file, a variable and flags; returns its URL. */
async function serve(t: Test, folder: string, dataDir: string): Promise<string> {
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--port=0', `--dataDir=${dataDir}`, '--quota.bytes=5000000'],
    {
      cwd: folder,
      env: { ...process.env, COFFER_SERVICE_HOME: 'https://variable.example' },
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url === undefined) continue
    // The process would block if its log were not read.
    child.stdout.resume()
    return url
  }
  throw new Error('it did not start')
}

async function readName(url: string): Promise<string> {
  return ((await (await fetch(`${url}/reg/service/info`)).json()) as { name: string }).name
}

t.test('settings in the operator’s page', async t => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const chosen = join(dataDir, 'settings.yaml')
  mkdirSync(dataDir)
  writeFileSync(chosen, stringify({ services: { email: { smtp: { password: 'never-to-be-shown' } } } }))
  writeFileSync(
    join(folder, 'coffer.yaml'),
    stringify({ adminKey, operators: ['olive'], service: { support: 'help@example.com' } })
  )
  const url = await serve(t, folder, dataDir)
  const page = await visit(await startBrowser(t))
  const watch = new Watch(page, url)
  await page.goto(`${url}/operator#settings`)
  await page.getByRole('button', { name: 'Use the admin key instead' }).click()
  await page.getByLabel('Key', { exact: true }).fill(adminKey)
  await page.keyboard.press('Enter')
  await untilHeading(page, 'Administration')
  const name = page.getByLabel('Service name')
  await name.waitFor()

  /** Waits for the end of a restart: the page says first that one is needed, then that it is running. */
  const untilRestarted = async (): Promise<void> => {
    await page.getByText('Some changes take effect after a restart').waitFor({ state: 'detached' })
    await page.getByText('Restarting…').waitFor({ state: 'detached' })
  }

  t.test('shows what determines those that are fixed', async t => {
    for (const [label, words] of [
      ['Home page (URL)', 'Set by the environment variable COFFER_SERVICE_HOME'],
      ['Support (URL or email address)', `Set by the file ${join(folder, 'coffer.yaml')}`],
      ['Storage per account in MB (0 = unlimited)', 'Set by the flag --quota.bytes']
    ] as const) {
      const field = page.getByLabel(label)
      t.ok(await field.isDisabled(), label)
      t.match(await page.locator('.field').filter({ has: field }).textContent(), words)
    }
    t.equal(await page.getByLabel('Storage per account in MB (0 = unlimited)').inputValue(), '5')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('services.email.smtp.password').last().waitFor()
    const shown = (await page.locator('main').textContent()) ?? ''
    for (const secret of [adminKey, 'never-to-be-shown']) t.notMatch(shown, secret)
    await page.getByRole('button', { name: 'Only changed settings' }).click()
    await look(t, page, 'operator-settings')
  })

  t.test('shows errors next to the fields, and saves nothing', async t => {
    await name.fill('Our data')
    await page.getByLabel('Days until a deleted account is removed').fill('soon')
    await page.getByLabel('Schedule (cron: minute hour day month weekday)').fill('sometimes')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Check the highlighted fields').waitFor()
    t.equal(await page.getByText('Invalid value: ').count(), 2)
    await look(t, page, 'operator-settings-wrong')
    t.notMatch(readFileSync(chosen, 'utf8'), 'Our data')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('Check the highlighted fields').waitFor({ state: 'detached' })
    t.equal(await name.inputValue(), 'Coffer')
  })

  t.test('saves changes, which apply after a restart', async t => {
    await name.fill('Our data')
    await page.getByLabel('Who can register').selectOption({ label: 'Only people with an invitation' })
    await page.getByLabel('Maximum file size in MB (0 = unlimited)').fill('2.5')
    await page.getByLabel('Log every call').selectOption({ label: 'On' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Changes saved.').waitFor()
    await page.getByText('Some changes take effect after a restart').waitFor()
    t.match(parse(readFileSync(chosen, 'utf8')), {
      service: { name: 'Our data' },
      uploads: { maxFileBytes: 2_500_000 },
      log: { requests: true }
    })
    await look(t, page, 'operator-settings-saved')
    t.equal(await readName(url), 'Coffer')
    await page.getByRole('button', { name: 'Restart now' }).click()
    await untilRestarted()
    t.equal(await readName(url), 'Our data')
    // They are loaded again first.
    await until(async () => (await name.inputValue()) === 'Our data', 'the settings in use')
  })

  t.test('does not overwrite concurrent changes', async t => {
    const headers = { authorization: adminKey, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/system/configuration`, { headers })
    const { configuration } = (await answer.json()) as { configuration: { version: string } }
    const changed = await fetch(`${url}/system/configuration`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ version: configuration.version, values: { 'service.terms': 'Be kind' } })
    })
    t.equal(changed.status, 200)
    await name.fill('My data')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The settings were changed elsewhere in the meantime').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('The settings were changed elsewhere in the meantime').waitFor({ state: 'detached' })
    // They are loaded again first.
    const terms = page.getByLabel('Terms of service (URL or text)')
    await until(async () => (await terms.inputValue()) === 'Be kind', 'the settings that were changed')
    t.equal(await name.inputValue(), 'Our data')
  })

  t.test('starts backups, and shows the results of the last ones', async t => {
    const inService = async (): Promise<void> =>
      await page.getByRole('button', { name: 'Service', exact: true }).click()
    await inService()
    await page.getByText('Automatic backups are off').waitFor()
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const to = page.getByLabel('Folder or s3://bucket/prefix (empty = no backups)')
    await to.fill(join(dataDir, 'inside'))
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('is inside the data directory').waitFor()
    await to.fill(join(folder, 'backups'))
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Restart now' }).click()
    await untilRestarted()
    await inService()
    // The first backup begins at startup.
    const runs = page.getByRole('list', { name: 'Recent backups' }).getByRole('listitem')
    await runs.first().waitFor({ timeout: 120_000 })
    t.equal(await runs.count(), 1)
    await page.getByRole('button', { name: 'Back up now' }).click()
    await runs.nth(1).waitFor({ timeout: 120_000 })
    t.match(await runs.first().textContent(), 'Succeeded')
    t.ok(readdirSync(join(folder, 'backups')).length > 0)
    await look(t, page, 'operator-service-backups')
  })

  t.test('appears in the activity log, also in other languages', async t => {
    await page.getByRole('button', { name: 'Activity log', exact: true }).click()
    await page.getByText('Service restarted').first().waitFor()
    await page.getByText('Backup started').waitFor()
    await page.getByText('service.name, registration.invitationTokens').waitFor()
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const languages = [
      ['fr', 'Nom du service'],
      ['de', 'Name des Dienstes']
    ] as const
    for (const [language, label] of languages.filter(isShown)) {
      await page.getByRole('combobox').first().selectOption(language)
      await page.getByLabel(label).waitFor()
      await look(t, page, `operator-settings-${language}`)
    }
  })
  // The service does not respond while it restarts.
  t.same(
    watch.troubles.filter(trouble => !/ERR_CONNECTION|\/system\//.test(trouble)),
    []
  )
})
