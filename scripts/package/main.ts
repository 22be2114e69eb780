/**
 * `npm run package`: builds installable packages. Takes the kinds to build (by default all), and `--to FOLDER` (by default
 * `packages`).
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageDirectory, version } from '../../core/version.js'
import { debianArchitecture, makeDeb } from './deb.js'
import { makeExecutable, runTool } from './executable.js'

const kinds = ['executable', 'deb', 'npm']

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: join(packageDirectory, 'packages') } }
})
const wrong = positionals.find(kind => !kinds.includes(kind))
if (wrong !== undefined) {
  console.error(`Unknown package "${wrong}". Choose from ${kinds.join(', ')}`)
  process.exit(1)
}
const wanted = new Set(positionals.length > 0 ? positionals : kinds)
const folder = resolve(values.to)
mkdirSync(folder, { recursive: true })
const ending = process.platform === 'win32' ? '.exe' : ''
const executable = join(folder, `coffer-${version}-${process.platform}-${process.arch}${ending}`)

if (wanted.has('executable') || (wanted.has('deb') && !existsSync(executable))) {
  makeExecutable(executable)
  console.log(executable)
}
if (wanted.has('deb')) {
  const deb = join(folder, `coffer_${version}_${debianArchitecture}.deb`)
  makeDeb(executable, deb)
  console.log(deb)
}
if (wanted.has('npm')) {
  runTool('npm', ['pack', '--silent', '--pack-destination', folder], packageDirectory)
  console.log(join(folder, `coffer-${version}.tgz`))
}
