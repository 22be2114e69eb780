/** Finds or installs the browser for page tests. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Names of the program. The headless shell comes first: it draws no windows, and uses less CPU time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome'
]

/** Returns the path of Chromium, from the environment variable CHROMIUM or the PATH; `undefined` if there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env
  if (CHROMIUM) return CHROMIUM
  const paths = PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return paths.find(isExecutable)
}

/** Installs Chromium with apt-get if it is missing and the user is root. Returns a message with the outcome. */
export function ensureChromium(): string {
  const found = findChromium()
  if (found) return `Chromium: ${found}`
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'Chromium is missing, so tests of the pages will fail: install it, or set CHROMIUM to its path'
  console.log('Chromium is missing: installing it with apt-get')
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (...args: string[]): boolean =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment, timeout: 600_000 })
      .status === 0
  // Not every distribution has a package of the headless shell.
  const install = (): boolean =>
    ['chromium-headless-shell', 'chromium'].some(name =>
      run('install', '--yes', '--no-install-recommends', name)
    )
  if (!install() && run('update')) install()
  const installed = findChromium()
  return installed
    ? `Chromium: ${installed}`
    : 'Chromium could not be installed, so tests of the pages will fail: set CHROMIUM to its path'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
