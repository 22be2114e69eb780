/** Builds the Debian package: the executable, its unit, settings and documentation. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageDirectory, version } from '../../core/version.js'
import { runTool } from './executable.js'

/** Debian's names of processor architectures. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Compression level of 0 to 9. The default takes minutes for the executable. */
const level = '-z1'

/** The scripts that dpkg runs. */
const hooks = ['postinst', 'prerm', 'postrm']

/** Debian's name of the architecture of packages built here. */
export const debianArchitecture = architectures[process.arch] ?? process.arch

/**
 * Writes the package. `compression`: as in `dpkg-deb -Z`; `none` is fast. Throws an error if `dpkg-deb`
 * fails.
 */
export function makeDeb(executable: string, target: string, compression = 'xz'): void {
  const root = mkdtempSync(join(tmpdir(), 'coffer-deb-'))
  try {
    copyFiles(root, executable)
    writeControlFiles(root)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
    chmodSync(root, 0o755)
    runTool('dpkg-deb', [`-Z${compression}`, level, '--root-owner-group', '--build', root, target])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Copies files to where the package installs them. */
function copyFiles(root: string, executable: string): void {
  const put = (from: string, to: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    copyFileSync(from, join(root, to))
    chmodSync(join(root, to), mode)
  }
  put(executable, 'usr/bin/coffer', 0o755)
  put(toPath('deploy', 'coffer.service'), 'usr/lib/systemd/system/coffer.service')
  put(toPath('deploy', 'deb', 'coffer.yaml'), 'etc/coffer/coffer.yaml', 0o640)
  for (const name of ['operation.md', 'deployment.md', 'settings.md'])
    put(toPath('docs', name), `usr/share/doc/coffer/${name}`)
  put(toPath('LICENSE'), 'usr/share/doc/coffer/copyright')
  const changes = gzipSync(readFileSync(toPath('CHANGELOG.md')), { level: 9 })
  writeFileSync(join(root, 'usr/share/doc/coffer/changelog.gz'), changes, { mode: 0o644 })
}

function toPath(...names: string[]): string {
  return join(packageDirectory, ...names)
}

/** Writes the control files. */
function writeControlFiles(root: string): void {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()
  const folder = join(root, 'DEBIAN')
  mkdirSync(folder)
  const write = (name: string, text: string, mode = 0o644): void => {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), mode)
  }
  const sums = files.map(name => `${getMd5(join(root, name))}  ${name}\n`)
  write('md5sums', sums.join(''))
  write('conffiles', '/etc/coffer/coffer.yaml\n')
  for (const name of hooks) write(name, readFileSync(toPath('deploy', 'deb', name), 'utf8'), 0o755)
  const bytes = files.reduce((sum, name) => sum + statSync(join(root, name)).size, 0)
  write(
    'control',
    `Package: coffer
Version: ${toDebianVersion(version)}
Architecture: ${debianArchitecture}
Maintainer: The Coffer developers <coffer@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= ${getLibcVersion()}), libgcc-s1, libstdc++6, libc-bin, passwd
Section: web
Priority: optional
Description: personal data service: events in streams, granted by accesses
 Keeps time-stamped data for many people, each of whom decides who sees what.
 Their data are SQLite files; there is no database server to install.
`
  )
}

/** Returns the version of the C library here, which native libraries compiled on this machine may need. */
function getLibcVersion(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  if (header.glibcVersionRuntime !== undefined) return header.glibcVersionRuntime
  throw new Error('A Debian package can only be built where Node uses the GNU C library')
}

/** Converts a version to Debian's format. `1.0.0-rc.1` precedes `1.0.0`, which Debian writes with a tilde. */
function toDebianVersion(text: string): string {
  return text.replace('-', '~')
}

/** Returns the MD5 of a file, with which Debian detects accidental changes. */
function getMd5(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex')
}
