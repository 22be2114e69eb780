/**
 * Takes the screenshot of the timeline for the documentation: starts a service with two months of sample data, and opens it in
 * Chromium.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { Value } from 'typebox/value'
import { Settings } from '../../core/settings/settings.js'
import { packageDirectory } from '../../core/version.js'
import { startServer } from '../../server/server.js'
import { fillLocalAccount } from '../demo/fill-local-account.js'
import { parsePlan } from '../demo/plan.js'
import { findChromium } from './chromium.js'

const file = join(packageDirectory, 'docs', 'images', 'timeline.png')
/** Maximum size in bytes. */
const maxBytes = 300_000
const until = '2026-03-31T18:00:00Z'
const username = 'daisy'
const password = 'four words in a row'

const dataDir = mkdtempSync(join(tmpdir(), 'coffer-screenshot-'))
try {
  const settings = { ...(Value.Default(Settings, {}) as Settings), dataDir, port: 0 }
  const plan = parsePlan({ days: '62', seed: '1', until }, Date.now() / 1000)
  await fillLocalAccount({ settings, username, password, plan, progress: undefined })
  const server = await startServer(settings)
  try {
    const picture = await takeScreenshot(server.url)
    if (picture.length > maxBytes)
      throw new Error(`The screenshot has ${picture.length} bytes, the limit is ${maxBytes}`)
    writeFileSync(file, picture)
    console.log(`${file}: ${picture.length} bytes`)
  } finally {
    await server.close()
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** Returns a screenshot of the timeline as PNG. */
async function takeScreenshot(url: string): Promise<Buffer> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium here: set CHROMIUM to its path')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const context = await browser.newContext({
      viewport: { width: 1344, height: 896 },
      locale: 'en-GB',
      timezoneId: 'Europe/Zurich',
      colorScheme: 'light',
      reducedMotion: 'reduce',
      serviceWorkers: 'block'
    })
    const page = await context.newPage()
    await page.clock.setFixedTime(until)
    await page.goto(`${url}/app/`)
    await page.getByLabel('Username or email').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.goto(`${url}/app/${username}/timeline`)
    await page.locator('figure[data-lane]').first().waitFor()
    await page.waitForLoadState('networkidle')
    return await page.screenshot()
  } finally {
    await browser.close()
  }
}
