/** Builds the executable: Node itself with the software inside. (https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html) */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { spawnSync } from 'node:child_process'
import { packageDirectory } from '../../core/version.js'
import { listContents } from './contents.js'

/** Marks the position in Node's executable that says whether it contains an application. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** Compression quality of 0 to 11: higher values take several times as long for a few percent. */
const defaultQuality = 6

/** Writes the executable for the current system and Node version. Throws an error if a tool fails. */
export function makeExecutable(target: string, quality = defaultQuality): void {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-package-'))
  try {
    const assets = { list: join(folder, 'list'), files: join(folder, 'files') }
    writeAssets(assets, quality)
    const blob = join(folder, 'blob')
    const config = {
      main: join(packageDirectory, 'dist', 'scripts', 'package', 'launcher.cjs'),
      output: blob,
      disableExperimentalSEAWarning: true,
      assets
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    runTool(process.execPath, ['--experimental-sea-config', join(folder, 'config.json')])
    copyFileSync(process.execPath, target)
    chmodSync(target, 0o755)
    const isMac = process.platform === 'darwin'
    // The existing signature would be invalid.
    if (isMac) runTool('codesign', ['--remove-signature', target])
    runTool(process.execPath, [
      resolvePostject(),
      target,
      'NODE_SEA_BLOB',
      blob,
      '--sentinel-fuse',
      fuse,
      ...(isMac ? ['--macho-segment-name', 'NODE_SEA'] : [])
    ])
    if (isMac) runTool('codesign', ['--sign', '-', target])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes all files as one compressed file, and the list with which the launcher verifies them. */
function writeAssets(assets: { readonly list: string; readonly files: string }, quality: number): void {
  const importer = { name: 'import.cjs', bytes: Buffer.from('module.exports = file => import(file)\n') }
  const files = listContents().map(({ file, name }) => ({ name, bytes: readFileSync(file) }))
  const all = [importer, ...files]
  const whole = Buffer.concat(all.map(({ bytes }) => bytes))
  writeFileSync(
    assets.list,
    JSON.stringify(all.map(({ bytes, name }) => [name, bytes.length, getSha256(bytes)]))
  )
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: whole.length
  }
  writeFileSync(assets.files, brotliCompressSync(whole, { params }))
}

function getSha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function resolvePostject(): string {
  return join(dirname(createRequire(import.meta.url).resolve('postject/package.json')), 'dist', 'cli.js')
}

/** Runs a tool. Returns its output. Throws with its output if it fails. */
export function runTool(tool: string, args: readonly string[], cwd = process.cwd()): string {
  const { error, status, stderr, stdout } = spawnSync(tool, args, { cwd, encoding: 'utf8' })
  if (error) throw new Error(`${tool} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${tool} failed with ${status}: ${stderr}${stdout}`)
  return stdout
}
